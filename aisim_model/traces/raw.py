"""What a reader of CSV or JSON lines hands on: the needed columns as they stand in the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from aisim_model.traces.trace import Integers


# What an empty line, or one of blanks, begins with.
BLANK_LINES = (b"\n\n", b"\n\r", b"\n ", b"\n\t")


@dataclass(frozen=True)
class BlockIds:
    """Hash ids of the rows, one row after the other.

    Parameters
    ----------
    flat : array of int64
        All ids.
    offsets : array of int64
        Where each row's ids begin; of length rows + 1.
    rows_not_lists : int
        Rows whose ids are no list of integers, and were left without.
    """

    flat: Integers
    offsets: Integers
    rows_not_lists: int = 0


@dataclass(frozen=True)
class UnreadableRow:
    """A row that is not a row at all: cut off, or with too many cells."""

    row: int
    value: str
    problem: str


@dataclass(frozen=True)
class RawColumns:
    """Needed columns of a file, of whatever types they were written in.

    Parameters
    ----------
    arrival, input_tokens, output_tokens : pyarrow.Array
        Numbers, text or timestamps; null where nothing stands.
    rows : array of int64
        Row in the file of each entry; the first is 1.
    lines : callable
        Gives the line of the file of each row asked for.
    block_ids : BlockIds or None
        Hash ids, where the format has them.
    unreadable : tuple of UnreadableRow
        Rows left out of the columns.
    notes : tuple of str
        Conversions made, as sentences.
    """

    arrival: pa.Array
    input_tokens: pa.Array
    output_tokens: pa.Array
    rows: Integers
    lines: Callable[[Integers], list[int]]
    block_ids: BlockIds | None = None
    unreadable: tuple[UnreadableRow, ...] = ()
    decimal: str = "."
    notes: tuple[str, ...] = ()


def one_array(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as one array."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def lines_of_text(text: bytes, first_line: int, blanks: bytes = b"\r") -> Callable[[Integers], list[int]]:
    r"""Return a function from rows to lines, for a text where each line with something on it is a row.

    Parameters
    ----------
    text : bytes
        The rows.
    first_line : int
        Line of the file on which the text begins.
    blanks : bytes
        What a line may consist of and still be none.

    Examples
    --------
    >>> lines_of_text(b"a\n\nb\n", first_line=2)(np.array([1, 2]))
    [2, 4]
    """

    def lines(rows: Integers) -> list[int]:
        if not text[:1].isspace() and not any(blank in text for blank in BLANK_LINES):
            return [int(row) + first_line - 1 for row in rows]  # no line is empty: no need to split
        taken = np.array([number for number, line in enumerate(text.split(b"\n")) if line.strip(blanks)])
        inside = np.minimum(rows, taken.size) - 1
        return [int(line) for line in taken[inside] + first_line] if taken.size else [first_line] * rows.size

    return lines
