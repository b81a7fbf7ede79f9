"""The known formats at a glance, and which one a file is, told by its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from aisim_model.errors import InputError
from aisim_model.traces.asked import asks
from aisim_model.traces.formats.aibrix import AIBRIX
from aisim_model.traces.formats.aiperf import AIPERF, AIPERF_SESSIONS
from aisim_model.traces.formats.azure import AZURE
from aisim_model.traces.formats.bailian import BAILIAN
from aisim_model.traces.formats.base import Container, TraceFormat
from aisim_model.traces.formats.burstgpt import BURSTGPT, BURSTGPT_SESSIONS
from aisim_model.traces.formats.guidellm import GUIDELLM
from aisim_model.traces.formats.llmservingsim import LLMSERVINGSIM
from aisim_model.traces.formats.mapped import REQUIRED_ROLES, guessed_columns, mapped_format
from aisim_model.traces.formats.mooncake import MOONCAKE
from aisim_model.traces.formats.nested import NESTED_FORMATS
from aisim_model.traces.formats.ragpulse import RAGPULSE
from aisim_model.traces.formats.splitwise import SPLITWISE
from aisim_model.traces.formats.vidur import VIDUR

# Where two have all their columns in a file, the one with more of them wins, then the first.
FORMATS: tuple[TraceFormat, ...] = (
    GUIDELLM,
    MOONCAKE,
    AIPERF,
    AIPERF_SESSIONS,
    BAILIAN,
    RAGPULSE,
    AIBRIX,
    LLMSERVINGSIM,
    AZURE,
    BURSTGPT,
    BURSTGPT_SESSIONS,
    VIDUR,
    SPLITWISE,
    *NESTED_FORMATS,
)
COLUMNS_SAID = 12


def detect_format(
    container: Container,
    columns: Sequence[str],
    sample: Sequence[Mapping[str, object]],
    name: str,
    optional: Collection[str] = (),
) -> tuple[TraceFormat, str]:
    """Return the format whose columns a file has, and the reason as a sentence.

    Parameters
    ----------
    container : {"jsonl", "csv"}
        What the file is.
    columns : sequence of str
        Its columns, or the keys of its first rows.
    sample : sequence of mapping
        Its first rows where it is JSON lines.
    name : str
        What to call the file in a message.
    optional : collection of str
        Roles that were asked for and need no column.

    Raises
    ------
    InputError
        Where arrival, prompt or output can't be told; it names the columns found.

    Examples
    --------
    >>> detect_format("csv", ["arrived_at", "num_prefill_tokens", "num_decode_tokens"], [], "t.csv")[0].id
    'vidur'
    """
    present = set(columns)
    fitting = [
        known
        for known in FORMATS
        if known.container == container and present.issuperset(known.needed) and _agrees(known, sample)
    ]
    if fitting:
        best = max(fitting, key=lambda known: len(set(known.needed)))
        return best, f"It has the columns {', '.join(best.needed)} of {best.label}."
    guessed = guessed_columns(columns)
    missing = [role for role in REQUIRED_ROLES if role not in guessed and role not in optional]
    if len(set(columns)) == len(columns) and (asked := asks(missing)):
        raise asked
    if missing:
        raise InputError("trace", name, _no_columns(missing, columns), _REMEDY)
    said = ", ".join(f"{column} as {role}" for role, column in guessed.items())
    by_names = replace(
        mapped_format(guessed, container, optional), id="named", label="Columns told by their names"
    )
    return replace(by_names, source="the file's header"), f"No known format; its column names say {said}."


_REMEDY = "Map its columns: which are arrival, input_tokens and output_tokens?"


def _agrees(known: TraceFormat, sample: Sequence[Mapping[str, object]]) -> bool:
    """Whether the first rows are as this one of the formats with equal field names writes them."""
    if known is GUIDELLM:
        return any(_has_decimals(row.get(known.arrival)) for row in sample)
    if known is MOONCAKE:
        return all("hash_ids" in row for row in sample)
    if known is RAGPULSE:
        return any(isinstance(row.get("hash_ids"), dict) for row in sample)
    return True


def _has_decimals(value: object) -> bool:
    return isinstance(value, float) and not value.is_integer()


def _no_columns(missing: Sequence[str], columns: Sequence[str]) -> str:
    said = ", ".join(str(column)[:40] for column in columns[:COLUMNS_SAID])
    more = f" and {len(columns) - COLUMNS_SAID:,} more" if len(columns) > COLUMNS_SAID else ""
    without = " and ".join(missing)
    twice = sorted(column for column, times in Counter(columns).items() if times > 1)
    repeated = f"; {', '.join(twice[:3])} stands there twice" if twice else ""
    return f"is in no known format: no column is known for {without}; it has {said or 'none'}{more}{repeated}"


def format_by_id(format_id: str) -> TraceFormat:
    """Return a known format.

    Raises
    ------
    InputError
        For an id that is not known; it lists those that are.

    Examples
    --------
    >>> format_by_id("azure").arrival
    'TIMESTAMP'
    """
    for known in FORMATS:
        if known.id == format_id:
            return known
    raise InputError("format", format_id, "must be one of " + ", ".join(known.id for known in FORMATS))
