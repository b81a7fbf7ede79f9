"""The figures of a replay, typed: load, times, use, and what the slowest requests waited for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aisim_model.replay import ReplayResult
from aisim_model.replay.compiled import Floats
from aisim_model.replay.summary import Summary, summary
from aisim_model.replay.verdict import Verdict, verdict
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
    verdict : Verdict
        Load, use, and what the slowest requests waited for.
    handoff_ms, transfer_ms, ttft_ms, itl_ms : Summary or None
        Of all requests [ms]: from source held to activated, the wire alone, to the first token, mean time
        between tokens. None where nothing is to be summarised.
    completed : int
        Requests that ran to their end [-].
    end_ms : float
        When the last token left [ms].
    within_slos : WithinSlos or None
        Of the service levels of a workload, where there is one.
    """

    level: str
    verdict: Verdict
    handoff_ms: Summary | None
    transfer_ms: Summary | None
    ttft_ms: Summary | None
    itl_ms: Summary | None
    completed: int
    end_ms: float
    within_slos: WithinSlos | None = None

    def record(self) -> dict[str, Any]:
        """Return the figures as values of Python's own, by name; each summary is a dict."""
        own = {name: value for name, value in vars(self).items() if name not in ("verdict", "within_slos")}
        values = {k: v.model_dump() if isinstance(v, Summary) else v for k, v in own.items()}
        return values | self.verdict.model_dump() | (vars(self.within_slos) if self.within_slos else {})


def replay_figures(result: ReplayResult, within_slos: WithinSlos | None = None) -> ReplayFigures:
    """Return load, percentiles and bottleneck of a replay.

    Parameters
    ----------
    result : ReplayResult
        A finished replay.
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
    >>> found.verdict.offered_gb_s, round(found.transfer_ms.mean), found.verdict.bottleneck
    (0.4, 200, 'link')
    """
    return ReplayFigures(
        level=result.config.resolved_level,
        verdict=verdict(result),
        **{name: None if values is None else summary(values) for name, values in _times(result).items()},
        completed=int(result.completed.sum()),
        end_ms=result.end_ms,
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
    >>> from aisim_model.passes import fixed, polynomial, rate
    >>> from aisim_model.traces import Trace
    >>> trace = Trace(np.array([0.0, 0.0]), np.array([100, 300]), np.array([1, 1]))
    >>> config = ReplayConfig(aggregated_workers=2, prefill=rate(1000))
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
