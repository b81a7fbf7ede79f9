"""What an inverse question aims at: a time of one request on an idle system, and how long it may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import breakdown, handoff
from aisim_model.scenario import Workload


@dataclass(frozen=True)
class Target:
    """A time that has to be met.

    Parameters
    ----------
    measure : {"ttft", "handoff"}
        TTFT, or what the handoff adds between prefill and the decode worker's step.
    at_most_ms : float
        Longest time that meets the target [ms].

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment
    >>> split = resolve(Workload(), Deployment(id="a", name="a"))
    >>> bool(Target("handoff", 16.0).met(split)), bool(Target("handoff", 15.0).met(split))
    (True, False)
    """

    measure: Literal["ttft", "handoff"]
    at_most_ms: float

    def time_ms(self, x: ResolvedRow) -> Any:
        """Return the time that counts, NaN where none is known [ms]."""
        return breakdown(x).ttft_ms if self.measure == "ttft" else handoff(x).handoff_ms

    def met(self, x: ResolvedRow) -> Any:
        """Say whether the time is within the target; one that isn't known is not."""
        return self.time_ms(x) <= self.at_most_ms

    def waits_for_link(self, x: ResolvedRow) -> bool:
        """Say whether the time depends on the link at all."""
        return x.row.split and (self.measure == "handoff" or x.profile.first_token_from != "prefill")


def target_of(workload: Workload, handoff_budget_ms: float | None = None) -> Target:
    """Return the target of a workload: a budget given here, else the workload's own, else its SLO on TTFT.

    Examples
    --------
    >>> target_of(Workload()), target_of(Workload(), 20.0).measure
    (Target(measure='ttft', at_most_ms=2000.0), 'handoff')
    """
    budget_ms = workload.handoff_budget_ms if handoff_budget_ms is None else handoff_budget_ms
    if budget_ms is None:
        return Target("ttft", workload.ttft_slo_ms)
    return Target("handoff", budget_ms)
