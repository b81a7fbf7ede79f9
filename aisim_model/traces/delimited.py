"""CSV and its relatives, read by pyarrow: separators, headers, decimal commas, rows of a wrong width."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from aisim_model.errors import InputError, shown
from aisim_model.traces.cells import TWO_WAYS, decimal_mark
from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.json_rows import block_ids_of_text
from aisim_model.traces.raw import (
    MAX_UNREADABLE_ROWS,
    RawColumns,
    UnreadableRow,
    lines_of_text,
    one_array,
    too_many_unreadable,
)
from aisim_model.traces.text import first_line
from aisim_model.traces.trace import Integers

DELIMITERS = (",", ";", "\t", "|")
MAX_COLUMNS = 1_000
MAX_HEADER_BYTES = 1_000_000
MAX_TEXT = 60
BLOCK_BYTES, LARGE_BLOCK_BYTES = 1 << 20, 16 << 20


@dataclass(frozen=True)
class Header:
    """The header of a table, and where its rows begin.

    Parameters
    ----------
    columns : tuple of str
        Names, without blanks around them.
    delimiter : str
        What separates cells.
    body_start : int
        Where the rows begin in the text [B].
    body_line : int
        On which line they begin.
    """

    columns: tuple[str, ...]
    delimiter: str
    body_start: int
    body_line: int


def read_header(text: bytes, name: str) -> Header:
    r"""Return the header of a table.

    Parameters
    ----------
    text : bytes
        UTF-8 text.
    name : str
        What to call the file in a message.

    Raises
    ------
    InputError
        For a header that is too long or has too many columns.

    Examples
    --------
    >>> read_header(b"sep=;\na;b\n1;2\n", "t.csv")
    Header(columns=('a', 'b'), delimiter=';', body_start=10, body_line=3)
    """
    start, line = first_line(text)
    delimiters: tuple[str, ...] = DELIMITERS
    while True:
        end = _line_end(text, start)
        if end - start > MAX_HEADER_BYTES:
            problem = f"has a first line of {end - start:,} bytes, too long for a header"
            raise InputError("trace", name, problem, "Upload a trace with a column for each field.")
        row = text[start:end].decode().strip("\r\n")
        if row.lower().startswith("sep=") and len(row) == 5:  # Excel's own line above the header
            delimiters = (row[4],)
        elif row.strip() or end >= len(text):
            break
        start, line = end, line + 1
    delimiter = max(delimiters, key=row.count)
    columns = tuple(
        cell.strip() for cell in next(csv.reader([row], delimiter=delimiter, skipinitialspace=True), [])
    )
    if len(columns) > MAX_COLUMNS:
        problem = f"has {len(columns):,} columns, more than the {MAX_COLUMNS:,} that a trace may have"
        raise InputError("trace", name, problem, "Keep the columns of arrival, prompt and output.")
    return Header(columns, delimiter, end, line + 1)


def read_delimited(
    text: bytes,
    header: Header,
    known: TraceFormat,
    name: str,
    decimal: str | None,
    extra: tuple[str, ...] = (),
) -> RawColumns:
    """Read the needed columns of a table.

    Parameters
    ----------
    text : bytes
        UTF-8 text.
    header : Header
        Its header.
    known : TraceFormat
        Which columns are needed.
    name : str
        What to call the file in a message.
    decimal : {".", ","} or None
        Decimal mark, told from the numbers where None.
    extra : tuple of str
        Further columns, handed on as they are.

    Raises
    ------
    InputError
        For a column that stands there twice, no rows, or numbers that can be read two ways.
    """
    roles = (known.arrival, known.input_tokens, known.output_tokens)
    wanted = [column for column in roles if column]
    counts = len(wanted)
    if known.hash_ids in header.columns:
        wanted.append(str(known.hash_ids))
    ids = len(wanted) > counts
    wanted += [column for column in extra if column not in wanted]
    for column in wanted:
        if header.columns.count(column) > 1:
            problem = f"is the name of {header.columns.count(column)} columns; which one counts can't be told"
            raise InputError("column", column, problem, "Rename or remove the others.")
    places = [f"c{header.columns.index(column)}" for column in wanted]
    table, unreadable = _read(text, header, places, name)
    rows = _rows(len(table), unreadable)
    if rows.size == 0 and not unreadable:
        raise InputError("trace", name, "has a header and no rows", "Upload a trace with requests.")
    arrays = [one_array(table[place]) for place in places]
    mark, notes = ".", list[str]()
    unsettled = [
        place
        for place, array in enumerate(arrays)
        if place < counts + ids
        and not _settled(array, wanted[place] == known.arrival, place < counts, header.delimiter)
    ]
    if unsettled:
        texts, _ = _read(text, header, [places[place] for place in unsettled], name, pa.string())
        for place in unsettled:
            arrays[place] = one_array(texts[places[place]])
        numbers = {wanted[place]: arrays[place] for place in unsettled if place < counts}
        mark = decimal or _mark_of(
            numbers, header.delimiter, lambda row: _lines(text, header)(rows[[row]])[0]
        )
    if header.delimiter != ",":
        notes.append(f"Columns are separated by {header.delimiter!r}.")
    if mark == ",":
        notes.append("Decimal commas: 0,5 is read as 0.5, and a point groups thousands (12.035 is 12035).")
    by_column = dict(zip(wanted, arrays, strict=True))
    nothing = pa.nulls(rows.size, pa.string())
    return RawColumns(
        arrival=by_column.get(known.arrival, nothing),
        input_tokens=by_column[known.input_tokens],
        output_tokens=by_column.get(known.output_tokens, nothing),
        rows=rows,
        lines=_lines(text, header),
        block_ids=block_ids_of_text(arrays[counts]) if ids else None,
        unreadable=tuple(unreadable),
        decimal=mark,
        notes=tuple(notes),
        extra={column: by_column[column] for column in extra},
    )


def _line_end(text: bytes, start: int) -> int:
    """Return where the next line begins."""
    feed = text.find(b"\n", start)
    return len(text) if feed < 0 else feed + 1


def _read(
    text: bytes, header: Header, places: list[str], name: str, kind: pa.DataType | None = None
) -> tuple[pa.Table, list[UnreadableRow]]:
    """Read the columns at some places; rows of a wrong width are collected."""
    body = pa.py_buffer(text).slice(header.body_start)
    convert = pa.csv.ConvertOptions(
        include_columns=places,
        column_types=dict.fromkeys(places, kind) if kind else None,
        null_values=[""],
        strings_can_be_null=True,
    )
    names = [f"c{place}" for place in range(len(header.columns))]
    quoted = b'"' in text
    unreadable: list[UnreadableRow] = []

    def collect(row: pa.csv.InvalidRow) -> str:
        problem = f"has {row.actual_columns} cells where the header has {row.expected_columns}"
        unreadable.append(UnreadableRow(row.number, row.text[:MAX_TEXT], problem))
        return "skip" if len(unreadable) <= MAX_UNREADABLE_ROWS else "error"

    def read(handler: Callable[[pa.csv.InvalidRow], str] | None, block_bytes: int) -> pa.Table:
        return pa.csv.read_csv(
            pa.BufferReader(body),
            # only where one thread reads does a row know its number
            read_options=pa.csv.ReadOptions(
                column_names=names, use_threads=handler is None, block_size=block_bytes
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=header.delimiter, newlines_in_values=quoted, invalid_row_handler=handler
            ),
            convert_options=convert,
        )

    if not body.size:
        return pa.table(dict.fromkeys(places, pa.array([], pa.string()))), unreadable
    try:
        return read(None, BLOCK_BYTES), unreadable
    except pa.ArrowInvalid:  # a row of another width, or one longer than a block
        try:
            return read(collect, LARGE_BLOCK_BYTES), unreadable
        except pa.ArrowInvalid as error:
            if len(unreadable) > MAX_UNREADABLE_ROWS:
                raise too_many_unreadable() from error
            raise _no_table(str(error), text, header, name) from error


def _no_table(reason: str, text: bytes, header: Header, name: str) -> InputError:
    """Return the refusal of a table that stays unreadable, by far most often for a quote left open."""
    problem = f"can't be read as a table: {reason[:200]}"
    if "straddling" in reason:
        line = _longest_row(text[header.body_start :]) + header.body_line
        size = f"{LARGE_BLOCK_BYTES / 1e6:.0f} MB"
        problem = (
            f"has a row of more than {size} from line {line:,} on, or a quote there that is never closed"
        )
    return InputError("trace", name, problem, "Mend that line.")


def _longest_row(body: bytes) -> int:
    """Return how many lines there are before the longest row; a quoted cell may go over several."""
    characters = np.frombuffer(body, dtype=np.uint8)
    ends, quotes = (np.flatnonzero(characters == ord(character)) for character in '\n"')
    row_ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
    starts = np.append(0, row_ends + 1)
    longest = starts[np.argmax(np.diff(starts, append=len(body)))]
    return int(np.searchsorted(ends, longest))


def _settled(cells: pa.Array, is_arrival: bool, is_number: bool, delimiter: str) -> bool:
    """Whether pyarrow's own type is what the cells mean, with no thousands or decimal comma in question."""
    if is_arrival and pa.types.is_timestamp(cells.type):
        return _in_ns_range(cells)
    if is_arrival and pa.types.is_float64(cells.type):
        return delimiter == ","
    return is_number and pa.types.is_int64(cells.type)


