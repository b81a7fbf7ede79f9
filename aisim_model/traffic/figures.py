"""The figures of a replay, typed: load, times, use, and what the slowest requests waited for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from aisim_model.replay import ReplayResult
from aisim_model.replay.compiled import Floats
from aisim_model.replay.summary import Summary, summary
from aisim_model.replay.verdict import verdict
from aisim_model.units import MS_PER_S


@dataclass(frozen=True)
class WithinSlos:
    """How many requests meet both service levels, on TTFT and on mean inter-token latency.

    Parameters
    ----------
    within_slo_share : float
        Of all requests [-], of which the cancelled meet none.
    goodput_requests_per_s : float
        Those that do, from the first arrival to the last token [requests/s].
    """

    within_slo_share: float
    goodput_requests_per_s: float


@dataclass(frozen=True)
class ReplayFigures:
    """What a replay found.

    Parameters
    ----------
    level : {"fifo", "engine"}
        How workers ran.
    offered_gb_s, capacity_gb_s : float or None
        What the links are asked to carry while requests arrive, and what they can [GB/s].
    handoff_ms, transfer_ms, ttft_ms, itl_ms : Summary or None
        Of all requests [ms]: from source held to activated, the wire alone, to the first token, mean time
        between tokens. None where nothing is to be summarised.
    completed : int
        Requests that ran to their end [-].
    end_ms : float
        When the last token left [ms].
    prefill_utilisation, link_utilisation, decode_utilisation : float or None
        Share of the replay's time that the resource was busy [-]; None where there is none of it.
    offered_load : mapping of str to float
        What each resource is asked for over what it can do [-].
    carried : bool or None
        Whether no resource is offered more than it can do; None where all requests arrive at once.
    bottleneck : str
        As of `Verdict`.
    slowest_wait_ms : mapping of str to float
        Mean of each part of the TTFT over the slowest hundredth of requests [ms].
    within_slos : WithinSlos or None
        Of the service levels of a workload, where there is one.
    """

    level: str
    offered_gb_s: float | None
    capacity_gb_s: float | None
    handoff_ms: Summary | None
    transfer_ms: Summary | None
    ttft_ms: Summary | None
    itl_ms: Summary | None
    completed: int
    end_ms: float
    prefill_utilisation: float | None
    link_utilisation: float | None
    decode_utilisation: float | None
    offered_load: Mapping[str, float]
    carried: bool | None
    bottleneck: str
    slowest_wait_ms: Mapping[str, float]
    within_slos: WithinSlos | None = None

    def record(self) -> dict[str, Any]:
        """Return the figures as plain values, each group a dict of its own."""
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "within_slos"}
        values = {k: v.model_dump() if isinstance(v, Summary) else v for k, v in found.items()}
        return values | (vars(self.within_slos) if self.within_slos else {})


def replay_figures(
    result: ReplayResult, offered_gb_s: float | None = None, within_slos: WithinSlos | None = None
) -> ReplayFigures:
    """Return load, percentiles and bottleneck of a replay.

    Parameters
    ----------
    result : ReplayResult
        A finished replay.
    offered_gb_s : float, optional
        What its links are asked to carry, where that isn't the bytes that its transfers are timed by [GB/s].
    within_slos : WithinSlos, optional
        As of `within_slos`.

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
    >>> found.offered_gb_s, round(found.transfer_ms.mean), found.bottleneck
    (0.4, 200, 'link')
    """
    told = verdict(result)
    return ReplayFigures(
        level=result.config.resolved_level,
        offered_gb_s=told.offered_gb_s if offered_gb_s is None else offered_gb_s,
        capacity_gb_s=told.capacity_gb_s,
        **{name: None if values is None else summary(values) for name, values in _times(result).items()},
        completed=int(result.completed.sum()),
        end_ms=result.end_ms,
        prefill_utilisation=told.prefill_utilisation,
        link_utilisation=told.link_utilisation,
        decode_utilisation=told.decode_utilisation,
        offered_load=told.offered_load,
        carried=told.carried,
        bottleneck=told.bottleneck,
        slowest_wait_ms=told.slowest_wait_ms,
        within_slos=within_slos,
    )


def within_slos(result: ReplayResult, ttft_slo_ms: float, itl_slo_ms: float) -> WithinSlos:
    """Count how many requests meet both service levels.

    Parameters
    ----------
    result : ReplayResult
        A finished replay.
    ttft_slo_ms, itl_slo_ms : float
        Longest acceptable times [ms].

    Examples
    --------
    >>> import numpy as np
    >>> from aisim_model.replay import ReplayConfig, replay
    >>> from aisim_model.replay.times import PrefillTime
    >>> from aisim_model.traces import Trace
    >>> trace = Trace(np.array([0.0, 0.0]), np.array([100, 300]), np.array([1, 1]))
    >>> config = ReplayConfig(aggregated_workers=2, prefill=PrefillTime.rate(1000))
    >>> within_slos(replay(trace, config), 200.0, 25.0)
    WithinSlos(within_slo_share=0.5, goodput_requests_per_s=3.3333333333333335)
    """
    steady = ~(result.column("itl_ms") > itl_slo_ms)  # one token has no gap to be late
    met = int((result.completed & (result.column("ttft_ms") <= ttft_slo_ms) & steady).sum())
    spent_s = result.end_ms / MS_PER_S
    return WithinSlos(met / len(result), met / spent_s if spent_s > 0.0 else 0.0)


def _times(result: ReplayResult) -> dict[str, Floats | None]:
    split = not result.config.aggregated
    return {
        "handoff_ms": result.column("handoff_ms") if split else None,
        "transfer_ms": result.column("wire_end_ms") - result.column("link_start_ms") if split else None,
        "ttft_ms": result.column("ttft_ms"),
        "itl_ms": result.column("itl_ms"),
    }
