"""Measured transfers: what was sent and how long it took, checked row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from aisim_model.errors import InputError

MOST_ROWS = 100_000
Counted = Literal["descriptors", "blocks"]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Measurements:
    """Transfers that were timed, one an element; build it with `measured`.

    Parameters
    ----------
    bytes_sent : array of float64
        Bytes of each on the wire [B].
    milliseconds : array of float64
        Time of each [ms].
    descriptors : array of float64 or None
        Descriptors of a rank, or blocks, of each [-]; None where they weren't counted.
    rows : array of int64
        Where each stands in its file, for people [-].
    notes : tuple of str
        What the reader took for granted, a sentence each.
    ranks : int
        Ranks that each transfer was split over, where that is known [-].
    counted : {"descriptors", "blocks"}
        Which of the two `descriptors` are.
    """

    bytes_sent: Floats
    milliseconds: Floats
    descriptors: Floats | None
    rows: npt.NDArray[np.int64]
    notes: tuple[str, ...] = ()
    ranks: int = 1
    counted: Counted = "descriptors"

    def __len__(self) -> int:
        return int(self.bytes_sent.size)


def measured(
    bytes_sent: npt.ArrayLike,
    milliseconds: npt.ArrayLike,
    descriptors: npt.ArrayLike | None = None,
    rows: Sequence[int] | None = None,
    notes: tuple[str, ...] = (),
    ranks: int = 1,
    counted: Counted = "descriptors",
) -> Measurements:
    """Check columns of measured transfers.

    Parameters
    ----------
    bytes_sent, milliseconds : array-like of float64
        Size [B] and time [ms] of each transfer.
    descriptors : array-like of float64, optional
        Descriptors or blocks of each [-].
    rows : sequence of int, optional
        Where each stands in its file; 1, 2, 3... where left out.
    notes : tuple of str
        Sentences to pass on.
    ranks : int
        Ranks that each transfer was split over [-].
    counted : {"descriptors", "blocks"}
        Which of the two `descriptors` are.

    Raises
    ------
    InputError
        For columns of unequal length, no rows or too many, and any value that is not a number above 0; it
        names the row and the column.

    Examples
    --------
    >>> len(measured([1e6, 2e6], [0.5, 0.9]))
    2
    """
    columns = {"bytes": _column("bytes", bytes_sent), "milliseconds": _column("milliseconds", milliseconds)}
    if descriptors is not None:
        columns["descriptors"] = _column("descriptors", descriptors)
    count = columns["bytes"].size
    if any(column.size != count for column in columns.values()):
        sizes = ", ".join(f"{name} {column.size}" for name, column in columns.items())
        problem = "columns must be of one length"
        raise InputError("measurements", sizes, problem, "Give each transfer a size and a time.")
    if not 1 <= count <= MOST_ROWS:
        problem = f"must be from 1 to {MOST_ROWS:,} rows"
        raise InputError("measurements", count, problem, "Give at least two transfers of different sizes.")
    numbers = np.arange(1, count + 1, dtype=np.int64) if rows is None else np.asarray(rows, dtype=np.int64)
    for name, column in columns.items():
        faulty = np.flatnonzero(~(np.isfinite(column) & (column > 0)))
        if faulty.size:
            first = int(faulty[0])
            problem = "must be a number above 0"
            raise InputError(
                f"row {numbers[first]}, {name}", float(column[first]), problem, "Mend or leave out the row."
            )
    return Measurements(
        columns["bytes"],
        columns["milliseconds"],
        columns.get("descriptors"),
        numbers,
        tuple(notes),
        ranks,
        counted,
    )


def _column(name: str, values: npt.ArrayLike) -> Floats:
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(name, values, "must be numbers", "Mend or leave out what is text.") from error
    return column.reshape(-1)
