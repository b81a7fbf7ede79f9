"""The byte curve of one request's KV cache: what grows, what stops growing, what is constant.

``bytes(n) = (growing + indexer) * n + sum of window_bytes * min(n, window) + constant + cross-attention``
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Protocol, overload

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from aisim_model.arrays import Floats, Values
from aisim_model.handoff import whole_count

Bytes = Annotated[int | float, Field(ge=0, allow_inf_nan=False)]
Tokens = npt.NDArray[np.int64] | npt.NDArray[np.float64]


class ByteCurve(Protocol):
    """Bytes of one request as the time models take them: `KvCurve`, or a sweep's own with many rates."""

    @property
    def per_token_bytes(self) -> int | Values:
        """What each further token adds [B]."""
        ...

    @property
    def fixed_bytes(self) -> int | float:
        """What a request keeps whatever its tokens [B]."""
        ...

    @property
    def recurrent_bytes(self) -> int | float:
        """Recurrent and convolution state [B]."""
        ...

    @property
    def source_bytes(self) -> int | float:
        """Keys and values of a source of known length [B]."""
        ...

    @property
    def windowed(self) -> tuple[KvWindow, ...]:
        """Layers that keep the last tokens only."""
        ...

    def state_bytes(self, tokens: Floats) -> Floats:
        """Bytes beside those that each token adds [B]."""
        ...


class KvWindow(BaseModel):
    """Layers that keep the last tokens only.

    Parameters
    ----------
    bytes_per_token : int or float
        Bytes of one token in all these layers [B].
    window_tokens : int
        Tokens that they keep [-].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes_per_token: Bytes
    window_tokens: Annotated[int, Field(ge=1)]


class KvCross(BaseModel):
    """Keys and values of what a decoder attends to beside its own tokens: audio, an image, a source text.

    Parameters
    ----------
    bytes_per_source_token : int or float
        Bytes of one source position [B].
    source_tokens : int or None
        Source positions, where every request has the same number [-].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes_per_source_token: Bytes
    source_tokens: Annotated[int, Field(ge=1)] | None = None

    @property
    def bytes(self) -> int | float | None:
        """Bytes of a request's source [B]; None where its length is not known from the config."""
        return None if self.source_tokens is None else self.bytes_per_source_token * self.source_tokens


class KvCurve(BaseModel):
    """Bytes of a request's KV cache and state over its tokens.

    Parameters
    ----------
    growing_bytes_per_token : int or float
        Bytes that each token adds, however many there are [B].
    indexer_bytes_per_token : int or float
        Bytes that each token adds to a sparse-attention indexer's own cache [B].
    windowed : tuple of KvWindow
        Layers that stop growing, one entry a window.
    constant_bytes : int or float
        Recurrent and convolution state, whatever the prompt [B].
    cross_attention : KvCross or None
        What a decoder keeps of its source; it goes into the total where its length is known.

    Examples
    --------
    >>> curve = KvCurve(
    ...     growing_bytes_per_token=36_864, windowed=(KvWindow(bytes_per_token=36_864, window_tokens=128),)
    ... )
    >>> curve.bytes(1), curve.bytes(1_000)
    (73728, 41582592)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    growing_bytes_per_token: Bytes = 0
    indexer_bytes_per_token: Bytes = 0
    windowed: tuple[KvWindow, ...] = ()
    constant_bytes: Bytes = 0
    cross_attention: KvCross | None = None

    @property
    def per_token_bytes(self) -> int | float:
        """What each further token adds beyond every window: growing and indexer [B]."""
        return self.growing_bytes_per_token + self.indexer_bytes_per_token

    @property
    def recurrent_bytes(self) -> int | float:
        """Recurrent and convolution state, as the time of a pass asks for it [B]."""
        return self.constant_bytes

    @property
    def source_bytes(self) -> int | float:
        """Keys and values of a source of known length; 0 of one whose length isn't known [B]."""
        return (self.cross_attention.bytes if self.cross_attention else None) or 0

    @property
    def fixed_bytes(self) -> int | float:
        """What a request keeps whatever its tokens: state, and a source of known length [B]."""
        return self.constant_bytes + self.source_bytes

    @overload
    def bytes(self, tokens: int) -> int | float: ...
    @overload
    def bytes(self, tokens: Tokens) -> npt.NDArray[np.float64]: ...
    def bytes(self, tokens: int | Tokens) -> int | float | npt.NDArray[np.float64]:
        """Bytes that a request of `tokens` tokens keeps.

        Parameters
        ----------
        tokens : int or array
            Tokens of the request [-].

        Returns
        -------
        int, float or array of float64
            Bytes [B]; a whole number is an int.

        Raises
        ------
        InputError
            For a negative or fractional count.
        """
        if isinstance(tokens, np.ndarray):
            counts = np.asarray(tokens, dtype=np.float64)
            for bad in counts[~((counts >= 0) & (counts < 2**64) & (np.floor(counts) == counts))][:1]:
                whole_count("tokens", float(bad))
            return counts * self.per_token_bytes + self.state_bytes(counts)
        count = whole_count("tokens", tokens)
        return whole(count * self.per_token_bytes + self.state_bytes(count))

    @overload
    def state_bytes(self, tokens: int) -> int | float: ...
    @overload
    def state_bytes(self, tokens: Tokens) -> npt.NDArray[np.float64]: ...
    def state_bytes(self, tokens: int | Tokens) -> int | float | npt.NDArray[np.float64]:
        """Bytes beside those that each token adds: windows, recurrent state, a source of known length.

        With `per_token_bytes` it is what the reference model takes: ``tokens * per_token + state``.

        Parameters
        ----------
        tokens : int or array
            Tokens of the request [-].

        Returns
        -------
        int, float or array of float64
            Bytes [B].
        """
        if isinstance(tokens, np.ndarray):
            counts = np.asarray(tokens, dtype=np.float64)
            total = np.full(counts.shape, float(self.fixed_bytes))
            for window in self.windowed:
                total = total + window.bytes_per_token * np.minimum(counts, window.window_tokens)
            return total
        kept = sum(w.bytes_per_token * min(tokens, w.window_tokens) for w in self.windowed)
        return whole(self.fixed_bytes + kept)


def whole(value: int | float | Fraction) -> int | float:
    """Return a number as an int where it is one, else as a float.

    Examples
    --------
    >>> whole(3.0), whole(4.5)
    (3, 4.5)
    """
    return int(value) if value == int(value) else float(value)
