"""Time of a transfer and of a pass in compiled code: the functions of the estimate, in whole nanoseconds."""

from __future__ import annotations

import math

from aisim_model.handoff import transfer_delay_ms
from aisim_model.passes import registry as passes
from aisim_model.replay.compiled import Records, compiled

transfer_ms = compiled(transfer_delay_ms)
for formula in (*passes.FORMULAS, passes.pass_ms):
    compiled(formula)


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
def pass_ms(
    settings: Records,
    prompts: int,
    tokens: float,
    attended: float,
    cached: float,
    resumed: float,
    sequences: float,
    context: float,
) -> float:
    """Time of a pass [ms]: its prompts and its sequences in one call, or one after the other.

    `prompts` is how many it has, `tokens` their new tokens as the engine counts them; the others are those of
    `passes.PassWork`.
    """
    if settings.mixes:
        kind, numbers = settings.decode_kind, settings.decode_numbers
        spent = passes.pass_ms(
            kind, numbers, prompts > 0, tokens, attended, cached, resumed, sequences, context
        )
        return whole_ns(float(spent))
    end = 0.0
    if prompts > 0:
        kind, numbers = settings.prefill_kind, settings.prefill_numbers
        alone = passes.pass_ms(kind, numbers, True, tokens, attended, cached, resumed, 0.0, 0.0)
        end += whole_ns(float(alone))
    if sequences > 0.0:
        end += step_ms(settings, sequences, context)
    return end


@compiled
def step_ms(settings: Records, sequences: float, context: float) -> float:
    """Time of one token for each of `sequences`, which hold `context` tokens together [ms]."""
    kind, numbers = settings.decode_kind, settings.decode_numbers
    return whole_ns(float(passes.pass_ms(kind, numbers, False, 0.0, 0.0, 0.0, 0.0, sequences, context)))
