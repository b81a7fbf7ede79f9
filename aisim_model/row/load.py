"""A row under load, a first estimate without a trace: requests like the workload's, arriving at random.

Queues are M/D/1 or M/D/c, decoding is Little's law, resources don't hold each other up. Each number here is
an estimate of a mean; a replay of a trace gives it exactly.

- Prefill: ``utilisation = arrivals * prefill / workers``, and the queue of `queueing.mean_wait_ms`.
- Link: the same with one transfer at a time a link, the smaller side's workers as links.
- Decode: a worker runs ``batch = arrivals * answer * ITL / workers`` sequences; it is full at its KV pool.
- Aggregated: with u the share of time that prefill passes take, ``ITL = step / (1 - u)``, its tail one mixed
  pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from aisim_model.arrays import pieces
from aisim_model.passes import decode
from aisim_model.roots import root
from aisim_model.row.capacity import MAX_SEQUENCES
from aisim_model.row.memory import row_memory
from aisim_model.row.queueing import mean_wait_ms
from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import breakdown, decode_step_ms, prefill_ms, transfer_ms
from aisim_model.ttft_parts import TtftBreakdown
from aisim_model.units import MS_PER_S


@dataclass(frozen=True)
class Service:
    """What of a row doesn't depend on the load.

    Parameters
    ----------
    x : ResolvedRow
        The resolved row.
    idle : TtftBreakdown
        Parts of the TTFT of one request alone [ms].
    prefill_ms, transfer_ms : float
        Time that a prompt takes on a prefill worker and on a link [ms].
    passes : float
        Prefill passes of a prompt [-].
    output_tokens : int
        Tokens of an answer [-].
    most_sequences : float
        Sequences that one decode (or aggregated) worker can run at a time [-]; 0 where the row doesn't fit.
    prefill_workers, decode_workers : int
        Workers [-]; in an aggregated row both are the same ones.
    """

    x: ResolvedRow
    idle: TtftBreakdown
    prefill_ms: float
    transfer_ms: float
    passes: float
    output_tokens: int
    most_sequences: float
    prefill_workers: int
    decode_workers: int

    @cached_property
    def full_decode_ms(self) -> float:
        """Time that an answer takes of a decode worker that runs all it can; infinite where it holds none."""
        most = self.most_sequences
        return self.output_tokens * self.step_ms(most) / most if most else math.inf

    @property
    def links(self) -> int:
        """Transfers that can run side by side [-]."""
        return min(self.prefill_workers, self.decode_workers)

    def step_ms(self, batch: float, context_tokens: float | None = None) -> float:
        """Time of a decode step of so many sequences, halfway through their answers [ms]."""
        halfway = float(self.x.prompt_tokens) + self.output_tokens / 2.0
        context = halfway if context_tokens is None else context_tokens
        return float(decode_step_ms(self.x, context, max(batch, 1.0)))

    def arrivals_at(self, batch: float) -> float:
        """Arrivals at which a decode worker runs so many sequences on average [requests/s]."""
        if batch <= 0:
            return 0.0
        held_ms = self.output_tokens * self.step_ms(batch) / batch
        if not self.x.row.split:  # prefill takes its share of the same worker's time
            held_ms += self.prefill_ms
        return self.decode_workers * MS_PER_S / held_ms if held_ms > 0 else math.inf

    def batch_at(self, arrivals_per_s: float) -> float:
        """Sequences that a decode worker runs on average; infinite where they are more than it can [-]."""
        if arrivals_per_s >= self.arrivals_at(self.most_sequences):
            return math.inf
        if arrivals_per_s == 0:
            return 0.0
        least = self.arrivals_at(1.0)
        if arrivals_per_s <= least:  # a step takes the same for all batches below one
            return self._batch_below_one(arrivals_per_s)
        return root(lambda b: self.arrivals_at(b) - arrivals_per_s, 1.0, self.most_sequences)

    def _batch_below_one(self, arrivals_per_s: float) -> float:
        each_ms = MS_PER_S * self.decode_workers / arrivals_per_s
        left_ms = each_ms if self.x.row.split else each_ms - self.prefill_ms
        decoded_ms = self.output_tokens * self.step_ms(1.0)
        if decoded_ms == 0:  # an answer that takes no time keeps no sequence running
            return 0.0
        return decoded_ms / left_ms if left_ms > 0 else math.inf


def service(x: ResolvedRow, output_tokens: int) -> Service:
    """Work out what of a row doesn't depend on the load.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> round(service(resolve(Workload(), Deployment(id="a", name="a")), 340).transfer_ms, 2)
    15.73
    """
    memory = row_memory(x, output_tokens)
    uncached = float(x.prompt_tokens) - float(x.prefill_cached_tokens)
    return Service(
        x=x,
        idle=breakdown(x),
        prefill_ms=float(prefill_ms(x)),
        transfer_ms=float(transfer_ms(x)),
        passes=float(pieces(uncached, x.row.chunk_tokens)),
        output_tokens=output_tokens,
        most_sequences=0.0 if memory.problem else min(memory.workers[-1].requests, float(MAX_SEQUENCES)),
        prefill_workers=x.row.prefill_workers,
        decode_workers=x.row.decode_workers if x.row.split else x.row.prefill_workers,
    )


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
    """

    arrivals_per_s: float
    prefill_utilisation: float
    link_utilisation: float
    decode_utilisation: float
    split: bool
    parts: TtftBreakdown
    itl_ms: float
    tail_itl_ms: float
    batch: float

    @property
    def ttft_ms(self) -> float:
        """Mean TTFT [ms]; infinite where the row is overloaded."""
        return math.inf if self.overloaded else float(self.parts.ttft_ms)

    @property
    def utilisation(self) -> float:
        """Of the busiest resource [-]."""
        if not self.split:
            return self.prefill_utilisation + self.decode_utilisation
        return max(self.prefill_utilisation, self.link_utilisation, self.decode_utilisation)

    @property
    def overloaded(self) -> bool:
        """Whether more arrives than the busiest resource carries, or its queue can take."""
        return not self.utilisation < 1 or math.isinf(self.parts.ttft_ms)

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


