"""A scenario's deployments side by side: one tidy row a deployment, with units in the names."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace

import pandas as pd

from aisim_model.capacity import Capacity, capacity
from aisim_model.inputs import Inputs, resolve
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.solve import bandwidth_for_ttft
from aisim_model.ttft import (
    TtftBreakdown,
    breakdown,
    decode_step_ms,
    handoff,
    second_token_ms,
    sent_tokens,
    transfer_ms,
    wire_bytes,
)


@dataclass(frozen=True)
class Outcome:
    """What the model says of one row.

    Parameters
    ----------
    x : Inputs
        The resolved row.
    parts : TtftBreakdown
        Parts of the TTFT [ms].
    after_prefill : TtftBreakdown
        What lies between prefill and the decode worker's first token, whichever is shown first [ms].
    sent_tokens, wire_bytes, transfer_ms, itl_ms, second_token_ms : float
        Tokens and bytes on the link [-, B], time on it with nothing overlapped, one decode step, and the time
        to the second token [ms].
    slowest_handoff_ms : float or None
        The handoff at the lowest bandwidth that was measured on the link [ms]; None where none was.
    needed_gb_s : float
        Bandwidth at which TTFT just meets its SLO [GB/s]; 0 where any does, infinite where none does.
    capacity : Capacity
        Requests a second by resource.
    """

    x: Inputs
    parts: TtftBreakdown
    after_prefill: TtftBreakdown
    sent_tokens: float
    wire_bytes: float
    transfer_ms: float
    itl_ms: float
    second_token_ms: float
    slowest_handoff_ms: float | None
    needed_gb_s: float
    capacity: Capacity

    @property
    def row(self) -> Deployment:
        """The row itself."""
        return self.x.row

    @property
    def handoff_ms(self) -> float:
        """What the handoff adds between prefill and the decode worker's step [ms]."""
        return float(self.after_prefill.handoff_ms)

    @property
    def handoff_share(self) -> float:
        """Share of TTFT that the handoff is [-]."""
        ttft_ms = float(self.parts.ttft_ms)
        return float(self.parts.handoff_ms) / ttft_ms if ttft_ms > 0 else 0.0

    @property
    def no_delay_reason(self) -> str | None:
        """Why no delay is known, where none is."""
        if self.row.split and math.isnan(self.transfer_ms):
            return f"bandwidth is {self.x.bandwidth_gb_s:g} GB/s: nothing is sent"
        return None


def outcome(workload: Workload, row: Deployment) -> Outcome:
    """Model one row.

    Parameters
    ----------
    workload : Workload
        What is asked.
    row : Deployment
        The row.

    Examples
    --------
    >>> found = outcome(Workload(), Deployment(id="a", name="Split"))
    >>> int(found.wire_bytes), round(found.handoff_ms, 2)
    (3145728000, 15.73)
    """
    x = resolve(workload, row)
    parts = breakdown(x)
    low = x.measured_low_gb_s
    return Outcome(
        x=x,
        parts=parts,
        after_prefill=handoff(x),
        sent_tokens=float(sent_tokens(x)),
        wire_bytes=float(wire_bytes(x)),
        transfer_ms=float(transfer_ms(x)),
        itl_ms=float(decode_step_ms(x)),
        second_token_ms=float(second_token_ms(x)),
        slowest_handoff_ms=None if low is None else float(handoff(replace(x, bandwidth_gb_s=low)).handoff_ms),
        needed_gb_s=bandwidth_for_ttft(x, workload.ttft_slo_ms),
        capacity=capacity(x, workload.itl_slo_ms, workload.output_tokens),
    )


def compare(scenario: Scenario) -> tuple[Outcome, ...]:
    """Model every row of a scenario, in its order."""
    return tuple(outcome(scenario.workload, row) for row in scenario.deployments)


def table(scenario: Scenario, outcomes: tuple[Outcome, ...]) -> pd.DataFrame:
    """Lay outcomes out as a tidy table, one row a deployment; what is not known is empty.

    Parameters
    ----------
    scenario : Scenario
        For its service levels and baseline.
    outcomes : tuple of Outcome
        As `compare` returns them.

    Examples
    --------
    >>> example = Scenario()
    >>> found = table(example, compare(example))
    >>> found.loc[found["deployment"] == "Split, 400G NIC per GPU", "wire_bytes"].item()
    3145728000.0
    """
    slo = scenario.workload
    base = next(one for one in outcomes if one.row.id == scenario.baseline_id)
    rows = [
        {
            "deployment_id": one.row.id,
            "deployment": one.row.name,
            "kind": one.row.kind,
            "gpus": one.row.gpus,
            "sent_tokens": one.sent_tokens,
            "wire_bytes": one.wire_bytes,
            "bandwidth_gb_s": float(one.x.bandwidth_gb_s) if one.row.split else math.nan,
            "needed_gb_s": one.needed_gb_s,
            **asdict(one.parts),
            "ttft_ms": one.parts.ttft_ms,
            "ttft_difference_ms": one.parts.ttft_ms - base.parts.ttft_ms,
            "handoff_ms": one.handoff_ms,
            "slowest_handoff_ms": math.nan if one.slowest_handoff_ms is None else one.slowest_handoff_ms,
            "handoff_share": one.handoff_share,
            "itl_ms": one.itl_ms,
            "second_token_ms": one.second_token_ms,
            "meets_ttft_slo": bool(one.parts.ttft_ms <= slo.ttft_slo_ms),
            "meets_itl_slo": bool(one.itl_ms <= slo.itl_slo_ms),
            "carries_requests_per_s": one.capacity.requests_per_s,
            "busiest": one.capacity.busiest,
        }
        for one in outcomes
    ]
    return pd.DataFrame(rows)
