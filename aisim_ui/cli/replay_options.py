"""What `aisim replay` makes of its options: the settings of a replay, columns, and what goes together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aisim_model.errors import InputError

if TYPE_CHECKING:
    from aisim_model.replay import ReplayConfig
    from aisim_model.replay.times import PrefillTime

PREFILL_WAYS = "must be polynomial, fixed:MS or rate:TOK_S"
NEEDED_BY_SPLIT = ("bandwidth_gb_s", "kv_bytes_per_token")
ROLES = ("arrival", "input_tokens", "output_tokens", "hash_ids")


def config_of(given: Mapping[str, Any], prefill: str | None, decode_step_ms: float | None) -> ReplayConfig:
    """Return the settings of a replay from the options that were given; the others have its own defaults.

    Raises
    ------
    InputError, ValidationError
        For an option that is refused or missing.
    """
    from aisim_model.replay import ReplayConfig
    from aisim_model.replay.times import DecodeTime

    values = {name: value for name, value in given.items() if value is not None}
    if prefill is not None:
        values["prefill"] = prefill_time(prefill)
    if decode_step_ms is not None:
        if not (decode_step_ms >= 0 and math.isfinite(decode_step_ms)):
            problem = "must be a finite number of ms, 0 or more"
            raise InputError("decode_step_ms", decode_step_ms, problem, "Enter one such as 20.")
        values["decode"] = DecodeTime.fixed(decode_step_ms)
    config = ReplayConfig(**values)
    for name in () if config.aggregated else NEEDED_BY_SPLIT:
        if name not in values:
            option = name.replace("_", "-")
            raise InputError(name, None, "is needed where KV is handed over", f"Add --{option}.")
    return config


def prefill_time(text: str) -> PrefillTime:
    """Read ``polynomial``, ``fixed:MS`` or ``rate:TOK_S``.

    Examples
    --------
    >>> prefill_time("fixed:0").pass_ms(1000.0), prefill_time("rate:20000").pass_ms(1000.0)
    (0.0, 50.0)
    """
    from aisim_model.replay.times import PrefillTime

    way, colon, number = text.partition(":")
    if way == "polynomial" and not colon:
        return PrefillTime.polynomial()
    if way not in ("fixed", "rate") or not colon:
        raise InputError("prefill", text, PREFILL_WAYS, "Enter one such as fixed:100 or rate:20000.")
    value = _number(number)
    if value is None or value < 0 or (way == "rate" and value == 0):
        least = "above 0" if way == "rate" else "0 or more"
        problem = f"must have a finite number {least} after {way}:"
        raise InputError("prefill", text, problem, "Enter one such as fixed:100 or rate:20000.")
    return PrefillTime.rate(value) if way == "rate" else PrefillTime.fixed(value)


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


def check_no_deployment(given: Mapping[str, Any]) -> None:
    """Refuse options of a deployment beside a scenario, which has deployments of its own."""
    for name, value in given.items():
        if value is not None:
            problem = "can't be given beside --scenario, whose rows say it"
            raise InputError(name, value, problem, "Change the scenario, or leave --scenario out.")
