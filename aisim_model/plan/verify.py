"""Layouts replayed request by request: does what the estimate says hold on the traffic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass

from aisim_model.plan.search import Candidate, Plan
from aisim_model.replay import Progress
from aisim_model.scenario import Deployment, Scenario
from aisim_model.traces.trace import Trace
from aisim_model.traffic.equal_requests import equal_requests
from aisim_model.traffic.figures import ReplayFigures
from aisim_model.traffic.scenario_replay import row_outcome

REQUESTS, SEED = 2000, 0


@dataclass(frozen=True)
class Verified:
    """A layout, estimated and replayed.

    Parameters
    ----------
    candidate : Candidate
        The layout, and what the estimate says of it.
    figures : ReplayFigures or None
        What a replay at level ``engine`` found; None where the traffic can't be replayed on it.
    refused : str or None
        Why not.
    """

    candidate: Candidate
    figures: ReplayFigures | None
    refused: str | None = None

    @property
    def row(self) -> Deployment:
        """The layout as a row."""
        return self.candidate.row

    @property
    def share(self) -> float:
        """Requests that meet both service levels, of all that were replayed [-]; 0 where none was."""
        if self.figures is None or self.figures.within_slos is None:
            return 0.0
        return self.figures.within_slos.within_slo_share


def verify(
    plan: Plan,
    trace: Trace | None = None,
    count: int = 12,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Iterator[Verified]:
    """Replay the best layouts of a plan, in the order of the estimate.

    Parameters
    ----------
    plan : Plan
        From `recommend`.
    trace : Trace, optional
        The traffic; 2,000 requests like the workload's, arriving at random, where left out.
    count : int
        How many layouts [-].
    progress : Progress, optional
        To watch and stop a replay from another thread.
    executor : Executor, optional
        What the replays are shared over.

    Examples
    --------
    >>> from aisim_model.plan import recommend, space_of
    >>> space = space_of(Scenario(), 2, locks={"prefill_tp": 1, "decode_tp": 1, "weight_format": "fp8"})
    >>> found = reranked(verify(recommend(space), count=2))
    >>> [one.row.name for one in found]
    ['Split 1 x TP1 + 1 x TP1', 'Split 1 x TP1 + 1 x TP1']
    """
    asked = [(plan.scenario, one, trace) for one in plan.ranked[:count]]
    if executor is not None:
        yield from (future.result() for future in [executor.submit(replayed, *each) for each in asked])
        return
    for scenario, candidate, given in asked:
        yield replayed(scenario, candidate, given, progress)


def replayed(
    scenario: Scenario, candidate: Candidate, trace: Trace | None, progress: Progress | None = None
) -> Verified:
    """Replay the traffic on one layout, at level ``engine`` with transfers that share their links."""
    if trace is None:
        trace = equal_requests(scenario.workload, candidate.arrivals_per_s, REQUESTS, SEED)
    in_flight = scenario.workload.requests_in_flight or None
    traffic = scenario.traffic.changed(level="engine", contention="fair", concurrency=in_flight)
    found = row_outcome(scenario.changed(traffic=traffic), candidate.row, trace, progress)
    return Verified(candidate, found.figures, found.refused)


def reranked(found: Iterable[Verified]) -> tuple[Verified, ...]:
    """Return layouts by the share of requests that meet both when replayed, equals as they came."""
    return tuple(sorted(found, key=lambda one: -one.share))
