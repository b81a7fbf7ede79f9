"""A sweep as a tidy table: a row a point, with units in the columns' names, piece by piece or whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from aisim_model import MODEL_VERSION
from aisim_model.errors import InputError
from aisim_model.sweep.axes import field_kind, names_of
from aisim_model.sweep.blocks import BLOCK_POINTS, Block, blocks, points_of
from aisim_model.sweep.columns import DTYPES
from aisim_model.sweep.grid import Sweep

PIECE_POINTS = 262_144  # of a table in memory, of a row group, and of what a worker is asked for
MAX_FRAME_POINTS = 20_000_000
NAMES = pa.dictionary(pa.int16(), pa.string())

Text = Callable[[str], str]


@dataclass(frozen=True)
class Piece:
    """Blocks that follow each other in a sweep's order, each with its case.

    Parameters
    ----------
    parts : tuple of (int, tuple of slice)
        A case's place in the sweep's order, and a block of its mesh.
    points : int
        Points of all of them [-].
    """

    parts: tuple[tuple[int, Block], ...]
    points: int


def pieces(sweep: Sweep, most: int = PIECE_POINTS) -> Iterator[Piece]:
    """Cut a sweep into pieces of whole blocks, none of more than `most` points.

    Examples
    --------
    >>> from aisim_model.scenario import Scenario
    >>> from aisim_model.sweep import swept
    >>> [piece.points for piece in pieces(swept(Scenario(), ["prompt_tokens=1:1000:lin:1000"]), 2000)]
    [2000, 2000, 1000]
    """
    parts: list[tuple[int, Block]] = []
    points = 0
    for case in range(sweep.case_count):
        for block in blocks(sweep.mesh, min(most, BLOCK_POINTS)):
            if points + points_of(block) > most:
                yield Piece(tuple(parts), points)
                parts, points = [], 0
            parts.append((case, block))
            points += points_of(block)
    yield Piece(tuple(parts), points)


def schema(sweep: Sweep) -> pa.Schema:
    """Return the columns of a sweep's table: names with units, and types."""
    types = {"whole": pa.int64(), "number": pa.float64(), "choice": NAMES}
    return pa.schema(
        [
            ("deployment_id", NAMES),
            ("deployment", NAMES),
            *((axis.field, types[field_kind(axis.field)]) for axis in sweep.axes),
            *(
                (_said(sweep, name), pa.from_numpy_dtype(DTYPES.get(name, np.float64)))
                for name in sweep.columns
            ),
            ("model_version", NAMES),
        ]
    )


def _said(sweep: Sweep, name: str) -> str:
    """Return the name that a column of the model has: another where a varied field has that name already."""
    return f"ttft_{name}" if any(axis.field == name for axis in sweep.axes) else name


def table(sweep: Sweep, piece: Piece, text: Text = str) -> pa.Table:
    """Work out a piece of a sweep.

    Parameters
    ----------
    sweep : Sweep
        What is varied.
    piece : Piece
        Which points.
    text : callable
        How a cell of text is written.

    Returns
    -------
    pyarrow.Table
        A row a point, in the sweep's order; no delay is null.
    """
    rows = sweep.scenario.deployments
    found = _columns(sweep, piece)
    names: dict[str, tuple[str, ...]] = {
        "deployment_id": tuple(row.id for row in rows),
        "deployment": tuple(row.name for row in rows),
        "model_version": (MODEL_VERSION,),
    }
    names |= {axis.field: names_of(axis) for axis in sweep.axes if field_kind(axis.field) == "choice"}
    arrays = [
        pa.DictionaryArray.from_arrays(
            found[field.name], pa.array([text(name) for name in names[field.name]])
        )
        if field.name in names
        else _array(found[field.name])
        for field in schema(sweep)
    ]
    return pa.Table.from_arrays(arrays, schema=schema(sweep))


def _array(numbers: npt.NDArray[Any]) -> pa.Array:
    unknown = numbers.dtype == np.float64 and bool(np.isnan(numbers).any())
    return pa.array(numbers, from_pandas=unknown)


def _columns(sweep: Sweep, piece: Piece) -> Mapping[str, npt.NDArray[Any]]:
    """Fill one array a column, block after block; names stand as their place in the list of names."""
    found = {
        field.name: np.empty(
            piece.points,
            np.int16 if field.type == NAMES else field.type.to_pandas_dtype(),
        )
        for field in schema(sweep)
    }
    found["model_version"].fill(0)
    case_at = lru_cache(maxsize=1)(sweep.case)  # blocks of a case follow each other
    start = 0
    for position, block in piece.parts:
        stop = start + points_of(block)
        shape = [part.stop - part.start for part in block]
        here = {name: column[start:stop].reshape(shape) for name, column in found.items()}
        case = case_at(position)
        here["deployment_id"][...] = here["deployment"][...] = sweep.scenario.deployments.index(case.row)
        for axis in sweep.looked_up:
            value = case.looked_up[axis.field]
            here[axis.field][...] = (
                names_of(axis).index(value) if field_kind(axis.field) == "choice" else value
            )
        mesh = sweep.open_mesh(block)
        for axis, along in zip(sweep.meshed, mesh, strict=True):
            here[axis.field][...] = along
        columns = case.columns(mesh)
        for name in sweep.columns:
            here[_said(sweep, name)][...] = columns.values(name)
        start = stop
    return found


def frame(sweep: Sweep, text: Text = str) -> pd.DataFrame:
    """Work out a whole sweep as a DataFrame.

    Parameters
    ----------
    sweep : Sweep
        What is varied, of at most 20 million points.
    text : callable
        How a cell of text is written.

    Returns
    -------
    DataFrame
        A row a point, in the sweep's order; columns of names are categories.

    Raises
    ------
    InputError
        For more points than fit in memory with ease.

    Examples
    --------
    >>> from aisim_model.scenario import Scenario
    >>> from aisim_model.sweep import swept
    >>> found = frame(swept(Scenario(), ["bandwidth_gb_s=50,200"]))
    >>> found.loc[found["deployment_id"] == "split-400g", "handoff_ms"].round(2).tolist()
    [62.91, 15.73]
    """
    if sweep.points > MAX_FRAME_POINTS:
        problem = f"is more points than the {MAX_FRAME_POINTS:,} of a table in memory"
        raise InputError("vary", sweep.points, problem, "Write it to a file, which is done in pieces.")
    found: pd.DataFrame = pa.concat_tables(table(sweep, piece, text) for piece in pieces(sweep)).to_pandas()
    return found
