"""What of a row doesn't depend on the load: the times it takes of each resource, and what each carries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from aisim_model.arrays import count_pieces, either, endless, every, larger, per, smaller, unboxed
from aisim_model.passes import PassTime
from aisim_model.roots import root
from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import breakdown, handoff, prefill_ms, transfer_ms
from aisim_model.row.workers import decode_pass_time, prefill_pass_time
from aisim_model.scenario import Deployment
from aisim_model.ttft_parts import TtftBreakdown
from aisim_model.units import MS_PER_S


@dataclass(frozen=True)
class Service:
    """What of a row doesn't depend on the load; of many rows of one kind and engine, as arrays of one a row.

    Parameters
    ----------
    x : ResolvedRow
        The resolved row; of many, one of them, which stands for what they have in common.
    idle : TtftBreakdown
        Parts of the TTFT of one request alone [ms].
    prefill_ms, transfer_ms : float or array
        Time that a prompt takes on a prefill worker and on a link [ms].
    output_tokens : float
        Tokens of an answer [-].
    most_sequences : float or array
        Sequences that one decode (or aggregated) worker has room for: what its pool holds, and the row's
        limit of sequences [-]; 0 where the row doesn't fit.
    prefill_workers, decode_workers : int or array
        Workers [-]; in an aggregated row both are the same ones. A DP group has requests, a budget and a pool
        of its own, so each group counts as a worker here.
    pass_tokens, cached_tokens : float or array
        Token budget of a pass, and tokens of a prompt that prefill workers hold already [-].
    exposed_ms : float or array
        Part of the transfer that comes after prefill [ms]; infinite where nothing is ever sent.
    prefill_times, decode_times : PassTime
        Of the passes of a worker that prefills, and of one that decodes.
    """

    x: ResolvedRow
    idle: TtftBreakdown
    prefill_ms: Any
    transfer_ms: Any
    output_tokens: float
    most_sequences: Any
    prefill_workers: Any
    decode_workers: Any
    pass_tokens: Any
    cached_tokens: Any
    exposed_ms: Any
    prefill_times: PassTime
    decode_times: PassTime

    @property
    def uncached_tokens(self) -> Any:
        """Tokens of a prompt that are computed [-]."""
        return self.x.prompt_tokens - self.cached_tokens

    def passes_beside(self, batch: Any) -> Any:
        """Prefill passes of a prompt where each of so many sequences takes a token of every pass [-]."""
        return count_pieces(self.uncached_tokens, larger(self.pass_tokens - batch, 1.0))

    @property
    def links(self) -> Any:
        """Transfers that can run side by side [-]: a link each worker of the smaller side."""
        return smaller(self.prefill_workers, self.decode_workers)

    @property
    def sent_ms(self) -> Any:
        """Time that a prompt takes on a link; infinite where nothing is ever sent [ms]."""
        return either(self.transfer_ms != self.transfer_ms, math.inf, self.transfer_ms)

    @property
    def steps(self) -> float:
        """Decode steps of an answer [-]: its first token comes from one, or from before."""
        first_from_step = self.x.row.split and self.x.profile.first_token_from == "decode_step"
        return self.output_tokens - (0.0 if first_from_step else 1.0)

    @cached_property
    def reserved_ms(self) -> Any:
        """Time from a reservation's grant to its activation where nothing queues [ms]; 0 if aggregated."""
        if not self.x.row.split:
            return 0.0
        if self.x.profile.order == "destination_first":
            return self.prefill_ms + self.x.orchestration_ms + self.exposed_ms
        return self.exposed_ms

    @cached_property
    def full_batch(self) -> Any:
        """Sequences that decode on a worker that is full [-].

        In a split row those in their handoff need room beside them. In an aggregated row a pass takes prompts
        by its budget of tokens and gives each sequence one token: ``answer / (prompt / budget)`` at most.
        """
        most = self.most_sequences
        if not self.x.row.split:
            return smaller(most, per(self.steps, self.uncached_tokens / self.pass_tokens))
        nothing = (most == 0.0) | (self.steps == 0.0) | endless(self.reserved_ms)
        simple = (self.reserved_ms == 0.0) | (self.step_ms(0.0) == 0.0)
        if every(nothing | simple):
            return either(nothing, 0.0, most)
        found = root(lambda batch: self._room(batch) - most, 0.0 * most, most)
        return either(nothing, 0.0, either(simple, most, found))

    def _room(self, batch: Any) -> Any:
        """Sequences with room on a decode worker that so many decode on, none waiting over a step [-]."""
        before_ms = self.reserved_ms + self.step_ms(batch)
        return batch + self.arrivals_at(batch) / self.decode_workers * before_ms / MS_PER_S

    def in_step(self, batch: Any) -> Any:
        """Sequences in the steps that a sequence takes part in, where so many decode on average [-].

        It finds as many others as decode on average, while they have room: ``1 + batch (1 - 1 / most)``.
        """
        most = larger(self.most_sequences, 1.0)
        return 1.0 + smaller(batch, most) * (1.0 - 1.0 / most)

    def step_of_ms(self, sequences: Any, context_tokens: Any = None) -> Any:
        """Time of a decode step of so many sequences, halfway through their answers [ms].

        With drafts it is that of each token: a step gives several.
        """
        halfway = self.x.prompt_tokens + self.output_tokens / 2.0
        context = halfway if context_tokens is None else context_tokens
        return self.decode_times.token_ms(sequences, context)

    def step_ms(self, batch: Any) -> Any:
        """Time of a sequence's decode steps where so many decode on average [ms]: a split row's mean ITL.

        At no load it is the idle ITL.
        """
        return self.step_of_ms(self.in_step(batch))

    def first_step_ms(self, batch: Any) -> Any:
        """Time of the step that makes a first token: the new sequence at its prompt, others halfway [ms]."""
        sequences = self.in_step(batch)
        halfway = self.output_tokens / 2.0 * (1.0 - 1.0 / sequences)  # 0 for a sequence alone
        return self.decode_times.step_ms(sequences, self.x.prompt_tokens + halfway)

    def prompt_ms(self, batch: Any) -> Any:
        """Time that a prompt takes of an aggregated worker on which so many decode on average [ms].

        A mixed pass is one call: a prompt takes what its passes are longer than steps of the sequences alone.
        A worker that happens to decode none computes it alone.
        """
        if not self.x.row.split and self.prefill_times.mixes:
            decodes = decoding(batch)
            halfway = self.x.prompt_tokens + self.output_tokens / 2.0
            alone_ms = self.decode_times.pass_ms(0.0, 0.0, self.in_step(batch), halfway)
            longer_ms = self._mixed_ms(batch) - self.passes_beside(0.0) * alone_ms
            return decodes * longer_ms + (1.0 - decodes) * self.prefill_ms
        return self.prefill_ms

    def _mixed_ms(self, batch: Any) -> Any:
        """Time of a prompt's passes with the sequences of a step beside it [ms]."""
        prompt = self.x.prompt_tokens
        return self.prefill_times.prompt_ms(
            prompt,
            self.cached_tokens,
            self.pass_tokens,
            self.in_step(batch),
            prompt + self.output_tokens / 2.0,
        )

    def arrivals_at(self, batch: Any) -> Any:
        """Arrivals at which a decode worker runs so many sequences on average [requests/s]."""
        held_ms = per(self.steps * self.step_ms(batch), batch, 0.0)
        if not self.x.row.split:  # prefill takes its share of the same worker's time
            held_ms = held_ms + self.prompt_ms(batch)
        carried = either(held_ms > 0.0, per(self.decode_workers * MS_PER_S, held_ms), math.inf)
        return either(batch > 0.0, carried, 0.0)

    @cached_property
    def prefill_per_s(self) -> Any:
        """What prefill workers carry that do nothing else [requests/s]."""
        return per(self.prefill_workers * MS_PER_S, self.prefill_ms)

    @cached_property
    def link_per_s(self) -> Any:
        """What the links carry; infinite in an aggregated row [requests/s]."""
        return per(self.links * MS_PER_S, self.sent_ms) if self.x.row.split else math.inf

    @cached_property
    def decode_per_s(self) -> Any:
        """What decode (or aggregated) workers carry that are full; 0 where they hold nothing [requests/s]."""
        if self.steps == 0.0:  # nothing decodes, and all the room is for handoffs
            each_ms = per(self.reserved_ms, self.most_sequences) if self.x.row.split else self.prefill_ms
            carried = per(self.decode_workers * MS_PER_S, each_ms)
        else:
            carried = self.arrivals_at(self.full_batch)
        return either(self.most_sequences == 0.0, 0.0, carried)

    @property
    def most_per_s(self) -> Any:
        """What the row carries: the least of the three [requests/s]."""
        return smaller(smaller(self.prefill_per_s, self.link_per_s), self.decode_per_s)

    def batch_at(self, arrivals_per_s: Any) -> Any:
        """Sequences that a decode worker runs on average; infinite where they are more than it can [-]."""
        none = (arrivals_per_s == 0.0) & (self.most_sequences > 0.0)
        over = arrivals_per_s >= self.decode_per_s
        instant = (
            self.steps * self.step_ms(0.0) == 0.0
        )  # an answer that takes no time keeps no sequence running
        if every(none | over | instant):
            return either(none, 0.0, either(over, math.inf, 0.0))
        full = self.full_batch
        found = root(lambda batch: self.arrivals_at(batch) - arrivals_per_s, 0.0 * full, full)
        with np.errstate(all="ignore"):  # of those that are over
            left_ms = MS_PER_S * self.decode_workers / arrivals_per_s
            if not self.x.row.split:
                left_ms = left_ms - self.prompt_ms(found)
            # to the last digits of a batch far below one
            running = self.steps * self.step_ms(found) / left_ms
        return either(none, 0.0, either(over, math.inf, either(instant, 0.0, running)))