def _in_ns_range(dates: pa.Array) -> bool:
    years = pc.min_max(pc.year(dates)).as_py()
    return bool(years["min"] is None or (years["min"] > 1900 and years["max"] < 2200))


def _mark_of(columns: Mapping[str, pa.Array], delimiter: str, line_of: Callable[[int], int]) -> str:
    trimmed = {column: pc.utf8_trim_whitespace(cells) for column, cells in columns.items()}
    mark = decimal_mark(list(trimmed.values()), delimiter)
    if mark is not None:
        return mark
    column, row, value = next(
        (column, row, cells[row].as_py())
        for column, cells in trimmed.items()
        if (row := pc.index(pc.match_substring_regex(cells, TWO_WAYS), True).as_py()) >= 0
    )
    whole = value.replace(",", "").replace(".", "")
    problem = (
        f"can't be told: line {line_of(row):,}, column {column}, {shown(value)} may be {int(whole):,} or "
        f"{int(whole) / 1000:.3f}, and no number in the file decides"
    )
    raise InputError("decimal", "unknown", problem, "Choose the decimal mark: a point or a comma.")


def _rows(count: int, unreadable: list[UnreadableRow]) -> Integers:
    """Return the row in the file of each row read, the unreadable ones left out."""
    rows = np.arange(1, count + len(unreadable) + 1, dtype=np.int64)
    return np.delete(rows, [bad.row - 1 for bad in unreadable]) if unreadable else rows


def _lines(text: bytes, header: Header) -> Callable[[Integers], list[int]]:
    if b'"' not in text:
        return lines_of_text(text[header.body_start :], header.body_line)

    def lines(rows: Integers) -> list[int]:  # a quoted cell may go over several lines
        body = io.StringIO(text[header.body_start :].decode(), newline="")
        reader = csv.reader(body, delimiter=header.delimiter)
        starts, before = [0], 0
        try:
            for cells in reader:
                if cells:
                    starts.append(header.body_line + before)
                before = reader.line_num
        except csv.Error:  # a cell of more than 131,072 characters: rows after it keep its line
            starts.append(header.body_line + before)
        return [starts[min(int(row), len(starts) - 1)] for row in rows]

    return lines
