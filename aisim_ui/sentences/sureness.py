"""How sure a plan is, in words: how far the estimate was off, and what other times would deploy."""

from __future__ import annotations

import math

from aisim_model.evidence.silicon.typical import TypicalError
from aisim_model.plan.sureness import FACTORS, Otherwise
from aisim_model.row.engine_error import EngineError
from aisim_model.row.spread_error import SpreadError
from aisim_ui.sentences.plan import formats, layout


def off_by(found: EngineError | None, spread: SpreadError | None) -> str:
    """Say how far the estimate under load was from replays: of means, and of p99."""
    if found is None or spread is None:
        return "So near to its capacity the estimate was not held against replays: replay it."
    ttft, itl = (
        f"{low:.2f} to {high:.2f}"
        for low, high in ((found.ttft_low, found.ttft_high), (found.itl_low, found.itl_high))
    )
    return (
        f"At such a load the estimate of mean TTFT was {ttft} times a replay at level engine, that of "
        f"mean ITL {itl} times, over a grid of prompts and outputs. p99 TTFT "
        f"was {spread.ttft_low:.2f} to {spread.ttft_high:.2f} times, p99 ITL {spread.itl_low:.2f} to "
        f"{spread.itl_high:.2f} times."
    )


def on_silicon(found: TypicalError) -> str:
    """Say how far the times of passes were off on silicon.

    Examples
    --------
    >>> on_silicon(TypicalError(0.123, 40, "this GPU"))
    'On silicon the roofline was off by 12% in time per output token, the median of 40 rows of this GPU.'
    """
    among = "all models and GPUs" if found.among == "all" else found.among
    return (
        f"On silicon the roofline was off by {found.error:.0%} in time per output token, the median of "
        f"{found.rows:,} rows of {among}."
    )


def otherwise(found: tuple[Otherwise, ...]) -> list[str]:
    """Say what would be deployed with other times of a pass, and within which factor the answer stays.

    Parameters
    ----------
    found : tuple of Otherwise
        Rival models, and faster or slower arithmetic and memory.
    """
    lines = []
    for name, said in (("mfu", "prefill (arithmetic)"), ("memory_efficiency", "decode (memory)")):
        shifted = sorted((one for one in found if one.model == name), key=lambda one: one.factor)
        if not shifted:
            continue
        low, high = (
            _stays([one for one in shifted if one.factor < 1.0][::-1]),
            _stays([one for one in shifted if one.factor > 1.0]),
        )
        changed = [one for one in shifted if not one.same]
        stays = f"stays the same with {said} {low:g} to {high:g} times as fast"
        if low == high:
            stays = f"changes with {said} {FACTORS[1]:g} or {FACTORS[2]:g} times as fast"
        line = f"The layout {stays}"
        if changed:
            nearest_one = min(changed, key=lambda one: abs(math.log(one.factor)))
            other = "none meets the targets" if nearest_one.row is None else layout(nearest_one.row)
            line += f"; at {nearest_one.factor:g} times: {other}"
        lines.append(f"{line}.")
    for one in found:
        if one.factor == 1.0:
            row = (
                "nothing: none meets the targets"
                if one.row is None
                else f"{layout(one.row)} ({formats(one.row)})"
            )
            lines.append(f"`{one.model}` would deploy {'the same' if one.same else row}.")
    return lines


def _stays(outward: list[Otherwise]) -> float:
    """Return how far out the layout stays the same."""
    reached = 1.0
    for one in outward:
        if not one.same:
            break
        reached = one.factor
    return reached