def decoding(batch: Any) -> Any:
    """Return the chance that a worker decodes any sequence, where so many decode on average [-]."""
    return -unboxed(np.expm1(-batch))


def serving_workers(row: Deployment) -> tuple[int, int]:
    """Return what prefills and what decodes on its own, each DP group by itself [-]."""
    decoding = row.decode_workers if row.split else row.prefill_workers
    prefill, decode = row.side("prefill").attention_dp, row.side("decode").attention_dp
    return row.prefill_workers * prefill, decoding * decode


def service(x: ResolvedRow, output_tokens: float) -> Service:
    """Work out what of a row doesn't depend on the load.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> round(service(resolve(Workload(), Deployment(id="a", name="a")), 340).transfer_ms, 2)
    15.73
    """
    after_ms = float(handoff(x).transfer_ms)
    prefill_workers, decode_workers = serving_workers(x.row)
    return Service(
        x=x,
        idle=breakdown(x),
        prefill_ms=float(prefill_ms(x)),
        transfer_ms=float(transfer_ms(x)),
        output_tokens=output_tokens,
        most_sequences=row_memory(x, round(output_tokens)).most_sequences,
        prefill_workers=prefill_workers,
        decode_workers=decode_workers,
        pass_tokens=float(x.row.pass_tokens),
        cached_tokens=float(x.prefill_cached_tokens),
        exposed_ms=math.inf if math.isnan(after_ms) else after_ms,
        prefill_times=prefill_pass_time(x),
        decode_times=decode_pass_time(x),
    )
