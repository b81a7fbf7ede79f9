"""All that the model says of one deployment row, worked out once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from aisim_model.row.capacity import Capacity, capacity
from aisim_model.row.closed_load import asked_load
from aisim_model.row.cost import Cost, cost, per_million
from aisim_model.row.energy import Energy, energy
from aisim_model.row.load import Load, service
from aisim_model.row.memory import RowMemory, row_memory
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.row.spread import Spread, spread
from aisim_model.row.targets import Reached, reached
from aisim_model.row.ttft import (
    breakdown,
    handoff,
    second_token_ms,
    sent_tokens,
    transfer_ms,
    wire_bytes,
)
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve import bandwidth_for_ttft, most_within
from aisim_model.ttft_parts import TtftBreakdown, share_of_ttft


@dataclass(frozen=True)
class Outcome:
    """What the model says of one row.

    Parameters
    ----------
    x : ResolvedRow
        The resolved row.
    parts : TtftBreakdown
        Parts of the TTFT [ms].
    after_prefill : TtftBreakdown
        What lies between prefill and the decode worker's first token, whichever is shown first [ms].
    sent_tokens, wire_bytes, transfer_ms, itl_ms, second_token_ms : float
        Tokens and bytes on the link [-, B], time on it with nothing overlapped, one decode step halfway
        through the answer, and the time to the second token [ms].
    slowest_handoff_ms : float or None
        The handoff at the lowest bandwidth that was measured on the link [ms]; None where none was.
    needed_gb_s : float
        Bandwidth at which TTFT just meets its SLO [GB/s]; 0 where any does, infinite where none does.
    capacity : Capacity
        Requests a second by resource.
    memory : RowMemory
        What its workers hold, and whether it fits.
    load : Load
        The estimate at the workload's arrivals, or with its requests in flight.
    spread : Spread
        How TTFT and ITL spread over requests there.
    reached : Reached
        What it reaches of the targets there.
    most_per_s : float
        Most load within both service levels [requests/s].
    cost : Cost
        Its price, by the hour and by the token at that load.
    energy : Energy
        What it draws at the workload's arrivals.
    """

    x: ResolvedRow
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
    spread: Spread
    reached: Reached
    most_per_s: float
    cost: Cost
    energy: Energy

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
        """Share of TTFT that the handoff is [-]; NaN where no delay is known."""
        return float(share_of_ttft(self.parts.handoff_ms, self.parts.ttft_ms))

    @property
    def bottleneck(self) -> str:
        """The busiest resource at the load, without one the first to be full; ``workers`` if aggregated."""
        if self.load.arrivals_per_s or not self.row.split:
            return self.load.bottleneck
        return self.capacity.busiest

    @property
    def usd_per_million_within_slos(self) -> float:
        """A million output tokens of requests within both service levels, at the load [USD].

        Without a load at the most within them; infinite where there are none, NaN where no price is known.
        """
        if not self.load.arrivals_per_s:
            return self.cost.usd_per_million_output_tokens
        good_per_s = self.load.arrivals_per_s * float(self.reached.share)
        return float(per_million(self.cost.usd_per_hour, good_per_s, self.cost.output_tokens))

    @property
    def sends_nothing(self) -> bool:
        """Whether a split row has no bandwidth, so that no delay is known."""
        return self.row.split and math.isnan(self.transfer_ms)


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
    served = service(x, workload.mean_output_tokens)
    most_per_s = most_within(served, workload)
    load = asked_load(served, workload)
    return Outcome(
        x=x,
        parts=parts,
        after_prefill=handoff(x),
        sent_tokens=float(sent_tokens(x)),
        wire_bytes=float(wire_bytes(x)),
        transfer_ms=float(transfer_ms(x)),
        itl_ms=served.step_ms(0.0),
        second_token_ms=float(second_token_ms(x)),
        slowest_handoff_ms=None if low is None else float(handoff(replace(x, bandwidth_gb_s=low)).handoff_ms),
        needed_gb_s=bandwidth_for_ttft(x, workload.ttft_slo_ms),
        capacity=capacity(served),
        memory=row_memory(x, workload.mean_output_tokens),
        load=load,
        spread=spread(served, load),
        reached=reached(served, load, workload),
        most_per_s=most_per_s,
        cost=cost(x, most_per_s, workload.mean_output_tokens),
        energy=energy(x, load, workload.mean_output_tokens),
    )
