"""What a reader of CSV or JSON lines hands on: the needed columns as they stand in the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from aisim_model.errors import InputError
from aisim_model.traces.trace import Integers

NEW_LINE, RETURN, SPACE = 10, 13, 32
# A file with more rows that are no rows is read wrongly, or is something else.
MAX_UNREADABLE_ROWS = 100_000


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
    delays : pyarrow.Array or None
        Waits after the turn before, of the rows without a time of their own.
    block_tokens : int or None
        Tokens that a hash id stands for, where the rows say it [-].
    extra : mapping of str to pyarrow.Array
        Further columns that were asked for.
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
    delays: pa.Array | None = None
    block_tokens: int | None = None
    extra: Mapping[str, pa.Array] = field(default_factory=dict)


def too_many_unreadable() -> InputError:
    """Return the refusal of a file in which hardly a row is one."""
    problem = f"more than {MAX_UNREADABLE_ROWS:,} of them can't be read as rows of a trace"
    return InputError("rows", "too many", problem, "Check the separator, or whether this is the right file.")


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
        characters = np.frombuffer(text, dtype=np.uint8)
        ends = np.flatnonzero(characters == NEW_LINE)
        if b"\r" in text:  # alone it ends a line, too
            returns = np.flatnonzero(characters[:-1] == RETURN)
            ends = np.union1d(ends, returns[characters[returns + 1] != NEW_LINE])
        starts = np.append(0, ends + 1)
        starts = starts[starts < len(text)]
        taken = np.ones(starts.size, dtype=np.bool_)
        for place in np.flatnonzero(characters[starts] <= SPACE):  # only these lines may be blank
            end = starts[place + 1] if place + 1 < starts.size else len(text)
            taken[place] = bool(text[starts[place] : end].strip(blanks + b"\n"))
        line_numbers = np.flatnonzero(taken) + first_line
        return [int(line) for line in line_numbers[np.minimum(rows, line_numbers.size) - 1]]

    return lines
