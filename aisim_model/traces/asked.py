"""What a file leaves open and a person says: how requests arrive, and how long answers are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from aisim_model.errors import InputError
from aisim_model.traces.cells import MAX_TOKENS
from aisim_model.traces.faults import counted
from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.raw import RawColumns

MOST_PER_S = 1e6


@dataclass(frozen=True)
class Asked:
    """Arrivals and output lengths for a file that has none.

    Parameters
    ----------
    arrivals : {"rate", "closed", "at_once"} or None
        Evenly spaced at `rate_per_s`; in a closed loop, where each request follows one that ends; or all at
        the first instant. None: the file's own.
    rate_per_s : float or None
        Requests a second [1/s].
    output_tokens : int or None
        Tokens of every answer [-]; None: the file's own.

    Raises
    ------
    InputError
        For a rate or a length out of range, or a rate that is missing.

    Examples
    --------
    >>> Asked(arrivals="rate", rate_per_s=4.0).optional
    ('arrival',)
    """

    arrivals: Literal["rate", "closed", "at_once"] | None = None
    rate_per_s: float | None = None
    output_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.arrivals == "rate" and not (self.rate_per_s and 0.0 < self.rate_per_s <= MOST_PER_S):
            problem = f"must be above 0 and at most {MOST_PER_S:,.0f} requests a second"
            raise InputError("rate_per_s", self.rate_per_s, problem, "Enter one such as 2.")
        if self.output_tokens is not None and not 1 <= self.output_tokens <= MAX_TOKENS:
            problem = f"must be from 1 to {MAX_TOKENS:,} tokens"
            raise InputError("output_tokens", self.output_tokens, problem, "Enter one such as 256.")

    @property
    def optional(self) -> tuple[str, ...]:
        """Roles that need no column."""
        said = {"arrival": self.arrivals, "output_tokens": self.output_tokens}
        return tuple(role for role, value in said.items() if value is not None)

    def filled(self, known: TraceFormat, raw: RawColumns) -> tuple[TraceFormat, RawColumns]:
        """Put what was asked for in the place of the columns; the notes say so."""
        rows, notes = len(raw.input_tokens), list(raw.notes)
        if self.output_tokens is not None:
            raw = replace(raw, output_tokens=pa.array(np.full(rows, self.output_tokens)))
            notes.append(f"Output lengths as asked: {counted(self.output_tokens, 'token')} each.")
        if self.arrivals is not None:
            gap_ns = 1e9 / self.rate_per_s if self.arrivals == "rate" and self.rate_per_s else 0.0
            times = np.rint(np.arange(rows) * gap_ns).astype(np.int64)
            raw = replace(raw, arrival=pa.array(times), delays=None)
            known = replace(known, time_unit="ns", unit_is_certain=True)
            notes.append(f"Arrivals as asked: {self._said()}.")
        return known, replace(raw, notes=tuple(notes))

    def _said(self) -> str:
        if self.arrivals == "rate":
            return f"{self.rate_per_s:,g} a second, evenly spaced"
        return "a closed loop" if self.arrivals == "closed" else "all at once"


NOTHING_ASKED = Asked()


def asks(missing: Iterable[str]) -> InputError | None:
    """Return what has to be asked where lengths are there and arrivals or outputs alone are not.

    Examples
    --------
    >>> print(asks(["output_tokens"]))
    output_tokens = 'missing': no column holds output lengths. Give a constant, such as 256 tokens.
    >>> asks(["input_tokens"]) is None
    True
    """
    missing = set(missing)
    if "arrival" in missing and missing <= {"arrival", "output_tokens"}:
        also = " nor output lengths" if "output_tokens" in missing else ""
        remedy = "Say how they arrive: at a rate, in a closed loop, or all at once"
        remedy += "; and give a constant output length." if also else "."
        return InputError("arrivals", "missing", f"no column holds arrival times{also}", remedy)
    if missing == {"output_tokens"}:
        remedy = "Give a constant, such as 256 tokens."
        return InputError("output_tokens", "missing", "no column holds output lengths", remedy)
    return None
