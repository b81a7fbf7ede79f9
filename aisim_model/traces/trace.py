"""The one table of requests that every trace format is read into, and that a replay takes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from aisim_model.errors import InputError
from aisim_model.units import BYTES_PER_GB, MS_PER_S

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def no_hash_ids() -> Integers:
    """Return the hash ids of a trace that has none.

    Examples
    --------
    >>> no_hash_ids().size
    0
    """
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Trace:
    """Requests in order of arrival; requests that arrive together keep the order of the file.

    Parameters
    ----------
    arrival_ms : array of float64
        Arrival of each request after the first one [ms]; starts at 0 and never falls.
    input_tokens, output_tokens : array of int64
        Tokens of the prompt and tokens generated [-]; at least 1 each.
    hash_ids : array of int64, optional
        Ids of the prompt blocks of all requests, one request after the other. Equal leading ids mean an equal
        prefix. A request may have fewer ids than blocks: what follows them is shared with nobody.
    hash_offsets : array of int64, optional
        Ids of request `i` are ``hash_ids[hash_offsets[i] : hash_offsets[i + 1]]``; of length n + 1, or empty
        where no request has ids.
    block_tokens : int or None
        Prompt tokens that one hash id stands for [-]; None where there are no ids.
    name : str
        What the trace is called on the page and in exports.
    source_rows : array of int64, optional
        Row of each request in what it was read from, the first being 1; numbered in order when left out.

    Raises
    ------
    InputError
        For columns of different lengths, no requests at all, or a value outside the ranges above.

    Examples
    --------
    >>> trace = Trace(np.array([0.0, 500.0]), np.array([100, 300]), np.array([8, 8]), name="two")
    >>> len(trace), trace.span_ms, trace.total_input_tokens
    (2, 500.0, 400)
    """

    arrival_ms: Floats
    input_tokens: Integers
    output_tokens: Integers
    hash_ids: Integers = field(default_factory=no_hash_ids)
    hash_offsets: Integers = field(default_factory=no_hash_ids)
    block_tokens: int | None = None
    name: str = "trace"
    source_rows: Integers = field(default_factory=no_hash_ids)

    def __post_init__(self) -> None:
        if self.source_rows.size == 0:
            object.__setattr__(self, "source_rows", np.arange(1, self.arrival_ms.size + 1, dtype=np.int64))
        self._freeze()
        self._check_columns()
        self._check_hash_ids()

    def _freeze(self) -> None:
        """Hold read-only arrays of the stated types: a cached trace must not change under a replay."""
        kinds = {"arrival_ms": np.float64} | dict.fromkeys(
            ("input_tokens", "output_tokens", "hash_ids", "hash_offsets", "source_rows"), np.int64
        )
        for column, kind in kinds.items():
            held = np.ascontiguousarray(getattr(self, column), dtype=kind).view()
            held.flags.writeable = False
            object.__setattr__(self, column, held)

    def _check_columns(self) -> None:
        rows = self.arrival_ms.size
        if rows == 0:
            raise InputError("trace", self.name, "has no requests", "Choose a trace or window with some.")
        for column in ("input_tokens", "output_tokens", "source_rows"):
            values = getattr(self, column)
            if values.shape != self.arrival_ms.shape:
                raise InputError(column, len(values), f"must have one value for each of {rows:,} arrivals")
            if values.min() < 1:
                raise InputError(column, int(values.min()), "must be 1 or more in every row")
        if not np.isfinite(self.arrival_ms).all() or self.arrival_ms[0] != 0.0:
            raise InputError("arrival_ms", float(self.arrival_ms[0]), "must be finite and start at 0")
        if (np.diff(self.arrival_ms) < 0.0).any():
            raise InputError("arrival_ms", "unsorted", "must not fall from one row to the next")

    def _check_hash_ids(self) -> None:
        if self.hash_offsets.size == 0:
            if self.hash_ids.size:
                raise InputError("hash_offsets", "empty", "must say which hash ids belong to which request")
            return
        if self.block_tokens is None or self.block_tokens < 1:
            raise InputError("block_tokens", self.block_tokens, "must be 1 or more where there are hash ids")
        offsets = self.hash_offsets
        fits = offsets.size == len(self) + 1 and offsets[0] == 0 and offsets[-1] == self.hash_ids.size
        if not fits or (np.diff(offsets) < 0).any():
            raise InputError("hash_offsets", offsets.size, "must rise from 0 to the number of hash ids")

    def __len__(self) -> int:
        return int(self.arrival_ms.size)

    @property
    def span_ms(self) -> float:
        """Time from the first arrival to the last [ms]."""
        return float(self.arrival_ms[-1])

    @property
    def span_s(self) -> float:
        """Time from the first arrival to the last [s]."""
        return round(self.span_ms / MS_PER_S, 12)  # the division alone gives 3435.9480559999997

    @property
    def total_input_tokens(self) -> int:
        """Prompt tokens of all requests [-]."""
        return int(self.input_tokens.sum())

    @property
    def total_output_tokens(self) -> int:
        """Generated tokens of all requests [-]."""
        return int(self.output_tokens.sum())

    @property
    def has_hash_ids(self) -> bool:
        """Whether any request says which blocks its prompt shares with others."""
        return self.hash_ids.size > 0

    def requests_per_s(self) -> float | None:
        """Return the requests over the span [1/s]; None where all arrive at once."""
        return len(self) / self.span_s if self.span_ms > 0.0 else None

    def offered_gb_s(self, kv_bytes_per_token: float, state_bytes: float = 0.0) -> float | None:
        """KV bytes of all full prompts over the span: what the links are asked to carry.

        Parameters
        ----------
        kv_bytes_per_token : float
            Bytes of one prompt token [B].
        state_bytes : float
            Bytes a request sends once, whatever its prompt [B].

        Returns
        -------
        float or None
            Offered load [GB/s, decimal]; None where all requests arrive at once.

        Examples
        --------
        >>> trace = Trace(np.array([0.0, 500.0]), np.array([1000, 1000]), np.array([8, 8]))
        >>> trace.offered_gb_s(1e6)  # 2 GB in half a second
        4.0
        """
        return self.gb_s(self.total_input_tokens * kv_bytes_per_token + len(self) * state_bytes)

    def gb_s(self, total_bytes: float) -> float | None:
        """Return bytes over the span [GB/s, decimal]; None where all requests arrive at once."""
        return total_bytes / BYTES_PER_GB / self.span_s if self.span_ms > 0.0 else None

    def hash_ids_of(self, index: int) -> Integers:
        """Return the block ids of one request; empty where it has none."""
        if self.hash_offsets.size == 0:
            return no_hash_ids()
        return self.hash_ids[self.hash_offsets[index] : self.hash_offsets[index + 1]]

    def head(self, requests: int) -> Trace:
        """Return the first requests. See `slice_warning`: the head of a trace is seldom like the rest.

        Parameters
        ----------
        requests : int
            How many [-]; all of them where the trace has fewer.

        Raises
        ------
        InputError
            For fewer than 1.
        """
        if requests < 1:
            raise InputError("requests", requests, "must be 1 or more")
        return self._rows(0, min(requests, len(self)))

    def window(self, start_ms: float, end_ms: float) -> Trace:
        """Return the requests that arrive from `start_ms` on and before `end_ms` [ms after the first].

        Raises
        ------
        InputError
            Where none arrives in between.

        Examples
        --------
        >>> trace = Trace(np.array([0.0, 500.0, 900.0]), np.array([1, 2, 3]), np.array([8, 8, 8]))
        >>> trace.window(500.0, 1000.0).arrival_ms
        array([  0., 400.])
        """
        if not start_ms < end_ms:
            raise InputError("window", (start_ms, end_ms), "must start before it ends")
        first, last = (int(edge) for edge in np.searchsorted(self.arrival_ms, (start_ms, end_ms)))
        if first == last:
            problem = f"has no arrivals; the trace runs from 0 to {self.span_ms:,.0f} ms"
            raise InputError("window", (start_ms, end_ms), problem, "Choose a longer window.")
        return self._rows(first, last)

    def _rows(self, first: int, last: int) -> Trace:
        """Return rows first to last, the last left out, with the first arrival moved to 0."""
        offsets, ids = self.hash_offsets, self.hash_ids
        if offsets.size:
            offsets = offsets[first : last + 1]
            ids, offsets = ids[offsets[0] : offsets[-1]], offsets - offsets[0]
        return replace(
            self,
            arrival_ms=self.arrival_ms[first:last] - self.arrival_ms[first],
            input_tokens=self.input_tokens[first:last],
            output_tokens=self.output_tokens[first:last],
            hash_ids=ids,
            hash_offsets=offsets,
            source_rows=self.source_rows[first:last],
        )

    def scaled_rate(self, factor: float) -> Trace:
        """Return the same requests arriving `factor` times as fast.

        Parameters
        ----------
        factor : float
            2 halves every gap [-]; above 0 and finite.

        Raises
        ------
        InputError
            For any other factor.

        Examples
        --------
        >>> Trace(np.array([0.0, 500.0]), np.array([1, 2]), np.array([8, 8])).scaled_rate(2.0).span_ms
        250.0
        """
        if not (np.isfinite(factor) and factor > 0.0):
            raise InputError(
                "rate_factor", factor, "must be above 0 and finite", "1 leaves the rate as it is."
            )
        with np.errstate(over="ignore"):  # what overflows is refused by name below
            arrival_ms = self.arrival_ms / factor
        if not np.isfinite(arrival_ms[-1]):
            raise InputError("rate_factor", factor, "is too small: arrivals are beyond a 64-bit float")
        return replace(self, arrival_ms=arrival_ms)

    def repeated(self, copies: int, rate_factor: float = 1.0, *, same_prefixes: bool = False) -> Trace:
        """Return the trace played several times over, one mean gap between the copies.

        Parameters
        ----------
        copies : int
            How many times [-]; at least 1.
        rate_factor : float
            How much faster all of it arrives [-]; equal to `copies` keeps about the span.
        same_prefixes : bool
            Whether the copies share prefixes. By default each has ids of its own: a repetition would
            otherwise find every block in the cache, which no real traffic does.

        Raises
        ------
        InputError
            For a count below 1 or a factor that `scaled_rate` refuses.

        Examples
        --------
        >>> trace = Trace(np.array([0.0, 500.0]), np.array([1, 2]), np.array([8, 8]))
        >>> trace.repeated(2).arrival_ms
        array([   0.,  500., 1000., 1500.])
        """
        if copies < 1:
            raise InputError("copies", copies, "must be 1 or more")
        gap_ms = self.span_ms / (len(self) - 1) if len(self) > 1 else 0.0
        starts_ms = np.arange(copies) * (self.span_ms + gap_ms)
        ids, offsets = self.hash_ids, self.hash_offsets
        if offsets.size:
            offsets = np.append(0, np.tile(np.diff(offsets), copies).cumsum())
            ids = np.tile(ids, copies) if same_prefixes else _ids_of_copies(ids, copies)
        return replace(
            self,
            arrival_ms=(starts_ms[:, None] + self.arrival_ms).ravel(),
            input_tokens=np.tile(self.input_tokens, copies),
            output_tokens=np.tile(self.output_tokens, copies),
            hash_ids=ids,
            hash_offsets=offsets,
            source_rows=np.tile(self.source_rows, copies),
        ).scaled_rate(rate_factor)


def _ids_of_copies(hash_ids: Integers, copies: int) -> Integers:
    """Return ids that are equal within a copy where they were, and never between copies."""
    if hash_ids.size == 0:
        return hash_ids
    distinct, places = np.unique(hash_ids, return_inverse=True)
    return (np.arange(copies)[:, None] * distinct.size + places).ravel().astype(np.int64)
