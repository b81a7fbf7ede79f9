"""A row under load, a first estimate without a trace: requests like the workload's, arriving at random.

Each number here is an estimate of a mean. That of a split row meets a replay at level ``fifo``: mean TTFT
within 3% at 30% and 60% of what it carries and within 10% at 85%, utilisation within 1%. `engine_error` says
how far both kinds of rows may be from one at level ``engine``.

- Decode: a worker runs ``batch = arrivals * steps * ITL / workers`` sequences on average; a step is one of
  ``1 + batch``, as a sequence finds them, halfway through their answers. It is full at its pool of KV, or its
  limit of sequences.
- Split: see `split_load` for its queues.
- Aggregated: with u the share of time that prefill passes take, ``ITL = step / (1 - u)`` and a part of the
  prefills behind it, its tail one mixed pass. Prompts wait in an M/D/c queue for passes that carry steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from aisim_model.arrays import either, endless, larger, per, smaller
from aisim_model.row.queueing import mean_wait_ms
from aisim_model.row.service import Service, decoding, service
from aisim_model.row.split_load import Contention, split_parts
from aisim_model.ttft_parts import TtftBreakdown
from aisim_model.units import MS_PER_S

BEHIND = 1.5  # prefills that a sequence waits for beyond their mean share, over u^2 / (1 - u); fitted

__all__ = ["Load", "Service", "service", "under_load"]


class Closed(NamedTuple):
    """What a closed loop adds to a load; floats, or arrays of one a row.

    Parameters
    ----------
    concurrency : float
        Requests in flight [-].
    met_per_s : float
        Arrivals that a request meets: those of the others [requests/s].
    alike_ms, burst_ms : float
        Waits within the mean TTFT: that all have alike, for what is in flight beyond what is carried; and of
        those that a run starts with, all at once [ms].
    """

    concurrency: Any
    met_per_s: Any
    alike_ms: Any
    burst_ms: Any


@dataclass(frozen=True)
class Load:
    """What a rate of arrivals makes of a row; all of it estimates.

    Parameters
    ----------
    arrivals_per_s : float
        The rate [requests/s].
    prefill_utilisation, link_utilisation, decode_utilisation : float
        Share of what each carries at most [-]. In an aggregated row prefill and decode share the workers: the
        two add up to their utilisation.
    split : bool
        Whether the row hands KV over.
    parts : TtftBreakdown
        Parts of the mean TTFT [ms]; a queue that grows without end is infinite.
    itl_ms, tail_itl_ms : float
        Mean inter-token latency, and its tail: one mixed pass in an aggregated row [ms].
    batch : float
        Sequences that a decode worker runs on average [-].
    closed : Closed or None
        Of a closed loop, whose arrivals follow from it; None where requests arrive at random.
    """

    arrivals_per_s: Any
    prefill_utilisation: Any
    link_utilisation: Any
    decode_utilisation: Any
    split: bool
    parts: TtftBreakdown
    itl_ms: Any
    tail_itl_ms: Any
    batch: Any
    closed: Closed | None = None

    @property
    def ttft_ms(self) -> Any:
        """Mean TTFT [ms]; infinite where the row is overloaded."""
        return either(self.overloaded, math.inf, self.parts.ttft_ms)

    @property
    def utilisation(self) -> Any:
        """Of the busiest resource [-]."""
        if not self.split:
            return self.prefill_utilisation + self.decode_utilisation
        return larger(larger(self.prefill_utilisation, self.link_utilisation), self.decode_utilisation)

    @property
    def overloaded(self) -> Any:
        """Whether more arrives than the busiest resource carries, or its queue can take."""
        full = self.utilisation >= 1.0
        return (full if self.closed is None else full & False) | endless(self.parts.ttft_ms)

    @property
    def bottleneck(self) -> str:
        """The busiest resource: ``prefill``, ``link`` or ``decode``; ``workers`` in an aggregated row."""
        if not self.split:
            return "workers"
        busy = {
            "prefill": self.prefill_utilisation,
            "link": self.link_utilisation,
            "decode": self.decode_utilisation,
        }
        return max(busy, key=busy.__getitem__)


def under_load(
    served: Service,
    arrivals_per_s: Any,
    batch: Any = None,
    contention: Contention = "fifo",
) -> Load:
    """Estimate a row under a rate of arrivals.

    Parameters
    ----------
    served : Service
        The row, from `service`; or many, stacked, which gives arrays.
    arrivals_per_s : float or array
        Poisson arrivals [requests/s].
    batch : float or array, optional
        Sequences a decode worker runs at that rate, where they are known already [-].
    contention : {"fifo", "none", "fair"}
        How transfers share a link.

    Examples
    --------
    The worked example's split row at one and a half requests a second: one prefill worker is 87% busy.

    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> found = under_load(service(resolve(Workload(), Deployment(id="a", name="a")), 340), 1.5)
    >>> round(found.prefill_utilisation, 2), found.bottleneck, found.overloaded
    (0.87, 'prefill', False)
    """
    running = served.batch_at(arrivals_per_s) if batch is None else batch
    if served.x.row.split:
        return _split(served, arrivals_per_s, running, contention)
    return _aggregated(served, arrivals_per_s, running)


def _split(served: Service, arrivals_per_s: Any, batch: Any, contention: Contention) -> Load:
    itl_ms = either(endless(batch), math.inf, served.step_ms(batch))
    return Load(
        arrivals_per_s,
        arrivals_per_s / served.prefill_per_s,
        share_of_carried(arrivals_per_s, served.link_per_s),
        share_of_carried(arrivals_per_s, served.decode_per_s),
        True,
        split_parts(served, arrivals_per_s, batch, contention),
        itl_ms,
        itl_ms,
        batch,
    )


def share_of_carried(arrivals_per_s: Any, carried_per_s: Any) -> Any:
    """Return the share of what is carried; infinite of nothing."""
    return either(arrivals_per_s == 0.0, 0.0, per(arrivals_per_s, carried_per_s))


def _aggregated(served: Service, arrivals_per_s: Any, batch: Any) -> Load:
    prompt_ms = served.prompt_ms(either(endless(batch), 0.0, batch))
    prefilling = arrivals_per_s / MS_PER_S * prompt_ms / served.prefill_workers
    stepping = larger(share_of_carried(arrivals_per_s, served.decode_per_s) - prefilling, 0.0)
    busy = prefilling + stepping
    over = np.logical_not(busy < 1.0)
    step_ms = served.step_ms(batch)
    passes = served.passes_beside(either(endless(batch), 0.0, batch))
    decodes = decoding(batch)  # share of time with a sequence to decode: its pass is the prompt's too
    steps_ms = passes * step_ms * decodes
    in_turn_ms = prompt_ms + _shared_steps_ms(served, steps_ms, passes, busy)
    # what is carried at all waits for an end
    most_ms = per((1.0 - (1.0 - busy) / 2.0) * served.prefill_workers * MS_PER_S, arrivals_per_s)
    queue_ms = mean_wait_ms(arrivals_per_s, smaller(in_turn_ms, most_ms), served.prefill_workers)
    queue_ms = queue_ms + step_ms / 2.0 * decodes  # of a step that runs half is left
    alone = served.passes_beside(0.0)
    tail_ms = step_ms + either(arrivals_per_s == 0.0, 0.0, per(prompt_ms, alone, 0.0))
    with np.errstate(all="ignore"):  # of those that are over
        itl_ms = _interrupted_ms(served, step_ms, prompt_ms, either(over, 0.0, prefilling), tail_ms)
    idle = served.idle
    return Load(
        arrivals_per_s,
        prefilling,
        either(over, 0.0, 0.0),
        stepping,
        False,
        replace(
            idle,
            queue_ms=either(over, math.inf, queue_ms),
            prefill_ms=either(over, idle.prefill_ms, prompt_ms + steps_ms),
        ),
        either(over, math.inf, itl_ms),
        either(over, math.inf, tail_ms),
        batch,
    )


def _shared_steps_ms(served: Service, steps_ms: Any, passes: Any, busy: Any) -> Any:
    """Return the decode steps of a prompt's passes that those behind it wait for [ms].

    Prompts that wait share passes, and so steps, the more the busier the workers are and as far as passes
    have room for more than one; what a busier worker shares more never makes it wait less than a less busy
    one.
    """
    room = larger(1.0 - per(served.uncached_tokens, passes * served.pass_tokens, 1.0), 0.0)
    until = smaller(busy, per(0.5, room))
    shared_ms = per(steps_ms * until * (1.0 - room * until), busy, 0.0)
    return either((busy == 0.0) | (room == 0.0), steps_ms, shared_ms)


def _interrupted_ms(served: Service, step_ms: Any, prompt_ms: Any, prefilling: Any, tail_ms: Any) -> Any:
    """Return the mean ITL where prefill passes come between [ms]; none is longer than a mixed pass."""
    itl_ms = step_ms / (1.0 - prefilling)
    if served.steps == 0.0:
        return itl_ms
    # prompts come in bursts: where one was computed others wait
    behind_ms = BEHIND * prefilling * prefilling * prompt_ms / (1.0 - prefilling)
    return larger(smaller(itl_ms + behind_ms / served.steps, tail_ms), itl_ms)
