"""What of a row doesn't depend on the load: the times it takes of each resource, and what each carries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from aisim_model.arrays import count_pieces
from aisim_model.passes import PassTime
from aisim_model.roots import root
from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import breakdown, handoff, prefill_ms, transfer_ms
from aisim_model.row.workers import decode_pass_time, prefill_pass_time
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
    output_tokens : float
        Tokens of an answer [-].
    most_sequences : float
        Sequences that one decode (or aggregated) worker has room for: what its pool holds, and the row's
        limit of sequences [-]; 0 where the row doesn't fit.
    prefill_workers, decode_workers : int
        Workers [-]; in an aggregated row both are the same ones.
    """

    x: ResolvedRow
    idle: TtftBreakdown
    prefill_ms: float
    transfer_ms: float
    output_tokens: float
    most_sequences: float
    prefill_workers: int
    decode_workers: int

    @cached_property
    def _decode_times(self) -> PassTime:
        return decode_pass_time(self.x)

    @cached_property
    def _prefill_times(self) -> PassTime:
        return prefill_pass_time(self.x)

    @property
    def uncached_tokens(self) -> float:
        """Tokens of a prompt that are computed [-]."""
        return float(self.x.prompt_tokens) - float(self.x.prefill_cached_tokens)

    def passes_beside(self, batch: float) -> float:
        """Prefill passes of a prompt where each of so many sequences takes a token of every pass [-]."""
        return float(count_pieces(self.uncached_tokens, max(self.x.row.pass_tokens - batch, 1.0)))

    @property
    def links(self) -> int:
        """Transfers that can run side by side [-]: a link each worker of the smaller side."""
        return min(self.prefill_workers, self.decode_workers)

    @property
    def sent_ms(self) -> float:
        """Time that a prompt takes on a link; infinite where nothing is ever sent [ms]."""
        return math.inf if math.isnan(self.transfer_ms) else self.transfer_ms

    @property
    def steps(self) -> float:
        """Decode steps of an answer [-]: its first token comes from one, or from before."""
        first_from_step = self.x.row.split and self.x.profile.first_token_from == "decode_step"
        return self.output_tokens - (0.0 if first_from_step else 1.0)

    @cached_property
    def reserved_ms(self) -> float:
        """Time from a reservation's grant to its activation where nothing queues [ms]; 0 if aggregated."""
        if not self.x.row.split:
            return 0.0
        before_ms = 0.0
        if self.x.profile.order == "destination_first":
            before_ms = self.prefill_ms + float(self.x.orchestration_ms)
        return before_ms + self.exposed_ms

    @cached_property
    def exposed_ms(self) -> float:
        """Part of the transfer that comes after prefill [ms]; infinite where nothing is ever sent."""
        after_ms = float(handoff(self.x).transfer_ms)
        return math.inf if math.isnan(after_ms) else after_ms

    @cached_property
    def full_batch(self) -> float:
        """Sequences that decode on a worker that is full [-].

        In a split row those in their handoff need room beside them. In an aggregated row a pass takes prompts
        by its budget of tokens and gives each sequence one token: ``answer / (prompt / budget)`` at most.
        """
        most = self.most_sequences
        if not self.x.row.split:
            filled = self.uncached_tokens / self.x.row.pass_tokens
            return min(most, self.steps / filled) if filled else most
        if most == 0.0 or self.steps == 0.0 or math.isinf(self.reserved_ms):
            return 0.0
        if self.reserved_ms == 0.0 or self.step_ms(0.0) == 0.0:
            return most
        return root(lambda batch: self._room(batch) - most, 0.0, most)

    def _room(self, batch: float) -> float:
        """Sequences with room on a decode worker that so many decode on, none waiting over a step [-]."""
        before_ms = self.reserved_ms + self.step_ms(batch)
        return batch + self.arrivals_at(batch) / self.decode_workers * before_ms / MS_PER_S

    def in_step(self, batch: float) -> float:
        """Sequences in the steps that a sequence takes part in, where so many decode on average [-].

        It finds as many others as decode on average, while they have room: ``1 + batch (1 - 1 / most)``.
        """
        most = max(self.most_sequences, 1.0)
        return 1.0 + min(batch, most) * (1.0 - 1.0 / most)

    def step_of_ms(self, sequences: float, context_tokens: float | None = None) -> float:
        """Time of a decode step of so many sequences, halfway through their answers [ms]."""
        halfway = float(self.x.prompt_tokens) + self.output_tokens / 2.0
        context = halfway if context_tokens is None else context_tokens
        return float(self._decode_times.step_ms(sequences, context))

    def step_ms(self, batch: float) -> float:
        """Time of a sequence's decode steps where so many decode on average [ms]: a split row's mean ITL.

        At no load it is the idle ITL.
        """
        return self.step_of_ms(self.in_step(batch))

    def first_step_ms(self, batch: float) -> float:
        """Time of the step that makes a first token: the new sequence at its prompt, others halfway [ms]."""
        sequences = self.in_step(batch)
        halfway = self.output_tokens / 2.0 * (1.0 - 1.0 / sequences)  # 0 for a sequence alone
        return self.step_of_ms(sequences, float(self.x.prompt_tokens) + halfway)

    def prompt_ms(self, batch: float) -> float:
        """Time that a prompt takes of an aggregated worker on which so many decode on average [ms].

        A mixed pass is one call: a prompt takes what its passes are longer than steps of the sequences alone.
        A worker that happens to decode none computes it alone.
        """
        if not self.x.row.split and self._prefill_times.mixes:
            decodes = -math.expm1(-batch)  # the chance that it decodes any
            longer_ms = self._mixed_ms(batch) - self.passes_beside(0.0) * self.step_ms(batch)
            return decodes * longer_ms + (1.0 - decodes) * self.prefill_ms
        return self.prefill_ms

    def _mixed_ms(self, batch: float) -> float:
        """Time of a prompt's passes with the sequences of a step beside it [ms]."""
        x, halfway = self.x, float(self.x.prompt_tokens) + self.output_tokens / 2.0
        budget, beside = float(x.row.pass_tokens), self.in_step(batch)
        return float(
            self._prefill_times.prompt_ms(x.prompt_tokens, x.prefill_cached_tokens, budget, beside, halfway)
        )

    def arrivals_at(self, batch: float) -> float:
        """Arrivals at which a decode worker runs so many sequences on average [requests/s]."""
        if batch <= 0:
            return 0.0
        held_ms = self.steps * self.step_ms(batch) / batch
        if not self.x.row.split:  # prefill takes its share of the same worker's time
            held_ms += self.prompt_ms(batch)
        return self.decode_workers * MS_PER_S / held_ms if held_ms > 0 else math.inf

    @cached_property
    def prefill_per_s(self) -> float:
        """What prefill workers carry that do nothing else [requests/s]."""
        return _per_s(self.prefill_ms, self.prefill_workers)

    @cached_property
    def link_per_s(self) -> float:
        """What the links carry; infinite in an aggregated row [requests/s]."""
        return _per_s(self.sent_ms, self.links) if self.x.row.split else math.inf

    @cached_property
    def decode_per_s(self) -> float:
        """What decode (or aggregated) workers carry that are full; 0 where they hold nothing [requests/s]."""
        if self.most_sequences == 0:
            return 0.0
        if self.steps == 0.0:  # nothing decodes, and all the room is for handoffs
            each_ms = self.reserved_ms / self.most_sequences if self.x.row.split else self.prefill_ms
            return _per_s(each_ms, self.decode_workers)
        return self.arrivals_at(self.full_batch)

    @property
    def most_per_s(self) -> float:
        """What the row carries: the least of the three [requests/s]."""
        return min(self.prefill_per_s, self.link_per_s, self.decode_per_s)

    def batch_at(self, arrivals_per_s: float) -> float:
        """Sequences that a decode worker runs on average; infinite where they are more than it can [-]."""
        if arrivals_per_s == 0 and self.most_sequences > 0:
            return 0.0
        if arrivals_per_s >= self.decode_per_s:
            return math.inf
        each_ms = MS_PER_S * self.decode_workers / arrivals_per_s
        if self.steps * self.step_ms(0.0) == 0.0:  # an answer that takes no time keeps no sequence running
            return 0.0
        found = root(lambda batch: self.arrivals_at(batch) - arrivals_per_s, 0.0, self.full_batch)
        left_ms = each_ms if self.x.row.split else each_ms - self.prompt_ms(found)
        return self.steps * self.step_ms(found) / left_ms  # to the last digits of a batch far below one


def service(x: ResolvedRow, output_tokens: float) -> Service:
    """Work out what of a row doesn't depend on the load.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> round(service(resolve(Workload(), Deployment(id="a", name="a")), 340).transfer_ms, 2)
    15.73
    """
    memory = row_memory(x, round(output_tokens))
    return Service(
        x=x,
        idle=breakdown(x),
        prefill_ms=float(prefill_ms(x)),
        transfer_ms=float(transfer_ms(x)),
        output_tokens=output_tokens,
        most_sequences=memory.most_sequences,
        prefill_workers=x.row.prefill_workers,
        decode_workers=x.row.decode_workers if x.row.split else x.row.prefill_workers,
    )


def _per_s(service_ms: float, servers: int) -> float:
    return servers * MS_PER_S / service_ms if service_ms > 0 else math.inf
