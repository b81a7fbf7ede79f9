"""Time of one pass, from the numbers of `PrefillTime` and `DecodeTime`, rounded as the reference rounds."""

from __future__ import annotations

import math

from aisim_model.handoff import transfer_delay_ms
from aisim_model.replay.compiled import Records, compiled

transfer_ms = compiled(transfer_delay_ms)


@compiled
def whole_ns(duration_ms: float) -> float:
    """Round a duration to whole nanoseconds, half to even, as the engine keeps it; back in milliseconds.

    Examples
    --------
    >>> whole_ns(16.5166041)
    16.516604
    """
    seconds = duration_ms / 1000.0
    # in two halves of at most 27 bits each, whose products with 1e9 are exact: ties must be seen as such
    spread = 134217729.0 * seconds
    high = spread - (spread - seconds)
    coarse, fine = high * 1e9, (seconds - high) * 1e9
    whole = math.floor(coarse) + math.floor(fine)
    part = (coarse - math.floor(coarse)) + (fine - math.floor(fine))
    if part >= 1.0:
        whole, part = whole + 1, part - 1.0
    if part > 0.5 or (part == 0.5 and whole % 2 == 1):
        whole += 1
    return (whole // 1_000_000_000 + (whole % 1_000_000_000) / 1e9) * 1000.0


@compiled
def _read_table(settings: Records, tokens: float) -> float:
    """Read the measured times by straight lines, the last extrapolated; the first holds for less than it."""
    last = settings.points - 1
    if last == 0 or tokens <= settings.table_tokens[0]:
        return float(settings.table_ms[0])
    above = 1
    while above < last and settings.table_tokens[above] < tokens:
        above += 1
    run = settings.table_tokens[above] - settings.table_tokens[above - 1]
    slope = (settings.table_ms[above] - settings.table_ms[above - 1]) / run
    return float(settings.table_ms[above - 1] + slope * (tokens - settings.table_tokens[above - 1]))


@compiled
def prefill_ms(settings: Records, tokens: float, attended: float, context: float) -> float:
    """Time that the new prompt tokens of a pass take [ms].

    `tokens` as the engine counts them, `attended` the sum over prompts of (reached^2 - already there^2),
    `context` the sum of tokens reached.
    """
    if settings.points > 0:
        return whole_ns(_read_table(settings, tokens))
    spent = (
        settings.prefill_squared * (tokens * tokens) + settings.prefill_per_token * tokens
    ) + settings.prefill_constant
    spent += settings.prefill_attended * attended
    return whole_ns(max(spent, settings.prefill_floor + settings.prefill_floor_context * context))


@compiled
def decode_ms(settings: Records, sequences: float, context: float) -> float:
    """Time of one token for each of `sequences`, which hold `context` tokens together [ms]."""
    share = min(context / settings.pool_tokens, 1.0)
    spent = (
        settings.decode_share_squared * (share * share) + settings.decode_share * share
    ) + settings.decode_constant
    spent += settings.decode_per_sequence * sequences + settings.decode_per_context * context
    return whole_ns(max(spent, settings.decode_floor))
