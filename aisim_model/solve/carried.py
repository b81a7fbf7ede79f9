"""The most load that a row carries within both service levels, and how to divide its GPUs for more."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aisim_model.arrays import either, every, smaller
from aisim_model.row.closed_load import in_flight
from aisim_model.row.load import Service, under_load
from aisim_model.row.targets import met
from aisim_model.scenario import Workload

MOST_DIVISIONS = 64
HALVINGS, NEAR = 60, 1e-13
MOST_PER_S = 1e9
MOST_IN_FLIGHT = 1_000_000


def most_within(served: Service, workload: Workload) -> Any:
    """Most arrivals that a row carries with its targets met, by the estimate under load.

    Parameters
    ----------
    served : Service
        The row, from `aisim_model.row.load.service`; or many, stacked, which gives an array.
    workload : Workload
        For its service levels, as `aisim_model.row.targets.met` takes them.

    Returns
    -------
    float or array
        Requests a second; 0 where one request alone misses a service level, or the row doesn't fit.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.row.load import service
    >>> from aisim_model.scenario import Deployment
    >>> round(most_within(service(resolve(Workload(), Deployment(id="a", name="a")), 340), Workload()), 2)
    1.44
    """
    alone = met(served, under_load(served, 0.0), workload)
    if not np.any(alone):
        return either(alone, 0.0, 0.0)
    most = smaller(served.most_per_s, MOST_PER_S)
    if served.steps == 0.0 or every(
        served.step_ms(0.0) == 0.0
    ):  # nothing decodes: by the arrivals themselves
        carried = last_true(lambda rate: met(served, under_load(served, rate), workload), 0.0 * most, most)
        return either(alone, carried, 0.0)
    # by the sequences in decode, which rise with the arrivals and give them without another search
    full = served.full_batch
    batch = last_true(
        lambda b: met(served, under_load(served, served.arrivals_at(b), b), workload), 0.0 * full, full
    )
    return either(alone, smaller(served.arrivals_at(batch), served.most_per_s), 0.0)


def most_in_flight(served: Service, workload: Workload) -> int:
    """Most requests in flight with the targets met, by the estimate of a closed loop [-].

    Parameters
    ----------
    served, workload
        As in `most_within`; one row.

    Returns
    -------
    int
        0 where one request alone misses a service level, or the row doesn't fit.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.row.load import service
    >>> from aisim_model.scenario import Deployment
    >>> most_in_flight(service(resolve(Workload(), Deployment(id="a", name="a")), 340), Workload())
    8
    """
    return bisect_left(
        range(1, MOST_IN_FLIGHT + 1),
        True,
        key=lambda count: not met(served, in_flight(served, float(count)), workload),
    )


def last_true(holds: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Return the last place from `low` on where something holds, nearly exactly; `high` if it always does.

    Examples
    --------
    >>> round(last_true(lambda x: x * x <= 2.0, 0.0, 2.0), 12)
    1.414213562373
    """
    always, most = holds(high), high
    if every(always):
        return high
    for _ in range(HALVINGS):
        near = always | (high - low <= NEAR * high)
        if every(near):
            break
        middle = (low + high) / 2.0
        here = holds(middle)
        low, high = either(near | np.logical_not(here), low, middle), either(near | here, high, middle)
    return either(always, most, low)


@dataclass(frozen=True)
class Division:
    """A way to divide a row's GPUs into prefill and decode workers.

    Parameters
    ----------
    prefill_workers, decode_workers : int
        Workers of the row's TP [-].
    requests_per_s : float
        Most load within both service levels [requests/s].
    """

    prefill_workers: int
    decode_workers: int
    requests_per_s: float


def divisions(served: Service) -> Iterator[tuple[int, int]]:
    """Return the prefill and decode workers that use all of a split row's GPUs, few prefill workers first.

    GPUs of different kinds are divided as they are.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.row.load import service
    >>> from aisim_model.scenario import Deployment
    >>> row = Deployment(id="a", name="a", prefill_tp=2, decode_tp=4, prefill_workers=2, decode_workers=2)
    >>> list(divisions(service(resolve(Workload(), row), 340)))
    [(2, 2), (4, 1)]
    """
    row = served.x.row
    one, other = row.side("prefill"), row.side("decode")
    if one.gpu != other.gpu:  # GPUs of one kind never become the other's
        yield row.prefill_workers, row.decode_workers
        return
    for prefill in range(1, row.gpus // one.gpus + 1):
        decode, rest = divmod(row.gpus - prefill * one.gpus, other.gpus)
        if decode >= 1 and rest == 0:
            yield prefill, decode


def best_division(served: Service, workload: Workload) -> Division | None:
    """Divide a split row's GPUs so that they carry the most load within both service levels.

    Parameters
    ----------
    served : Service
        The row, from `aisim_model.row.load.service`.
    workload : Workload
        For its service levels.

    Returns
    -------
    Division or None
        The best one, of equals that with the fewest prefill workers; None where none meets both, and for an
        aggregated row. Of more than 64 ways every so many are tried, then those near the best.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.row.load import service
    >>> from aisim_model.scenario import Deployment
    >>> row = Deployment(id="a", name="a", prefill_workers=1, decode_workers=3)
    >>> found = best_division(service(resolve(Workload(), row), 340), Workload())
    >>> found.prefill_workers, found.decode_workers
    (3, 1)
    """
    if not served.x.row.split:
        return None
    ways = list(divisions(served))
    while ways:
        stride = math.ceil(len(ways) / MOST_DIVISIONS)
        index, best = _best_of(served, workload, ways, range(0, len(ways), stride))
        if stride == 1:
            return best if best.requests_per_s > 0 else None
        ways = ways[max(index - stride, 0) : index + stride + 1]
    return None


def _best_of(
    served: Service, workload: Workload, ways: list[tuple[int, int]], places: range
) -> tuple[int, Division]:
    """Return the place of the best division and what it carries; none carries more than where it is full."""
    row = served.x.row
    divided = {
        place: replace(
            served,
            prefill_workers=ways[place][0] * row.side("prefill").attention_dp,
            decode_workers=ways[place][1] * row.side("decode").attention_dp,
        )
        for place in places
    }
    found, best = places[0], -math.inf
    for place in sorted(places, key=lambda place: (-divided[place].most_per_s, place)):
        if divided[place].most_per_s < best:
            break
        carried = most_within(divided[place], workload)
        if carried > best or (carried == best and place < found):
            found, best = place, carried
    return found, Division(*ways[found], best)
