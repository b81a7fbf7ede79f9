"""A scenario's deployments side by side: one tidy row a deployment, with units in the names."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pandas as pd

from aisim_model.capacity import Capacity, capacity
from aisim_model.cost import Cost, cost
from aisim_model.inputs import Inputs, resolve
from aisim_model.load import Load, service, under_load
from aisim_model.memory import RowMemory, row_memory
from aisim_model.ranking import ranking
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.solve import bandwidth_for_ttft, most_within, within
from aisim_model.ttft import (
    TtftBreakdown,
    breakdown,
    decode_step_ms,
    handoff,
    prefill_extrapolated,
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
    memory : RowMemory
        What its workers hold, and whether it fits.
    load : Load
        The estimate at the workload's arrivals.
    most_per_s : float
        Most load within both service levels [requests/s].
    cost : Cost
        Its price, by the hour and by the token at that load.
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
    memory: RowMemory
    load: Load
    most_per_s: float
    cost: Cost

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


@lru_cache(maxsize=512)
def outcome(workload: Workload, row: Deployment) -> Outcome:
    """Model one row; what was asked before is remembered.

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
    served = service(x, workload.output_tokens)
    most_per_s = most_within(served, workload)
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
        memory=row_memory(x, workload.output_tokens),
        load=under_load(served, workload.arrivals_per_s),
        most_per_s=most_per_s,
        cost=cost(x, most_per_s, workload.output_tokens),
    )


def compare(scenario: Scenario) -> tuple[Outcome, ...]:
    """Model every row of a scenario, in its order."""
    return tuple(outcome(scenario.workload, row) for row in scenario.deployments)


def table(scenario: Scenario, outcomes: tuple[Outcome, ...]) -> pd.DataFrame:
    """Lay outcomes out as a tidy table, one row a deployment; what is not known is empty.

    A row that doesn't fit has no times: `fit_problem` says why. Columns with `loaded` in their name and the
    utilisations are estimates of means at the workload's arrivals.

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
    base = next(one for one in outcomes if one.row.id == scenario.baseline_id)
    base_ms = math.nan if base.memory.problem else float(base.parts.ttft_ms)
    ranks = ranking(outcomes, scenario.workload)
    rows = [
        {**_record(one, scenario.workload, base_ms), "rank": rank.place, "why": rank.why}
        for one, rank in zip(outcomes, ranks, strict=True)
    ]
    return pd.DataFrame({name: [row[name] for row in rows] for name in rows[0]})


def _record(one: Outcome, slo: Workload, base_ms: float) -> dict[str, Any]:
    """Return one row of the table."""
    row, ttft_ms, load = one.row, float(one.parts.ttft_ms), one.load
    fits = one.memory.problem is None
    prefill, decode = one.memory.workers[0], one.memory.workers[-1]
    times = {
        **vars(one.parts),
        "ttft_ms": ttft_ms,
        "ttft_difference_ms": ttft_ms - base_ms,
        "ttft_over_slo_ms": ttft_ms - slo.ttft_slo_ms,
        "handoff_ms": one.handoff_ms,
        "slowest_handoff_ms": math.nan if one.slowest_handoff_ms is None else one.slowest_handoff_ms,
        "handoff_share": one.handoff_share,
        "itl_ms": one.itl_ms,
        "itl_over_slo_ms": one.itl_ms - slo.itl_slo_ms,
        "second_token_ms": one.second_token_ms,
        "loaded_queue_ms": float(load.parts.queue_ms),
        "loaded_ttft_ms": load.ttft_ms,
        "loaded_itl_ms": load.itl_ms,
        "loaded_tail_itl_ms": load.tail_itl_ms,
    }
    return {
        "deployment_id": row.id,
        "deployment": row.name,
        "kind": row.kind,
        "gpus": row.gpus,
        "fits": fits,
        "fit_problem": one.memory.problem or "",
        "weights_gb_per_gpu": decode.weights_gb,
        "kv_pool_gb_per_gpu": decode.pool_gb,
        "prefill_worker_holds": prefill.requests,
        "decode_worker_holds": decode.requests,
        "handoffs_in_flight": one.memory.handoffs_in_flight,
        "sent_tokens": one.sent_tokens,
        "wire_bytes": one.wire_bytes,
        "bandwidth_gb_s": float(one.x.bandwidth_gb_s) if row.split else math.nan,
        "needed_gb_s": one.needed_gb_s,
        **(times if fits else dict.fromkeys(times, math.nan)),
        "prefill_extrapolated": bool(prefill_extrapolated(one.x)),
        "meets_ttft_slo": fits and ttft_ms <= slo.ttft_slo_ms,
        "meets_itl_slo": fits and one.itl_ms <= slo.itl_slo_ms,
        "arrivals_per_s": slo.arrivals_per_s,
        "prefill_utilisation": load.prefill_utilisation,
        "link_utilisation": load.link_utilisation,
        "decode_utilisation": load.decode_utilisation,
        "overloaded": load.overloaded,
        "bottleneck": load.bottleneck if slo.arrivals_per_s else one.capacity.busiest,
        "meets_slos_under_load": fits and within(load, slo),
        "carries_requests_per_s": one.capacity.requests_per_s,
        "carries_within_slos_per_s": one.most_per_s,
        "busiest": one.capacity.busiest,
        "usd_per_hour": one.cost.usd_per_hour,
        "usd_per_million_output_tokens": one.cost.usd_per_million_output_tokens,
    }
