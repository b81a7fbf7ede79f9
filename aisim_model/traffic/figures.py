"""The figures of a replay as plain values, as the command prints them and a study tabulates them."""

from __future__ import annotations

from typing import Any

from aisim_model.replay import ReplayResult
from aisim_model.replay.compiled import Floats
from aisim_model.replay.summary import summary
from aisim_model.replay.verdict import verdict
from aisim_model.units import MS_PER_S


def replay_figures(result: ReplayResult, offered_gb_s: float | None = None) -> dict[str, Any]:
    """Return load, percentiles and verdict of a replay.

    Parameters
    ----------
    result : ReplayResult
        A finished replay.
    offered_gb_s : float, optional
        What its links are asked to carry, where that isn't the bytes that its transfers are timed by [GB/s].

    Returns
    -------
    dict
        ``handoff_ms`` is from source held to activated, ``transfer_ms`` the wire alone; each of the times is
        a dict of mean, percentiles and largest [ms], or None where nothing is to be summarised. ``carried``
        says whether no resource is offered more than it can do; None where all requests arrive at once.

    Examples
    --------
    >>> import numpy as np
    >>> from aisim_model.replay import ReplayConfig, replay
    >>> from aisim_model.traces import Trace
    >>> trace = Trace(np.array([0.0, 1000.0]), np.array([100, 300]), np.array([2, 2]))
    >>> config = ReplayConfig(
    ...     prefill_workers=1, decode_workers=1, bandwidth_gb_s=1.0, kv_bytes_per_token=1_000_000
    ... )
    >>> found = replay_figures(replay(trace, config))
    >>> found["offered_gb_s"], round(found["transfer_ms"]["mean"]), found["bottleneck"]
    (0.4, 200, 'link')
    """
    told = verdict(result)
    return {
        "level": result.config.resolved_level,
        "offered_gb_s": told.offered_gb_s if offered_gb_s is None else offered_gb_s,
        "capacity_gb_s": told.capacity_gb_s,
        **{name: _summarised(values) for name, values in _times(result).items()},
        "completed": int(result.completed.sum()),
        "end_ms": result.end_ms,
        "prefill_utilisation": told.prefill_utilisation,
        "link_utilisation": told.link_utilisation,
        "decode_utilisation": told.decode_utilisation,
        "offered_load": told.offered_load,
        "carried": told.carried,
        "bottleneck": told.bottleneck,
        "slowest_wait_ms": told.slowest_wait_ms,
        "verdict": told.sentence,
    }


def within_slo(result: ReplayResult, ttft_slo_ms: float, itl_slo_ms: float) -> dict[str, float]:
    """Return how many requests meet both service levels, on TTFT and on mean inter-token latency.

    Parameters
    ----------
    result : ReplayResult
        A finished replay.
    ttft_slo_ms, itl_slo_ms : float
        Longest acceptable times [ms].

    Returns
    -------
    dict
        ``within_slo_share`` of all requests [-], of which the cancelled meet none, and
        ``goodput_requests_per_s`` from the first arrival to the last token [1/s].

    Examples
    --------
    >>> import numpy as np
    >>> from aisim_model.replay import ReplayConfig, replay
    >>> from aisim_model.passes import fixed, polynomial, rate
    >>> from aisim_model.traces import Trace
    >>> trace = Trace(np.array([0.0, 0.0]), np.array([100, 300]), np.array([1, 1]))
    >>> config = ReplayConfig(aggregated_workers=2, prefill=rate(1000))
    >>> within_slo(replay(trace, config), 200.0, 25.0)
    {'within_slo_share': 0.5, 'goodput_requests_per_s': 3.3333333333333335}
    """
    steady = ~(result.column("itl_ms") > itl_slo_ms)  # one token has no gap to be late
    met = int((result.completed & (result.column("ttft_ms") <= ttft_slo_ms) & steady).sum())
    spent_s = result.end_ms / MS_PER_S
    return {
        "within_slo_share": met / len(result),
        "goodput_requests_per_s": met / spent_s if spent_s > 0.0 else 0.0,
    }


def _times(result: ReplayResult) -> dict[str, Floats | None]:
    split = not result.config.aggregated
    return {
        "handoff_ms": result.column("handoff_ms") if split else None,
        "transfer_ms": result.column("wire_end_ms") - result.column("link_start_ms") if split else None,
        "ttft_ms": result.column("ttft_ms"),
        "itl_ms": result.column("itl_ms"),
    }


def _summarised(values: Floats | None) -> dict[str, float] | None:
    found = None if values is None else summary(values)
    return None if found is None else found.model_dump()
