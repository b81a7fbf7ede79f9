"""Does a load meet the targets: TTFT and ITL, each at its percentile, and the share of requests with both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aisim_model.row.load import Load
from aisim_model.row.service import Service
from aisim_model.row.spread import Spread, spread
from aisim_model.scenario import Workload
from aisim_model.scenario.workload import Percentile


@dataclass(frozen=True)
class Reached:
    """What a row reaches of its targets at a load; floats, or arrays of one a row.

    Parameters
    ----------
    ttft_ms, itl_ms : float or array
        What counts of each: the mean, or its percentile [ms].
    share : float or array
        Of requests that meet both [-].
    meets : bool or array
        Whether all targets are met.
    """

    ttft_ms: Any
    itl_ms: Any
    share: Any
    meets: Any


def share_of(percentile: Percentile) -> float:
    """Return the share of requests that a percentile is about [-].

    Examples
    --------
    >>> share_of("p95")
    0.95
    """
    return int(percentile[1:]) / 100.0


def met(served: Service, load: Load, workload: Workload) -> Any:
    """Say whether a load meets every target of a workload.

    Parameters
    ----------
    served : Service
        The row, or many of them stacked.
    load : Load
        The estimate, from `under_load`.
    workload : Workload
        For its service levels: each on the mean or a percentile, and the share of requests with both.

    Examples
    --------
    >>> from aisim_model.row.load import service, under_load
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment
    >>> served = service(resolve(Workload(), Deployment(id="a", name="a")), 340)
    >>> [met(served, under_load(served, rate), Workload()) for rate in (1.0, 3.0)]
    [True, False]
    >>> met(served, under_load(served, 1.4), Workload()), met(
    ...     served, under_load(served, 1.4), Workload(ttft_percentile="p99")
    ... )
    (True, False)
    """
    with np.errstate(invalid="ignore"):  # what isn't known meets nothing
        if workload.slo_share == 0.0 and workload.ttft_percentile == workload.itl_percentile == "mean":
            return (load.ttft_ms <= workload.ttft_slo_ms) & (load.itl_ms <= workload.itl_slo_ms)
        return _met(spread(served, load), workload)


def _met(found: Spread, workload: Workload) -> Any:
    ttft_slo_ms, itl_slo_ms = workload.ttft_slo_ms, workload.itl_slo_ms
    if workload.ttft_percentile == "mean":
        prompt = found.ttft_ms <= ttft_slo_ms
    else:
        prompt = found.ttft_within(ttft_slo_ms) >= share_of(workload.ttft_percentile)
    if workload.itl_percentile == "mean":
        steady = found.itl_ms <= itl_slo_ms
    else:
        steady = found.itl_within(itl_slo_ms) >= share_of(workload.itl_percentile)
    both = prompt & steady
    if workload.slo_share > 0.0:
        both = both & (found.both_within(ttft_slo_ms, itl_slo_ms) >= workload.slo_share)
    return both


def reached(served: Service, load: Load, workload: Workload) -> Reached:
    """Return what a row reaches of its targets at a load.

    Parameters
    ----------
    served, load, workload
        As in `met`.

    Examples
    --------
    >>> from aisim_model.row.load import service, under_load
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment
    >>> served = service(resolve(Workload(), Deployment(id="a", name="a")), 340)
    >>> found = reached(served, under_load(served, 1.4), Workload(ttft_percentile="p99"))
    >>> round(found.ttft_ms, -2), round(found.share, 2), found.meets
    (6800.0, 0.67, False)
    """
    found = spread(served, load)
    ttft, itl = workload.ttft_percentile, workload.itl_percentile
    return Reached(
        ttft_ms=found.ttft_ms if ttft == "mean" else found.ttft_at(share_of(ttft)),
        itl_ms=found.itl_ms if itl == "mean" else found.itl_at(share_of(itl)),
        share=found.both_within(workload.ttft_slo_ms, workload.itl_slo_ms),
        meets=met(served, load, workload),
    )
