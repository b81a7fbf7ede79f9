"""JSON lines: by pyarrow where the rows are alike, line by line where they are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from aisim_model.errors import InputError
from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.json_rows import (
    MAX_LINE_BYTES,
    Row,
    numbered_lines,
    parsed,
    read_rows,
    requests_of,
)
from aisim_model.traces.raw import BlockIds, RawColumns, UnreadableRow, lines_of_text, one_array
from aisim_model.traces.text import first_character
from aisim_model.traces.trace import Integers
from aisim_model.traces.turns import arrivals_of_turns, used_delays

SAMPLE_ROWS = 50
# pyarrow wants a whole row in a block; the larger one is for files with very long prompts.
BLOCK_BYTES = (1 << 20, 2 * MAX_LINE_BYTES)


def is_json(text: bytes) -> bool:
    """Whether a text begins like JSON.

    Examples
    --------
    >>> is_json(b' {"a": 1}'), is_json(b"a,b")
    (True, False)
    """
    return _first(text) in (b"{", b"[")


def _first(text: bytes) -> bytes:
    place = first_character(text)
    return text[place : place + 1]


def is_array(text: bytes) -> bool:
    """Whether a JSON text is one list rather than a line for each row."""
    return _first(text) == b"["


def sample_rows(text: bytes, name: str) -> list[Row]:
    """Return the first rows that can be read.

    Raises
    ------
    InputError
        Where none of the first lines is a JSON object, or one is too long.
    """
    found: list[Row] = []
    first: UnreadableRow | None = None
    for number, line in numbered_lines(text, first_rows=SAMPLE_ROWS):
        if len(line) > MAX_LINE_BYTES:
            problem = f"has a line {number:,} of {len(line):,} bytes or more, too long for a request"
            raise InputError("trace", name, problem, "Write one object on each line.")
        row = parsed(line)
        if isinstance(row, dict):
            found.append(row)
        elif first is None:
            first = row if isinstance(row, UnreadableRow) else UnreadableRow(number, "", "is no JSON object")
            first = UnreadableRow(number, first.value, first.problem)
    if not found and (first is None or not first.value) and not (first and "nested" in first.problem):
        raise InputError("trace", name, "is JSON without requests", "Upload one object for each request.")
    if not found:
        said = f"line {first.row:,} {first.problem}" if first else "there are no lines"
        raise InputError("trace", name, f"is not JSON lines: {said}", "Write one object on each line.")
    return found


def read_json_lines(text: bytes, known: TraceFormat, sample: list[Row]) -> RawColumns:
    """Read the needed columns of JSON lines.

    Parameters
    ----------
    text : bytes
        UTF-8 text, one object on each line.
    known : TraceFormat
        Which columns are needed.
    sample : list of mapping
        The first rows: their types are those expected of the rest.
    """
    fields = _fields(known, sample) if known.arrival and known.output_tokens else None
    complete, cut_off = _without_cut_off_end(text)
    found = _by_pyarrow(complete, known, fields) if fields is not None else None
    if found is None or (cut_off is not None and known.nested):
        return read_rows(((number, parsed(line)) for number, line in numbered_lines(text)), known)
    if cut_off is None:
        return found
    end = UnreadableRow(found.rows.size + 1, cut_off.value, cut_off.problem)
    return replace(found, lines=_lines(text), unreadable=(end,))


def _without_cut_off_end(text: bytes) -> tuple[bytes, UnreadableRow | None]:
    """Return the lines before a last one that is no JSON, as where a download broke off, and that one."""
    last_start = text.rstrip().rfind(b"\n") + 1
    if not last_start or len(text) - last_start > MAX_LINE_BYTES:
        return text, None
    last = parsed(text[last_start:])
    return (text[:last_start], last) if isinstance(last, UnreadableRow) else (text, None)


def _lines(text: bytes) -> Callable[[Integers], list[int]]:
    return lines_of_text(text, 1, blanks=b" \t\r")


def _fields(known: TraceFormat, sample: list[Row]) -> list[pa.Field] | None:
    """Return the types of the needed columns, None where the first rows differ among themselves."""
    requests = [request for row in sample for request in requests_of(row, known) or ()]
    owners = {known.arrival: sample, known.input_tokens: requests, known.output_tokens: requests}
    owners |= {column: sample for column in (known.session, known.delay) if column}
    types = {column: _type_of([row.get(column) for row in rows]) for column, rows in owners.items()}
    if any(kind is None for kind in types.values()):
        return None
    if known.hash_ids:
        if not all(_may_be_ids(row.get(known.hash_ids)) for row in sample):
            return None
        types[known.hash_ids] = pa.list_(pa.int64())
    if known.nested:
        counts = [(column, types.pop(column)) for column in (known.input_tokens, known.output_tokens)]
        types[known.nested] = pa.list_(pa.struct(counts))
    return [pa.field(column, kind) for column, kind in types.items()]


def _type_of(values: list[object]) -> pa.DataType | None:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int}:
        return pa.int64()
    if kinds <= {int, float}:
        return pa.float64()
    return pa.string() if kinds == {str} else None


def _may_be_ids(value: object) -> bool:
    return value is None or (isinstance(value, list) and all(type(item) is int for item in value))


def _by_pyarrow(text: bytes, known: TraceFormat, fields: list[pa.Field]) -> RawColumns | None:
    """Read rows that are alike; None where one is unlike the others, which the slower way then names."""
    for block_bytes in BLOCK_BYTES:
        try:
            return _columns(text, known, fields, block_bytes)
        except pa.ArrowInvalid as error:
            if "straddling" not in str(error):  # else a row is longer than a block
                return None
    return None


def _columns(text: bytes, known: TraceFormat, fields: list[pa.Field], block_bytes: int) -> RawColumns:
    table = _table(text, fields, block_bytes, known.arrival)
    rows = np.arange(1, len(table) + 1, dtype=np.int64)
    arrival = one_array(table[known.arrival])
    if known.nested:
        lists = one_array(table[known.nested])
        if lists.null_count or pc.list_flatten(lists).null_count:
            raise pa.ArrowInvalid("a row without its list of requests")
        parents = pc.list_parent_indices(lists)
        requests = pc.list_flatten(lists)
        arrival, rows = arrival.take(parents), rows[parents.to_numpy(zero_copy_only=False)]
        inputs, outputs = (pc.struct_field(requests, c) for c in (known.input_tokens, known.output_tokens))
    else:
        inputs, outputs = (one_array(table[c]) for c in (known.input_tokens, known.output_tokens))
    waits = None
    if known.session and known.delay:
        delays = one_array(table[known.delay])
        waits = used_delays(arrival, delays)
        arrival = arrivals_of_turns(arrival, one_array(table[known.session]), delays)
    ids = _block_ids(one_array(table[known.hash_ids])) if known.hash_ids else None
    return RawColumns(arrival, inputs, outputs, rows, _lines(text), ids, delays=waits)


def _table(text: bytes, fields: list[pa.Field], block_bytes: int, arrival: str) -> pa.Table:
    """Read with these types; where arrivals turn out to have decimals after all, once more as floats."""
    floats = [pa.field(f.name, pa.float64()) if f.name == arrival else f for f in fields]
    try:
        return _table_of(text, fields, block_bytes)
    except pa.ArrowInvalid as error:
        if fields == floats or pa.field(arrival, pa.int64()) not in fields or "int64" not in str(error):
            raise
        return _table_of(text, floats, block_bytes)


def _table_of(text: bytes, fields: list[pa.Field], block_bytes: int) -> pa.Table:
    return pa.json.read_json(
        pa.BufferReader(text),
        read_options=pa.json.ReadOptions(block_size=block_bytes),
        parse_options=pa.json.ParseOptions(
            explicit_schema=pa.schema(fields), unexpected_field_behavior="ignore"
        ),
    )


def _block_ids(lists: pa.Array) -> BlockIds:
    flat = pc.list_flatten(lists)
    if flat.null_count:
        raise pa.ArrowInvalid("a null among hash ids")
    lengths = pc.list_value_length(lists)
    if lengths.null_count:
        lengths = lengths.fill_null(0)
    offsets = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum(lengths.to_numpy(zero_copy_only=False), out=offsets[1:])
    return BlockIds(flat.to_numpy(zero_copy_only=False), offsets)
