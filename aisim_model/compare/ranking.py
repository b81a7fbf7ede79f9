"""Which deployment first, and why: what fits, then what meets both service levels, then what costs least."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from aisim_model.compare.outcome import Outcome
from aisim_model.scenario import Workload

Reason = Literal["doesn't fit", "no delay", "overloaded", "misses", "carries nothing", "best", "meets"]


@dataclass(frozen=True)
class Rank:
    """A row's place.

    Parameters
    ----------
    row_id : str
        The row.
    place : int
        1 is first.
    reason : str
        What decides: ``meets`` and ``best`` meet both service levels, and are ordered by what they cost.
    ttft_over_ms, itl_over_ms : float
        By how much either service level is missed [ms]; below 0 is spare.
    price : float
        What orders rows that meet both: USD for a million output tokens of requests within them at the
        arrivals, or GPUs for such a request a second; without arrivals at the most load within them.
    priced : bool
        Whether the price is in USD: the prices of all rows are known.
    more_than_best : float
        The price over the first row's, less 1 [-].
    """

    row_id: str
    place: int
    reason: Reason
    ttft_over_ms: float
    itl_over_ms: float
    price: float
    priced: bool
    more_than_best: float


def missed_ms(one: Outcome, workload: Workload) -> tuple[float, float]:
    """Return by how much TTFT and inter-token latency are over their service levels [ms]; below 0 is spare.

    Each at its percentile at the workload's arrivals; without any, one request alone.
    """
    return one.reached.ttft_ms - workload.ttft_slo_ms, one.reached.itl_ms - workload.itl_slo_ms


def ranking(outcomes: tuple[Outcome, ...], workload: Workload) -> tuple[Rank, ...]:
    """Rank rows, in the order that they came in.

    Rows that fit and meet the targets come first, by the cost of a million output tokens of requests that do
    at the workload's arrivals; where a price is missing, by the GPUs of such a request. Then those that miss,
    the least missed first, then those that don't fit.

    Parameters
    ----------
    outcomes : tuple of Outcome
        As `aisim_model.compare.table.compare` returns them.
    workload : Workload
        For its service levels.

    Examples
    --------
    >>> from aisim_model.compare.table import compare
    >>> from aisim_model.scenario import Scenario
    >>> example = Scenario()
    >>> first = ranking(compare(example), example.workload)[0]
    >>> first.place, first.reason, round(first.price, 2)
    (1, 'best', 18.8)
    """
    priced = all(not math.isnan(one.cost.usd_per_hour) for one in outcomes)
    keys = [_key(one, workload, priced) for one in outcomes]
    order = sorted(range(len(outcomes)), key=lambda index: keys[index])
    least = _price(outcomes[order[0]], priced)
    places = {index: place for place, index in enumerate(order, start=1)}
    return tuple(_rank(one, workload, places[index], priced, least) for index, one in enumerate(outcomes))


def _rank(one: Outcome, workload: Workload, place: int, priced: bool, least: float) -> Rank:
    price, (ttft_over_ms, itl_over_ms) = _price(one, priced), missed_ms(one, workload)
    return Rank(
        row_id=one.row.id,
        place=place,
        reason=_reason(one, workload, place, price),
        ttft_over_ms=ttft_over_ms,
        itl_over_ms=itl_over_ms,
        price=price,
        priced=priced,
        more_than_best=price / least - 1.0 if 0 < least < math.inf else 0.0,
    )


def _reason(one: Outcome, workload: Workload, place: int, price: float) -> Reason:
    if one.memory.problem:
        return "doesn't fit"
    if one.sends_nothing:
        return "no delay"
    if one.load.overloaded:
        return "overloaded"
    if not one.reached.meets:
        return "misses"
    if math.isinf(price):
        return "carries nothing"
    return "best" if place == 1 else "meets"


def _key(one: Outcome, workload: Workload, priced: bool) -> tuple[int, float, float]:
    over = [max(0.0, missed) for missed in missed_ms(one, workload)]
    if one.memory.problem:
        return 3, 0.0, 0.0
    if math.isnan(sum(over)):
        return 2, 0.0, 0.0
    if not one.reached.meets:
        short = max(0.0, workload.slo_share - one.reached.share)
        return 1, over[0] / workload.ttft_slo_ms + over[1] / workload.itl_slo_ms + short, 0.0
    return 0, _price(one, priced), float(one.parts.ttft_ms)


def _price(one: Outcome, priced: bool) -> float:
    """Return what orders rows that meet both: cost of tokens, or GPUs for a request a second."""
    if priced:
        return one.usd_per_million_within_slos
    arrivals_per_s = one.load.arrivals_per_s
    good_per_s = arrivals_per_s * float(one.reached.share) if arrivals_per_s else one.most_per_s
    return one.row.gpus / good_per_s if good_per_s > 0 else math.inf
