"""The one time of a pass: of a worker's prompts, of its decoding sequences, of both in one pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aisim_model.arrays import Values, count_pieces, unboxed
from aisim_model.passes import roofline, roofline_drafts, simple_roofline
from aisim_model.passes.pass_model import PassModel, SeveralModels, fixed, polynomial, rate, table
from aisim_model.passes.registry import ADDS_UP, MIXES, MODELS, Kind
from aisim_model.passes.work import PassWork, prompt_work
from aisim_model.passes.worker import Worker

__all__ = [
    "Drafts",
    "PassModel",
    "PassTime",
    "SeveralModels",
    "fixed",
    "pass_time",
    "polynomial",
    "rate",
    "table",
]
MOST_PASSES = 1024
Line = tuple[Values, Values]  # its value at the first place, and its rise from one to the next


class Drafts(NamedTuple):
    """What the decode steps of a worker draft.

    Parameters
    ----------
    tokens : int
        Drafts of a step [-].
    tokens_per_step : float
        Tokens that a step gives on average, its own included [-].
    layer_share : float
        Share of a pass that one draft takes: a layer of all [-].
    """

    tokens: int = 0
    tokens_per_step: float = 1.0
    layer_share: float = 0.0


NO_DRAFTS = Drafts()
DRAFTS = frozenset({Kind.ROOFLINE, Kind.SIMPLE_ROOFLINE})  # what times positions that drafts add


@dataclass(frozen=True)
class PassTime:
    """How long the passes of one worker take.

    Parameters
    ----------
    prefill, decode : PassModel
        What times its prompts, and its decoding sequences: the same object where one formula times both in
        one call, else a mixed pass takes the sum.
    drafts : Drafts
        What decode steps draft.

    Examples
    --------
    >>> found = PassTime(rate(20_000), fixed(5.0))
    >>> found.pass_ms(1000.0), found.pass_ms(0.0, sequences=8.0), found.pass_ms(1000.0, 0.0, 8.0, 500.0)
    (50.0, 5.0, 55.0)
    """

    prefill: PassModel
    decode: PassModel
    drafts: Drafts = NO_DRAFTS

    @property
    def mixes(self) -> bool:
        """Whether a mixed pass is one call."""
        return self.prefill is self.decode and self.prefill.kind in MIXES

    def pass_ms(
        self,
        prompt_tokens: Values,
        cached_tokens: Values = 0.0,
        sequences: Values = 0.0,
        context_tokens: Values = 0.0,
    ) -> Values:
        """Time of a pass with one prompt's new tokens, and of sequences that decode beside it.

        Parameters
        ----------
        prompt_tokens : float or array of float64
            New tokens of the prompt [-].
        cached_tokens : float or array of float64
            Tokens of the prompt that are there already, by a cache hit [-].
        sequences : float or array of float64
            Sequences that take a token each [-].
        context_tokens : float or array of float64
            Tokens of each of these sequences [-].

        Returns
        -------
        float or array of float64
            Time [ms]; 0 where there is nothing to do.
        """
        held = sequences * context_tokens
        return self.work_ms(prompt_work(prompt_tokens, cached_tokens, 0.0, sequences, held))

    def work_ms(self, work: PassWork) -> Values:
        """Time of any pass; 0 where there is nothing to do [ms]."""
        prompts, decodes = np.greater(work.new_tokens, 0), np.greater(work.sequences, 0)
        if self.mixes:
            return unboxed(self.decode.ms(work, prompts) * (prompts | decodes))
        alone = PassWork(*work[:4])
        steps = PassWork(sequences=work.sequences, context_tokens=work.context_tokens)
        spent = 0.0 if not np.any(prompts) else self.prefill.ms(alone, prompts) * prompts
        return unboxed(spent if not np.any(decodes) else spent + self.decode.ms(steps, False) * decodes)

    def step_ms(self, sequences: Values, context_tokens: Values) -> Values:
        """Time of a decode step of so many sequences of so many tokens each [ms].

        With drafts it is a pass of ``k + 1`` positions of each sequence, and before it k drafts of a layer
        each; a measured or fixed step counts as measured with its drafts.
        """
        plain = self.pass_ms(0.0, 0.0, sequences, context_tokens)
        if not self.drafts.tokens or self.decode.kind not in DRAFTS:
            return plain
        held = sequences * context_tokens
        checked = PassWork(
            new_tokens=self.drafts.tokens * sequences, sequences=sequences, context_tokens=held
        )
        drafted = self.drafts.tokens * self.drafts.layer_share * plain
        if self.decode.kind is Kind.ROOFLINE:
            drafted = drafted + roofline_drafts.draft_ms(self.decode.numbers, self.drafts.tokens) * (
                sequences > 0.0
            )
        return unboxed(self.decode.ms(checked, False) + drafted)

    def token_ms(self, sequences: Values, context_tokens: Values) -> Values:
        """Time of a decode step for each token that it gives a sequence [ms]."""
        return self.step_ms(sequences, context_tokens) / self.drafts.tokens_per_step

    def of_each_token(self) -> PassModel | None:
        """Return a model that times a decode step for each token that it gives; None where no formula does.

        Examples
        --------
        >>> PassTime(rate(20_000), fixed(5.0), Drafts(2, 2.5)).of_each_token().ms(prompt_work(0.0), False)
        2.0
        """
        share = 1.0 / self.drafts.tokens_per_step
        if self.decode.kind is Kind.LINE:
            return PassModel(Kind.LINE, tuple(number * share for number in self.decode.numbers))
        if self.decode.kind is not Kind.ROOFLINE:
            return None
        drafted = roofline_drafts.with_drafts(
            self.decode.numbers, self.drafts.tokens, self.drafts.layer_share, share
        )
        return PassModel(Kind.ROOFLINE, drafted)

    def prompt_ms(
        self,
        prompt_tokens: Values,
        cached_tokens: Values,
        pass_tokens: Values,
        sequences: Values = 0.0,
        context_tokens: Values = 0.0,
    ) -> Values:
        """Time to prefill a prompt: full passes and a last short one, sequences decoding beside it or not.

        Parameters
        ----------
        prompt_tokens, cached_tokens : float or array of float64
            Tokens of the prompt, and those of them that are there by a cache hit [-].
        pass_tokens : float or array of float64
            Most new tokens of a pass [-].
        sequences, context_tokens : float or array of float64
            As in `pass_ms`.

        Returns
        -------
        float or array of float64
            Time [ms]; 0 where nothing is left to compute.

        Examples
        --------
        >>> PassTime(polynomial(1e6), fixed(1.0)).prompt_ms(16_384.0, 0.0, 8192.0)
        338.273836
        """
        uncached = prompt_tokens - cached_tokens
        beside = (sequences, sequences * context_tokens) if self.mixes else (0.0, 0.0)

        def pass_ms(model: PassModel, new: Values, computed: Values) -> Values:
            work = prompt_work(new, cached_tokens + computed, computed, *beside)
            return model.ms(work, np.greater(new, 0)) * np.greater(new, 0)

        if self.prefill.kind in ADDS_UP or np.all(uncached <= pass_tokens):
            spent = pass_ms(self.prefill, uncached, 0.0)
        else:
            full = np.floor_divide(uncached, pass_tokens)

            def line(model: PassModel, start: Values = 0.0) -> Line:
                at = pass_ms(model, pass_tokens, start * pass_tokens)
                rise = pass_ms(model, pass_tokens, (start + 1.0) * pass_tokens) - at
                return at - start * rise, rise

            if self.prefill.kind is Kind.OPERATORS:
                spent = _each_pass_ms(pass_ms, self.prefill, uncached, full, pass_tokens)
            else:
                spent = _full_passes_ms(self.prefill, line, full, pass_tokens)
                spent = spent + pass_ms(self.prefill, uncached - full * pass_tokens, full * pass_tokens)
        if not self.mixes and np.any(sequences):
            beside_ms = self.pass_ms(0.0, 0.0, sequences, context_tokens)
            spent = spent + count_pieces(uncached, pass_tokens) * beside_ms
        return unboxed(spent)


def _each_pass_ms(
    pass_ms: Callable[..., Values], model: PassModel, uncached: Values, full: Values, pass_tokens: Values
) -> Values:
    """Add up a prompt's passes one by one, or of very many some that are evenly spread [ms]."""
    most = float(np.max(full))
    asked = np.arange(most) if most <= MOST_PASSES else np.linspace(0.0, most - 1.0, MOST_PASSES)
    spent, before = pass_ms(model, uncached - full * pass_tokens, full * pass_tokens), 0.0
    for place in asked:  # each stands for those since the one before
        passes = np.maximum(np.minimum(full, place + 1.0) - before, 0.0)
        spent = spent + passes * pass_ms(model, pass_tokens, place * pass_tokens)
        before = place + 1.0
    return spent