def under_load(served: Service, arrivals_per_s: float, batch: float | None = None) -> Load:
    """Estimate a row under a rate of arrivals.

    Parameters
    ----------
    served : Service
        The row, from `service`.
    arrivals_per_s : float
        Poisson arrivals [requests/s].
    batch : float, optional
        Sequences a decode worker runs at that rate, where they are known already [-].

    Examples
    --------
    The worked example's split row at two requests a second: one prefill worker is 86% busy.

    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> found = under_load(service(resolve(Workload(), Deployment(id="a", name="a")), 340), 2.0)
    >>> round(found.prefill_utilisation, 2), found.bottleneck, found.overloaded
    (0.86, 'prefill', False)
    """
    running = served.batch_at(arrivals_per_s) if batch is None else batch
    return (_split if served.x.row.split else _aggregated)(served, arrivals_per_s, running)


def _shares(served: Service, arrivals_per_s: float) -> tuple[float, float]:
    """Return the utilisation of prefill, and of decode were it alone on its workers."""
    decoded_ms = served.full_decode_ms
    per_ms = arrivals_per_s / MS_PER_S
    return (
        per_ms * served.prefill_ms / served.prefill_workers,
        per_ms * decoded_ms / served.decode_workers if arrivals_per_s else 0.0,
    )


def _split(served: Service, arrivals_per_s: float, batch: float) -> Load:
    prefilling, decoding = _shares(served, arrivals_per_s)
    sent_ms = math.inf if math.isnan(served.transfer_ms) else served.transfer_ms  # nothing is ever sent
    sending = arrivals_per_s / MS_PER_S * sent_ms / served.links if arrivals_per_s else 0.0
    overfull = math.isinf(batch)
    itl_ms = math.inf if overfull else served.step_ms(batch)
    queue_ms = mean_wait_ms(arrivals_per_s, served.prefill_ms, served.prefill_workers)
    parts = replace(served.idle, queue_ms=queue_ms)
    first_from = served.x.profile.first_token_from
    if first_from != "prefill":
        step_ms = math.inf if overfull else served.step_ms(batch, float(served.x.prompt_tokens))
        parts = replace(
            parts,
            link_queue_ms=mean_wait_ms(arrivals_per_s, sent_ms, served.links),
            # the transfer ends within a step that runs: half of it is left, unless the worker is idle
            activation_ms=step_ms / 2.0 * -math.expm1(-batch),
            decode_step_ms=step_ms if first_from == "decode_step" else 0.0,
        )
    return Load(arrivals_per_s, prefilling, sending, decoding, True, parts, itl_ms, itl_ms, batch)


def _aggregated(served: Service, arrivals_per_s: float, batch: float) -> Load:
    prefilling, decoding = _shares(served, arrivals_per_s)
    if not prefilling + decoding < 1:
        parts = replace(served.idle, queue_ms=math.inf)
        return Load(arrivals_per_s, prefilling, 0.0, decoding, False, parts, math.inf, math.inf, batch)
    step_ms = served.step_ms(batch)
    decodes = -math.expm1(-batch)  # share of time with a sequence to decode: its pass is the prompt's too
    mixed_ms = served.prefill_ms + served.passes * step_ms * decodes
    queue_ms = mean_wait_ms(arrivals_per_s, mixed_ms, served.prefill_workers)
    queue_ms += step_ms / 2.0 * decodes  # of a step that runs half is left
    pass_ms = served.prefill_ms / served.passes if served.passes else 0.0
    return Load(
        arrivals_per_s,
        prefilling,
        0.0,
        decoding,
        False,
        replace(served.idle, queue_ms=queue_ms, prefill_ms=mixed_ms),
        float(decode.aggregated_itl_ms(step_ms, prefilling)),
        float(decode.mixed_pass_ms(step_ms, pass_ms if arrivals_per_s else 0.0)),
        batch,
    )
