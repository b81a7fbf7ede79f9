"""What `aisim replay` makes of its options, and how traces are read: the settings of a replay, columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from aisim_model.errors import InputError
from aisim_model.units import MS_PER_S

if TYPE_CHECKING:
    from aisim_model.passes import PassModel
    from aisim_model.replay import ReplayConfig
    from aisim_model.traces import Trace, TraceReport

PREFILL_WAYS = "must be polynomial, fixed:MS or rate:TOK_S"
NEEDED_BY_SPLIT = ("bandwidth_gb_s", "kv_bytes_per_token")
LONGEST_MS = 1e12  # of a pass; thirty years
TimeUnit = Annotated[
    Literal["ns", "us", "ms", "s", "days"] | None,
    typer.Option(help="Unit of arrival times; told from their span where left out."),
]
Decimal = Annotated[
    Literal[".", ","] | None,
    typer.Option(help="Decimal mark of a table's numbers; told from them where left out."),
]
SkipBadRows = Annotated[bool, typer.Option("--skip-bad-rows", help="Leave faulty rows out and count them.")]
Rate = Annotated[
    float | None, typer.Option(help="Requests a second, evenly spaced, in place of the file's own arrivals.")
]
AtOnce = Annotated[
    bool, typer.Option("--at-once", help="All requests arrive at once, in place of the file's own arrivals.")
]
OutputTokens = Annotated[
    int | None, typer.Option(help="Output tokens of every request, in place of the file's own.")
]
ROLES = ("arrival", "input_tokens", "output_tokens", "hash_ids")


def config_of(given: Mapping[str, Any], prefill: str | None, decode_step_ms: float | None) -> ReplayConfig:
    """Return the settings of a replay from the options that were given; the others have its own defaults.

    Raises
    ------
    InputError, ValidationError
        For an option that is refused or missing.
    """
    from aisim_model.passes import fixed
    from aisim_model.replay import ReplayConfig

    values = {name: value for name, value in given.items() if value is not None}
    if prefill is not None:
        values["prefill"] = prefill_time(prefill)
    if decode_step_ms is not None:
        if not 0 <= decode_step_ms <= LONGEST_MS:
            problem = f"must be from 0 to {LONGEST_MS:g} ms"
            raise InputError("decode_step_ms", decode_step_ms, problem, "Enter one such as 20.")
        values["decode"] = fixed(decode_step_ms)
    config = ReplayConfig(**values)
    for name in () if config.aggregated else NEEDED_BY_SPLIT:
        if name not in values:
            option = name.replace("_", "-")
            raise InputError(name, None, "is needed where KV is handed over", f"Add --{option}.")
    return config


def prefill_time(text: str) -> PassModel:
    """Read ``polynomial``, ``fixed:MS`` or ``rate:TOK_S``.

    Examples
    --------
    >>> prefill_time("fixed:0").numbers, prefill_time("rate:20000").numbers
    ((0.0, 0.0), (0.0, 0.05))
    """
    from aisim_model.passes import fixed, polynomial, rate

    way, colon, number = text.partition(":")
    if way == "polynomial" and not colon:
        return polynomial()
    if way not in ("fixed", "rate") or not colon:
        raise InputError("prefill", text, PREFILL_WAYS, "Enter one such as fixed:100 or rate:20000.")
    value = _number(number)
    least, most = (MS_PER_S / LONGEST_MS, math.inf) if way == "rate" else (0.0, LONGEST_MS)
    if value is None or not least <= value <= most:
        allowed = f"from {least:g} tokens a second" if way == "rate" else f"from 0 to {most:g} ms"
        problem = f"must have a finite number {allowed} after {way}:"
        raise InputError("prefill", text, problem, "Enter one such as fixed:100 or rate:20000.")
    return rate(value) if way == "rate" else fixed(value)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def mapped_columns(text: str | None) -> dict[str, str] | None:
    """Read which columns of a file mean what: ``arrival=when,input_tokens=prompt``.

    Examples
    --------
    >>> mapped_columns("arrival=when,input_tokens=prompt")
    {'arrival': 'when', 'input_tokens': 'prompt'}
    """
    if text is None:
        return None
    found = {}
    for pair in text.split(","):
        role, equals, column = (part.strip() for part in pair.partition("="))
        if role not in ROLES or not equals or not column:
            problem = f"must be ROLE=COLUMN with a role of {', '.join(ROLES)}"
            raise InputError("columns", pair, problem, "Put commas between several.")
        found[role] = column
    return found


def read_requests(
    path: Path, *, rate: float | None, at_once: bool, output_tokens: int | None, closed: bool, **read: Any
) -> tuple[Trace, TraceReport]:
    """Read a trace; where it has no arrivals, a rate, a closed loop or all at once stand in for them.

    Raises
    ------
    InputError
        For a rate beside --at-once, and for what a file leaves open and no option says.
    """
    from aisim_model.traces import read_trace
    from aisim_model.traces.asked import Asked

    if rate is not None and at_once:
        raise InputError("rate", rate, "can't be given beside --at-once", "Leave one of them out.")
    arrivals: Literal["rate", "at_once"] | None = "at_once" if at_once else None if rate is None else "rate"
    try:
        return read_trace(path, asked=Asked(arrivals, rate, output_tokens), **read)
    except InputError as error:
        if error.field == "arrivals" and error.value == "missing":
            if closed:
                return read_trace(path, asked=Asked("closed", None, output_tokens), **read)
            said = "no column holds arrival times"
            remedy = "Say how they arrive: --rate, --concurrency or --at-once."
            raise InputError("arrivals", "missing", said, remedy) from error
        if error.field == "output_tokens" and error.value == "missing":
            problem = "no column holds output lengths"
            raise InputError("output_tokens", "missing", problem, "Add --output-tokens 256.") from error
        raise


def check_no_deployment(given: Mapping[str, Any]) -> None:
    """Refuse options of a deployment beside a scenario, which has deployments of its own."""
    for name, value in given.items():
        if value is not None:
            problem = "can't be given beside --scenario, whose rows say it"
            raise InputError(name, value, problem, "Change the scenario, or leave --scenario out.")
