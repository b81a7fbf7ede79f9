"""JSON row by row, for rows that are not alike: what each line says, or why it says nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.raw import BlockIds, RawColumns, UnreadableRow

MAX_LINE_BYTES = 8_000_000

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
    cells: list[tuple[str | None, ...]] = []
    row_numbers, lines, unreadable = list[int](), list[int](), list[UnreadableRow]()
    ids = _IdCollector()
    for number, (line, row) in enumerate(rows, start=1):
        lines.append(line)
        if not isinstance(row, dict):
            bad = row if isinstance(row, UnreadableRow) else UnreadableRow(0, "", "is no JSON object")
            unreadable.append(UnreadableRow(number, bad.value, bad.problem))
            continue
        requests = requests_of(row, known)
        if requests is None:
            unreadable.append(UnreadableRow(number, "", f"must have a list of objects as {known.nested}"))
            continue
        for request in requests:
            columns = (known.input_tokens, known.output_tokens)
            cells.append((_text(row.get(known.arrival)), *(_text(request.get(key)) for key in columns)))
            cells[-1] += (_text(row.get(known.session or "")), _text(row.get(known.delay or "")))
            row_numbers.append(number)
            if known.hash_ids:
                ids.add(row.get(known.hash_ids), known.hash_ids in row)
    arrival, inputs, outputs, sessions, delays = (
        pa.array([row[place] for row in cells], pa.string()) for place in range(5)
    )
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
    )


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
    """Hash ids row by row; ids beyond 64 bits are numbered anew, since only equality counts."""

    def __init__(self) -> None:
        self._flat: list[int] = []
        self._lengths: list[int] = []
        self._not_lists = 0

    def add(self, ids: object, present: bool) -> None:
        good = isinstance(ids, list) and all(type(item) is int for item in ids)
        self._not_lists += present and not good
        self._lengths.append(len(ids) if good and isinstance(ids, list) else 0)
        if good and isinstance(ids, list):
            self._flat.extend(ids)

    def collected(self) -> BlockIds:
        offsets = np.append(0, np.cumsum(self._lengths)).astype(np.int64)
        try:
            flat = np.array(self._flat, dtype=np.int64)
        except OverflowError:
            places: dict[int, int] = {}
            flat = np.array([places.setdefault(item, len(places)) for item in self._flat], dtype=np.int64)
        return BlockIds(flat, offsets, self._not_lists)


def arrivals_of_turns(arrival: pa.Array, sessions: pa.Array, delays: pa.Array) -> pa.Array:
    """Place a turn without a time of its own after the turn before it in its conversation."""
    ends: dict[object, float] = {}
    placed: list[float | None] = []
    for at, session, delay in zip(_floats(arrival), sessions.to_pylist(), _floats(delays), strict=True):
        if at is None and delay is not None and session in ends:
            at = ends[session] + delay
        if at is not None and session is not None:
            ends[session] = at
        placed.append(at)
    return pa.array(placed, pa.float64())


def _floats(cells: pa.Array) -> list[float | None]:
    if not pa.types.is_string(cells.type):
        return [None if cell is None else float(cell) for cell in cells.to_pylist()]
    return [_float(cell) for cell in cells.to_pylist()]


def _float(cell: str | None) -> float | None:
    try:
        return None if cell is None else float(cell)
    except ValueError:
        return None


def requests_of(row: Row, known: TraceFormat) -> list[Row] | None:
    """Return the requests of a row: itself, or those of its list; None where that is no list of objects."""
    if not known.nested:
        return [row]
    inside = row.get(known.nested)
    good = isinstance(inside, list) and all(isinstance(request, dict) for request in inside)
    return inside if good else None


def numbered_lines(text: bytes, first_rows: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield lines with something on them; a line that is too long is cut, which makes it no JSON."""
    taken, number = 0, 0
    stream = io.BytesIO(text)
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
