"""What changing one thing of a layout adds, in words, and what to buy first."""

from __future__ import annotations

import math
from types import MappingProxyType

from aisim_model.plan.next_dollar import Change, first_bought
from aisim_ui.words import significant

CHANGES = MappingProxyType(
    {
        "worker": "one worker more",
        "prefill_worker": "one prefill worker more",
        "decode_worker": "one decode worker more",
        "nics": "twice the NICs",
        "fp8_kv": "the KV cache in fp8",
        "pass_budget": "a pass budget twice as large",
        "prefix_routing": "prompts sent to the worker that holds their prefix",
    }
)


def next_dollar(changes: tuple[Change, ...]) -> str:
    """Say what to change next, and what to buy."""
    if changes and not any(one.carries_per_s for one in changes):
        if (nearest := next((one for one in changes if one.worth), None)) is None:
            return "No single change brings any load within the targets, nor nearer to them."
        what = CHANGES[nearest.name]
        return f"No single change brings any load within the targets; {what} comes nearest to them."
    free = [one for one in changes if one.worth and not one.bought]
    said = []
    if free:
        said.append(
            f"At no cost: {CHANGES[free[0].name]} adds {significant(free[0].gained_per_s, 2)} requests/s."
        )
    if (bought := first_bought(changes)) is None:
        return " ".join([*said, "Nothing that is bought adds as much as a hundredth: not worth it."])
    price = "" if math.isnan(bought.usd_per_hour) else f" for {significant(bought.usd_per_hour)} USD an hour"
    gained = significant(bought.gained_per_s, 2)
    return " ".join([*said, f"Buy {CHANGES[bought.name]} first: it adds {gained} requests/s{price}."])


def change(one: Change) -> str:
    """Say what a change adds.

    Examples
    --------
    >>> from aisim_model.plan.next_dollar import next_changes
    >>> from aisim_model.scenario import Deployment, Workload
    >>> [change(one) for one in next_changes(Workload(), Deployment(id="a", name="a"))][0]
    'one prefill worker more: +1.7 requests/s'
    """
    gained = f"{'+' if one.gained_per_s > 0 else ''}{significant(one.gained_per_s, 2)} requests/s"
    return f"{CHANGES[one.name]}: {gained}" + ("" if one.worth else ", not worth it")
