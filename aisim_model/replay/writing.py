"""Records of a replay as files: CSV with times to six decimals, and Parquet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from aisim_model.errors import InputError
from aisim_model.replay.result import ReplayResult

DECIMALS = 6


def to_table(result: ReplayResult, *, decimals: int | None = None) -> pa.Table:
    """Return the records as an Arrow table; NaN becomes null.

    Parameters
    ----------
    result : ReplayResult
        A finished replay.
    decimals : int, optional
        Hold floats as decimals of so many places, as a CSV shows them; as they are when left out.
    """
    arrays = {}
    for name, values in result.columns.items():
        array = pa.array(values, from_pandas=True)
        if decimals is not None and values.dtype == np.float64:
            array = pc.cast(pc.round(array, ndigits=decimals), pa.decimal128(38, decimals), safe=False)
        arrays[name] = array
    return pa.table(arrays)


def write_records(result: ReplayResult, path: str | Path) -> None:
    """Write the records to a .csv or .parquet file.

    Raises
    ------
    InputError
        For another ending.
    """
    target = Path(path)
    if target.suffix == ".csv":
        pyarrow.csv.write_csv(to_table(result, decimals=DECIMALS), target)
    elif target.suffix == ".parquet":
        pq.write_table(to_table(result), target)
    else:
        raise InputError("out", target.name, "must end in .csv or .parquet", "Change the file's name.")
