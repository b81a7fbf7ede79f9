"""Records of one or several replays as one file: CSV with times to six decimals, Parquet with exact ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from aisim_model import MODEL_VERSION
from aisim_model.errors import InputError
from aisim_model.replay import ReplayResult
from aisim_model.sweep.write import fresh

ROWS_AT_A_TIME = 65_536
DECIMALS = 6
ENDINGS = (".csv", ".parquet")


def records(results: Mapping[str, ReplayResult], rows_left_out: int = 0) -> pa.Table:
    """Return the records of replays in one table, a row a request and deployment.

    Parameters
    ----------
    results : mapping of str to ReplayResult
        Replays by the id of their deployment, which becomes the first column; a single one with an empty id
        has no such column.
    rows_left_out : int
        Faulty rows of the trace that were left out [-], a column like the model's version.

    Examples
    --------
    >>> import numpy as np
    >>> from aisim_model.replay import ReplayConfig, replay
    >>> from aisim_model.traces import Trace
    >>> trace = Trace(np.array([0.0]), np.array([100]), np.array([2]))
    >>> found = replay(trace, ReplayConfig(aggregated_workers=1))
    >>> records({"a": found, "b": found}).select(["deployment_id", "row", "start_ms"]).to_pydict()
    {'deployment_id': ['a', 'b'], 'row': [0, 0], 'start_ms': [0.0, 0.0]}
    """
    tables = []
    for deployment_id, result in results.items():
        table = _table(result)
        if deployment_id:
            table = table.add_column(0, "deployment_id", _repeated(deployment_id, table.num_rows))
        table = table.append_column("rows_left_out", pa.repeat(pa.scalar(rows_left_out), table.num_rows))
        tables.append(table.append_column("model_version", _repeated(MODEL_VERSION, table.num_rows)))
    return pa.concat_tables(tables, promote_options="default")


def _table(result: ReplayResult) -> pa.Table:
    """Return the records of a replay; NaN becomes null."""
    return pa.table({name: pa.array(values, from_pandas=True) for name, values in result.columns.items()})


def _repeated(text: str, rows: int) -> pa.Array:
    return pa.repeat(pa.scalar(text), rows)


def write_csv(table: pa.Table, sink: BinaryIO) -> None:
    """Write a table: its names as they are, floats to six decimals, nothing quoted since its texts are ids.

    Some rows at a time, so that decimals take little memory.
    """
    sink.write((",".join(table.column_names) + "\n").encode())
    unquoted = csv.WriteOptions(include_header=False, quoting_style="none")
    for first in range(0, table.num_rows, ROWS_AT_A_TIME):
        csv.write_csv(_in_decimals(table.slice(first, ROWS_AT_A_TIME)), sink, unquoted)


def _in_decimals(table: pa.Table) -> pa.Table:
    columns = [
        pc.cast(pc.round(column, ndigits=DECIMALS), pa.decimal128(38, DECIMALS), safe=False)
        if pa.types.is_floating(column.type)
        else column
        for column in table.columns
    ]
    return pa.Table.from_arrays(columns, names=table.column_names)


def ending_of(path: Path) -> str:
    """Return the ending that says a file's format.

    Raises
    ------
    InputError
        For another ending, a folder, or a file in one that isn't there.

    Examples
    --------
    >>> ending_of(Path("records.parquet"))
    '.parquet'
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError("out", path.name, f"must end in {' or '.join(ENDINGS)}", "Name the file so.")
    if path.is_dir():
        raise InputError("out", str(path), "is a folder", "Name a file.")
    if not path.parent.is_dir():
        raise InputError("out", str(path), "is in a folder that isn't there", "Make the folder first.")
    return ending


def write_records(path: Path, results: Mapping[str, ReplayResult], rows_left_out: int = 0) -> None:
    """Write the records of replays to a file, which has its name once it is whole.

    Parameters
    ----------
    path : Path
        A file that ends in .csv or .parquet.
    results, rows_left_out
        As in `records`.

    Raises
    ------
    InputError
        For another ending, or a place where no file can be written.
    """
    ending = ending_of(path)
    with fresh(path) as unfinished, unfinished.open("wb") as sink:
        table = records(results, rows_left_out)
        if ending == ".csv":
            write_csv(table, sink)
        else:
            parquet.write_table(table, sink)
