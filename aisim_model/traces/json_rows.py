"""JSON row by row, for rows that are not alike: what each line says, or why it says nothing."""

from __future__ import annotations

import io
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.raw import (
    MAX_UNREADABLE_ROWS,
    BlockIds,
    RawColumns,
    UnreadableRow,
    too_many_unreadable,
)
from aisim_model.traces.text import first_line
from aisim_model.traces.turns import arrivals_of_turns, used_delays

MAX_LINE_BYTES = 8_000_000
ROWS_PACKED_AT_ONCE = 50_000
COLUMNS_OF_A_ROW = 5

Row = Mapping[str, Any]


def read_rows(rows: Iterable[tuple[int, Any]], known: TraceFormat) -> RawColumns:
    """Take the needed columns from parsed rows, whatever each is.

    Parameters
    ----------
    rows : iterable of tuple of int and object
        Line, and what stands on it: a mapping, or what it is instead.
    known : TraceFormat
        Which columns are needed.
    """
    cells, ids = _Cells(), _IdCollector()
    row_numbers, lines, unreadable = array("q"), array("q"), list[UnreadableRow]()
    for number, (line, row) in enumerate(rows, start=1):
        lines.append(line)
        requests = requests_of(row, known) if isinstance(row, dict) else None
        if requests is None:
            unreadable.append(_unreadable(number, row, known))
            if len(unreadable) > MAX_UNREADABLE_ROWS:
                raise too_many_unreadable()
            continue
        for request in requests:
            cells.add(
                row.get(known.arrival),
                request.get(known.input_tokens),
                request.get(known.output_tokens),
                row.get(known.session or ""),
                row.get(known.delay or ""),
            )
            row_numbers.append(number)
            if known.hash_ids:
                ids.add(row.get(known.hash_ids), known.hash_ids in row)
    arrival, inputs, outputs, sessions, delays = cells.columns()
    waits = used_delays(arrival, delays) if known.delay else None
    if known.delay:
        arrival = arrivals_of_turns(arrival, sessions, delays)
    line_numbers = np.array(lines, dtype=np.int64)
    return RawColumns(
        arrival,
        inputs,
        outputs,
        rows=np.array(row_numbers, dtype=np.int64),
        lines=lambda wanted: [int(line) for line in line_numbers[wanted - 1]],
        block_ids=ids.collected() if known.hash_ids else None,
        unreadable=tuple(unreadable),
        delays=waits,
    )


def _unreadable(number: int, row: object, known: TraceFormat) -> UnreadableRow:
    if isinstance(row, UnreadableRow):
        return UnreadableRow(number, row.value, row.problem)
    is_object = isinstance(row, dict)
    problem = f"must have a list of objects as {known.nested}" if is_object else "is no JSON object"
    return UnreadableRow(number, "", problem)


class _Cells:
    """Cells of rows as text, packed into Arrow's columns now and then: Python's own take ten times more."""

    def __init__(self) -> None:
        self._rows: list[tuple[str | None, ...]] = []
        self._packed: list[list[pa.Array]] = [[] for _ in range(COLUMNS_OF_A_ROW)]

    def add(self, *values: object) -> None:
        self._rows.append(tuple(_text(value) for value in values))
        if len(self._rows) == ROWS_PACKED_AT_ONCE:
            self._pack()

    def _pack(self) -> None:
        for place, chunks in enumerate(self._packed):
            chunks.append(pa.array([row[place] for row in self._rows], pa.string()))
        self._rows.clear()

    def columns(self) -> list[pa.Array]:
        self._pack()
        return [pa.concat_arrays(chunks) for chunks in self._packed]


def block_ids_of_text(cells: pa.Array) -> BlockIds:
    """Read hash ids from the cells of a table: each a list as JSON writes it.

    Examples
    --------
    >>> block_ids_of_text(pa.array(["[1, 2]", None, "x"]))
    BlockIds(flat=array([1, 2]), offsets=array([0, 2, 2, 2]), rows_not_lists=1)
    """
    ids = _IdCollector()
    for cell in cells.cast(pa.string()).to_pylist():
        ids.add(None if cell is None else parsed(cell.encode()), present=cell is not None)
    return ids.collected()


class _IdCollector:
    """Hash ids row by row; an id beyond 64 bits is numbered anew, since only equality counts."""

    def __init__(self) -> None:
        self._flat, self._lengths = array("q"), array("q")
        self._renumbered: dict[int, int] = {}
        self._not_lists = 0

    def add(self, ids: object, present: bool) -> None:
        if isinstance(ids, list) and all(type(item) is int for item in ids):
            self._lengths.append(len(ids))
            self._flat.extend(item if -(2**63) < item < 2**63 else self._number_of(item) for item in ids)
        else:
            self._not_lists += present
            self._lengths.append(0)

    def _number_of(self, item: int) -> int:
        return self._renumbered.setdefault(item, -(2**62) - len(self._renumbered))

    def collected(self) -> BlockIds:
        offsets = np.append(0, np.cumsum(np.array(self._lengths, dtype=np.int64)))
        return BlockIds(np.array(self._flat, dtype=np.int64), offsets, self._not_lists)


def requests_of(row: Row, known: TraceFormat) -> list[Row] | None:
    """Return the requests of a row: itself, or those of its list; None where that is no list of objects."""
    if not known.nested:
        return [row]
    inside = row.get(known.nested)
    good = isinstance(inside, list) and all(isinstance(request, dict) for request in inside)
    return inside if good else None


def numbered_lines(text: bytes, first_rows: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield lines with something on them; a line that is too long is cut, which makes it no JSON."""
    begin, line_number = first_line(text)
    taken, number = 0, line_number - 1
    stream = io.BytesIO(text)
    stream.seek(begin)
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        while not line.endswith(b"\n") and len(line) > MAX_LINE_BYTES and (rest := stream.readline(1 << 20)):
            if rest.endswith(b"\n"):
                break
        if line.strip():
            yield number, line
            taken += 1
            if taken == first_rows:
                return


def parsed(line: bytes) -> Any:
    """Return what a line says in JSON, or why it says nothing."""
    try:
        return json.loads(line, object_pairs_hook=_without_repeats)
    except RecursionError:
        return UnreadableRow(0, "", "is nested too deep")
    except ValueError as error:
        start = line[:40].decode(errors="replace").strip()
        return UnreadableRow(0, start, f"is not JSON: {str(error)[:120]}")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError("a key stands there twice")
    return row


def _text(value: object) -> str | None:
    """Return a cell as the text of a table would have it."""
    if value is None or isinstance(value, str):
        return value
    if type(value) in (int, float):
        return repr(value)
    return json.dumps(value)[:60]
