"""Traces in Parquet: typed columns, nested ones under dotted names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from aisim_model.errors import InputError
from aisim_model.traces.asked import Asked
from aisim_model.traces.choosing import chosen_format
from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.raw import BlockIds, RawColumns, one_array

MOST_COLUMNS = 1_000
SAMPLE_ROWS = 50


def is_parquet(data: bytes) -> bool:
    """Whether bytes are a whole Parquet file.

    Examples
    --------
    >>> is_parquet(b"PAR1....PAR1"), is_parquet(b"a,b")
    (True, False)
    """
    return data[:4] == b"PAR1" and data[-4:] == b"PAR1"


def parquet_columns(data: bytes, name: str, max_bytes: int) -> tuple[str, ...]:
    """Return the columns of a Parquet file, dotted where they nest."""
    return tuple(dict.fromkeys(_dotted(path) for path in _paths(_opened(data, name, max_bytes))))


def read_parquet(
    data: bytes,
    name: str,
    format_id: str | None,
    columns: Mapping[str, str] | None,
    asked: Asked,
    max_bytes: int,
) -> tuple[TraceFormat, str, RawColumns]:
    """Read the needed columns of a Parquet file.

    Raises
    ------
    InputError
        For a file that is broken or too large, and for columns as a table of text would have them.
    """
    file = _opened(data, name, max_bytes)
    paths = _paths(file)
    dotted = {_dotted(path): path for path in paths}
    known, why = chosen_format("jsonl", tuple(dotted), _sample(file), name, format_id, columns, asked)
    wanted = [column for column in (known.arrival, known.input_tokens, known.output_tokens) if column]
    hash_ids = known.hash_ids if known.hash_ids in dotted else None
    try:
        table = file.read([dotted[column] for column in (*wanted, hash_ids) if column])
    except (pa.ArrowException, OSError, KeyError) as error:
        raise InputError("trace", name, "is a Parquet file that can't be read", "Write it again.") from error
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    nothing = pa.nulls(len(table), pa.string())

    def column(of: str) -> pa.Array:
        return _plain(one_array(table[of])) if of else nothing

    ids = _ids(one_array(table[hash_ids])) if hash_ids else None
    rows = np.arange(1, len(table) + 1, dtype=np.int64)
    arrays = (column(known.arrival), column(known.input_tokens), column(known.output_tokens))
    return (
        known,
        why,
        RawColumns(*arrays, rows=rows, lines=lambda of: [int(row) for row in of], block_ids=ids),
    )


def _opened(data: bytes, name: str, max_bytes: int) -> pa.parquet.ParquetFile:
    try:
        file = pa.parquet.ParquetFile(pa.BufferReader(data))
    except (pa.ArrowException, OSError) as error:
        raise InputError("trace", name, "is a Parquet file that can't be read", "Write it again.") from error
    about = file.metadata
    unpacked = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
    if unpacked > max_bytes or about.num_columns > MOST_COLUMNS:
        problem = f"holds more than the {max_bytes / 1e6:,.0f} MB or {MOST_COLUMNS:,} columns that are read"
        raise InputError("trace", name, problem, "Cut out a part of it.")
    return file


def _paths(file: pa.parquet.ParquetFile) -> list[str]:
    schema = file.metadata.schema
    return [schema.column(place).path for place in range(file.metadata.num_columns)]


def _dotted(path: str) -> str:
    """Return the name of a column without what Parquet adds to lists."""
    for ending in (".list.element", ".list.item", ".bag.array_element"):
        path = path.removesuffix(ending)
    return path


def _sample(file: pa.parquet.ParquetFile) -> list[dict[str, object]]:
    for batch in file.iter_batches(batch_size=SAMPLE_ROWS):
        return list(batch.to_pylist())
    return []


def _plain(cells: pa.Array) -> pa.Array:
    """Return a column in one of the types that checks know: whole numbers, floats, times, text."""
    kind = cells.type
    if pa.types.is_dictionary(kind):
        return _plain(cells.cast(kind.value_type))
    if pa.types.is_integer(kind):
        return cells.cast(pa.int64(), safe=False)
    if pa.types.is_floating(kind):
        return cells.cast(pa.float64())
    if pa.types.is_timestamp(kind) or pa.types.is_string(kind):
        return cells
    if pa.types.is_date(kind):
        return cells.cast(pa.timestamp("ms"))
    try:
        return cells.cast(pa.string())
    except pa.ArrowException:
        return pa.nulls(len(cells), pa.string())


def _ids(cells: pa.Array) -> BlockIds | None:
    if not (pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type)):
        return None
    if not pa.types.is_integer(cells.type.value_type):
        return None
    flat = pc.list_flatten(cells)
    lengths = pc.list_value_length(cells).fill_null(0).to_numpy(zero_copy_only=False)
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    return (
        None if flat.null_count else BlockIds(flat.cast(pa.int64()).to_numpy(zero_copy_only=False), offsets)
    )