def _full_passes_ms(
    model: PassModel, line: Callable[..., Line], count: Values, pass_tokens: Values
) -> Values:
    """Add up so many full passes of a prompt [ms].

    A full pass's time is a straight line in its place, or the larger or the smaller of two.
    """
    if model.kind is Kind.SIMPLE_ROOFLINE:  # arithmetic, or memory
        arithmetic, memory = simple_roofline.bounds(model.numbers)
        return _sum_of_larger(
            line(PassModel(model.kind, arithmetic)), line(PassModel(model.kind, memory)), count
        )
    if model.kind is Kind.ROOFLINE and np.any(model.numbers[roofline.WINDOW_PAIR_MS]):
        # windows that fill, and windows that are full
        filling = line(PassModel(model.kind, roofline.with_windows_filling(model.numbers)))
        window = float(np.max(model.numbers[roofline.WINDOW_ATTENDED]))
        full = line(model, window // pass_tokens + 1.0)
        return -_sum_of_larger((-filling[0], -filling[1]), (-full[0], -full[1]), count)
    start, rise = line(model)
    return count * start + rise * count * (count - 1.0) / 2.0


def _sum_of_larger(one: Line, other: Line, count: Values) -> Values:
    """Add up, over so many places, the larger of two straight lines."""
    turned = np.less(other[1], one[1])
    first, late = np.where(turned, other[0], one[0]), np.where(turned, one[0], other[0])
    rise, late_rise = np.where(turned, other[1], one[1]), np.where(turned, one[1], other[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = np.divide(first - late, late_rise - rise)  # NaN for lines that are the same
    early = np.clip(np.floor(np.where(np.isnan(meet), np.inf, meet)) + 1.0, 0.0, count)
    steps, early_steps = count * (count - 1.0) / 2.0, early * (early - 1.0) / 2.0
    return early * first + rise * early_steps + (count - early) * late + late_rise * (steps - early_steps)


def pass_time(worker: Worker, prefill_model: str, decode_model: str) -> PassTime:
    """Return the time of a worker's passes by named models.

    Parameters
    ----------
    worker : Worker
        The worker.
    prefill_model, decode_model : str
        Keys of `registry.MODELS`.
    """
    prefill, decode = MODELS[prefill_model], MODELS[decode_model]
    assert prefill.prefill is not None  # the scenario knows which model times what
    assert decode.decode is not None
    times_decode = PassModel(decode.decode_kind or decode.kind, decode.decode(worker))
    if prefill_model == decode_model and decode.kind in MIXES:
        return PassTime(times_decode, times_decode)
    return PassTime(PassModel(prefill.kind, prefill.prefill(worker)), times_decode)
