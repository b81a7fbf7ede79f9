"""The one time of a pass: of a worker's prompts, of its decoding sequences, of both in one pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aisim_model.arrays import Values, count_pieces, unboxed
from aisim_model.errors import InputError
from aisim_model.passes import roofline, simple_roofline
from aisim_model.passes.registry import ADDS_UP, MIXES, MODELS, Kind, Numbers, pass_ms
from aisim_model.passes.work import PassWork, prompt_work
from aisim_model.passes.worker import Table, Worker
from aisim_model.units import MS_PER_S, NS_PER_MS

MOST_PASSES = 1024
Line = tuple[Values, Values]  # its value at the first place, and its rise from one to the next


@dataclass(frozen=True)
class PassModel:
    """A formula of a pass, and the numbers that it takes of a worker.

    Parameters
    ----------
    kind : Kind
        The formula.
    numbers : tuple of float or array
        What the formula makes of the worker.
    """

    kind: Kind
    numbers: Numbers

    @property
    def is_constant(self) -> bool:
        """Whether a decode step takes the same time whatever it works on."""
        return self.kind is Kind.LINE

    def ms(self, work: PassWork, prompts: Values) -> Values:
        """Time of a pass [ms]."""
        time_ms = pass_ms(self.kind, self.numbers, prompts, *work)
        if self.kind is Kind.POLYNOMIAL:  # as the reference engine keeps it, in whole nanoseconds
            time_ms = np.rint(time_ms * NS_PER_MS) / NS_PER_MS
        return unboxed(time_ms)


@dataclass(frozen=True)
class SeveralModels(PassModel):
    """Tables of several workers, each of one element of what is asked.

    Parameters
    ----------
    models : tuple of PassModel
        One a worker.
    places : array of int
        Which of them times each element.
    """

    models: tuple[PassModel, ...] = ()
    places: npt.NDArray[np.intp] | None = None

    def ms(self, work: PassWork, prompts: Values) -> Values:
        """Time of a pass, element by element [ms]."""
        assert self.places is not None
        *asked, prompts, places = np.broadcast_arrays(*work, prompts, self.places)
        found = np.empty(places.shape)
        for place, model in enumerate(self.models):
            mine = places == place
            found[mine] = model.ms(PassWork(*(column[mine] for column in asked)), prompts[mine])
        return found


def fixed(per_pass_ms: float) -> PassModel:
    """Return a time that is the same for every pass [ms].

    Examples
    --------
    >>> fixed(5.0).is_constant
    True
    """
    return PassModel(Kind.LINE, (float(per_pass_ms), 0.0))


def rate(tokens_per_s: float) -> PassModel:
    """Return a time in proportion to the new tokens.

    Parameters
    ----------
    tokens_per_s : float
        Prefill rate of one worker [tokens/s].

    Raises
    ------
    InputError
        For a rate that isn't above 0 and finite.

    Examples
    --------
    >>> rate(20_000).numbers
    (0.0, 0.05)
    """
    if not (tokens_per_s > 0.0 and np.isfinite(tokens_per_s)):
        raise InputError("tokens_per_s", tokens_per_s, "must be above 0 and finite", "Enter a token rate.")
    return PassModel(Kind.LINE, (0.0, MS_PER_S / tokens_per_s))


def polynomial(pool_tokens: float = 0.0) -> PassModel:
    """Return the reference engine's polynomials, which know no model.

    Parameters
    ----------
    pool_tokens : float
        Tokens of a worker's KV pool [-]; 0 for that of the replay that asks.

    Examples
    --------
    >>> polynomial(1e6).ms(prompt_work(128.0), True)
    18.451798
    """
    return PassModel(Kind.POLYNOMIAL, (float(pool_tokens),))


def table(rows: Table) -> PassModel:
    """Return a measured table of prompts.

    Parameters
    ----------
    rows : tuple of (float, float)
        Tokens [-] and milliseconds, at least two rows, tokens rising.
    """
    tokens, times = zip(*rows, strict=True)
    return PassModel(Kind.TABLE, (float(len(rows)), *map(float, tokens), *map(float, times)))


@dataclass(frozen=True)
class PassTime:
    """How long the passes of one worker take.

    Parameters
    ----------
    prefill, decode : PassModel
        What times its prompts, and its decoding sequences: the same object where one formula times both in
        one call, else a mixed pass takes the sum.

    Examples
    --------
    >>> found = PassTime(rate(20_000), fixed(5.0))
    >>> found.pass_ms(1000.0), found.pass_ms(0.0, sequences=8.0), found.pass_ms(1000.0, 0.0, 8.0, 500.0)
    (50.0, 5.0, 55.0)
    """

    prefill: PassModel
    decode: PassModel

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
        """Time of a decode step of so many sequences of so many tokens each [ms]."""
        return self.pass_ms(0.0, 0.0, sequences, context_tokens)

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
            spent = spent + count_pieces(uncached, pass_tokens) * self.step_ms(sequences, context_tokens)
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
