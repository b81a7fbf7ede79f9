"""Any CSV or JSON lines: columns named by the user, or told by the usual names for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from aisim_model.errors import InputError
from aisim_model.traces.formats.base import Container, TraceFormat
from aisim_model.traces.time_units import unit_of_name

ROLES = ("arrival", "input_tokens", "output_tokens", "hash_ids")
REQUIRED_ROLES = ROLES[:3]

ARRIVAL_NAMES = (
    "timestamp", "timestamps", "arrival", "arrival_time", "arrival_timestamp", "arrived_at", "arrival_ms",
    "arrival_s", "arrival_time_ms", "arrival_time_s", "arrival_time_us", "timestamp_ms", "timestamp_s",
    "timestamp_us", "timestamp_ns", "timestamp_start_unix_ms", "start_time", "request_time", "created_at",
    "time", "ts",
)  # fmt: skip
INPUT_NAMES = (
    "input_tokens", "input_length", "input_len", "input_toks", "prompt_tokens", "prompt_length",
    "prompt_len", "prompt_size", "context_tokens", "contexttokens", "num_prefill_tokens", "num_input_tokens",
    "request_tokens", "isl",
)  # fmt: skip
OUTPUT_NAMES = (
    "output_tokens", "output_length", "output_len", "output_toks", "completion_tokens", "generated_tokens",
    "generatedtokens", "num_decode_tokens", "num_output_tokens", "response_tokens", "token_size", "osl",
)  # fmt: skip
NAMES = MappingProxyType(
    {"arrival": ARRIVAL_NAMES, "input_tokens": INPUT_NAMES, "output_tokens": OUTPUT_NAMES}
)


def mapped_format(columns: Mapping[str, str], container: Container) -> TraceFormat:
    """Return the format that a user's mapping of columns describes.

    Parameters
    ----------
    columns : mapping of str to str
        Column of ``arrival``, ``input_tokens``, ``output_tokens`` and, if there is one, ``hash_ids``.
    container : {"jsonl", "csv"}
        What the file is.

    Raises
    ------
    InputError
        For an unknown role, a missing one, or one column with two roles.

    Examples
    --------
    >>> mapped_format({"arrival": "t_ms", "input_tokens": "in", "output_tokens": "out"}, "csv").time_unit
    'ms'
    """
    for role in columns:
        if role not in ROLES:
            raise InputError("columns", role, f"must map {', '.join(ROLES)}")
    chosen = [columns[role] for role in ROLES if columns.get(role)]
    for role in REQUIRED_ROLES:
        if not columns.get(role):
            raise InputError("columns", dict(columns), f"must name the column of {role}")
    if len(set(chosen)) < len(chosen):
        raise InputError("columns", dict(columns), "must name a column of its own for each")
    unit = unit_of_name(columns["arrival"])
    return TraceFormat(
        id="mapped",
        label="Columns as mapped",
        source="the user",
        container=container,
        arrival=columns["arrival"],
        input_tokens=columns["input_tokens"],
        output_tokens=columns["output_tokens"],
        hash_ids=columns.get("hash_ids") or None,
        time_unit=unit,
        unit_is_certain=unit is not None,
    )


def guessed_columns(present: Iterable[str]) -> dict[str, str]:
    """Return the columns whose names say what they hold, where one only does for a role.

    Examples
    --------
    >>> guessed_columns(["Prompt tokens", "output_len", "time", "user"])
    {'arrival': 'time', 'input_tokens': 'Prompt tokens', 'output_tokens': 'output_len'}
    """
    found = {}
    present = list(dict.fromkeys(present))
    for role, names in NAMES.items():
        matching = [column for column in present if column.strip().lower().replace(" ", "_") in names]
        if len(matching) == 1:
            found[role] = matching[0]
    if "hash_ids" in present:
        found["hash_ids"] = "hash_ids"
    return found
