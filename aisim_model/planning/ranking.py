"""Which deployment first, and why: what fits, then what meets both service levels, then what costs least."""

from __future__ import annotations

import math
from dataclasses import dataclass

from aisim_model.outcome import Outcome
from aisim_model.scenario import Workload


@dataclass(frozen=True)
class Rank:
    """A row's place.

    Parameters
    ----------
    row_id : str
        The row.
    place : int
        1 is first.
    why : str
        The reason, a sentence made from the numbers.
    """

    row_id: str
    place: int
    why: str


def missed_ms(one: Outcome, workload: Workload) -> tuple[float, float]:
    """Return by how much TTFT and inter-token latency are over their service levels [ms]; below 0 is spare.

    With arrivals in the workload it is the estimate under load that counts, else one request alone.
    """
    loaded = workload.arrivals_per_s > 0
    ttft_ms = one.load.ttft_ms if loaded else float(one.parts.ttft_ms)
    itl_ms = one.load.itl_ms if loaded else one.itl_ms
    return ttft_ms - workload.ttft_slo_ms, itl_ms - workload.itl_slo_ms


def ranking(outcomes: tuple[Outcome, ...], workload: Workload) -> tuple[Rank, ...]:
    """Rank rows, in the order that they came in.

    Rows that fit and meet both service levels come first, by the cost of a million tokens of answers; where a
    price is missing, by the load that a GPU carries. Then those that miss, the least missed first, then those
    that don't fit.

    Parameters
    ----------
    outcomes : tuple of Outcome
        As `aisim_model.compare.compare` returns them.
    workload : Workload
        For its service levels.

    Examples
    --------
    >>> from aisim_model.compare import compare
    >>> from aisim_model.scenario import Scenario
    >>> example = Scenario()
    >>> ranking(compare(example), example.workload)[0].why
    'meets both SLOs; carries most a dollar: 14.63 USD for a million tokens of answers'
    """
    priced = all(not math.isnan(one.cost.usd_per_hour) for one in outcomes)
    keys = [_key(one, workload, priced) for one in outcomes]
    order = sorted(range(len(outcomes)), key=lambda index: keys[index])
    best = outcomes[order[0]]
    places = {index: place for place, index in enumerate(order, start=1)}
    return tuple(
        Rank(one.row.id, places[index], _why(one, best, workload, priced))
        for index, one in enumerate(outcomes)
    )


def _key(one: Outcome, workload: Workload, priced: bool) -> tuple[int, float, float]:
    over = [max(0.0, missed) for missed in missed_ms(one, workload)]
    if one.memory.problem:
        return 3, 0.0, 0.0
    if math.isnan(sum(over)):
        return 2, 0.0, 0.0
    if any(over):
        return 1, over[0] / workload.ttft_slo_ms + over[1] / workload.itl_slo_ms, 0.0
    return 0, _price(one, priced), float(one.parts.ttft_ms)


def _price(one: Outcome, priced: bool) -> float:
    """Return what orders rows that meet both: cost of tokens, or GPUs for a request a second."""
    if priced:
        return one.cost.usd_per_million_output_tokens
    return one.row.gpus / one.most_per_s if one.most_per_s > 0 else math.inf


def _why(one: Outcome, best: Outcome, workload: Workload, priced: bool) -> str:
    if one.memory.problem:
        return f"doesn't fit: {one.memory.problem}"
    if one.no_delay_reason:
        return f"has no TTFT: {one.no_delay_reason}"
    if one.load.overloaded:
        return f"is overloaded at {workload.arrivals_per_s:g} requests/s: {one.load.bottleneck} can't keep up"
    missed = [
        f"misses the SLO on {name} by {over:,.3g} ms"
        for name, over in zip(("TTFT", "inter-token latency"), missed_ms(one, workload), strict=True)
        if over > 0
    ]
    if missed:
        return " and ".join(missed)
    price, least = _price(one, priced), _price(best, priced)
    if math.isinf(price):
        return "meets both SLOs with one request alone; carries no load within them"
    amount = (
        f"{price:,.2f} USD for a million tokens of answers" if priced else f"{price:,.2f} GPUs a request/s"
    )
    if one is best:
        return f"meets both SLOs; carries most a {'dollar' if priced else 'GPU'}: {amount}"
    more = f", {price / least - 1:.0%} more than {best.row.name}" if 0 < least < price / 1.005 else ""
    return f"meets both SLOs; {amount}{more}"
