"""A formula of a pass with the numbers of one worker, or of several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aisim_model.arrays import Values, unboxed
from aisim_model.errors import InputError
from aisim_model.passes.registry import Kind, Numbers, pass_ms
from aisim_model.passes.work import PassWork
from aisim_model.passes.worker import Table
from aisim_model.units import MS_PER_S, NS_PER_MS


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
    >>> from aisim_model.passes.work import prompt_work
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
