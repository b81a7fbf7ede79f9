"""A sweep into a file, piece by piece: CSV, Parquet or Arrow, under its final name only once it is whole."""

from __future__ import annotations

import difflib
import os
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from aisim_model.errors import InputError
from aisim_model.sweep.grid import Sweep
from aisim_model.sweep.table import Piece, Text, pieces, schema, table

FORMATS = (".csv", ".parquet", ".arrow")
OF_EVERY_FIELD = frozenset({"transfer_ms", "handoff_ms", "ttft_ms", "handoff_share"})
Progress = Callable[[int], None]


class Writer(Protocol):
    """What the three formats' writers have in common."""

    def write_table(self, table: pa.Table) -> None:
        """Write a piece."""

    def close(self) -> None:
        """Write what stands at the end of a file."""


def format_of(path: Path) -> str:
    """Return the ending that says a file's format.

    Raises
    ------
    InputError
        For another ending, with the nearest that is known.

    Examples
    --------
    >>> format_of(Path("plan.parquet"))
    '.parquet'
    """
    ending = path.suffix.lower()
    if ending in FORMATS:
        return ending
    near = difflib.get_close_matches(ending, FORMATS, 1, 0.5)
    remedy = f"Did you mean {path.with_suffix(near[0]).name}?" if near else "Name the file so."
    raise InputError("output", str(path), f"must end in {', '.join(FORMATS)}", remedy)


def write(sweep: Sweep, path: Path, text: Text = str, progress: Progress = lambda points: None) -> int:
    """Write a sweep to one file, a piece in memory at a time.

    Parameters
    ----------
    sweep : Sweep
        What is varied.
    path : Path
        A file that ends in .csv, .parquet or .arrow. It is replaced once all is written; a run that is
        interrupted leaves it as it was.
    text : callable
        How a cell of text is written.
    progress : callable
        Told how many points are written, after each piece.

    Returns
    -------
    int
        Size of the file [B].

    Raises
    ------
    InputError
        For another ending, or a place where no file can be written.
    """
    ending = format_of(path)
    with fresh(path) as unfinished:
        writer = _writer(unfinished, ending, sweep)
        try:
            written = 0
            for piece, made in made_ahead(sweep, text):
                writer.write_table(made)
                written += piece.points
                progress(written)
        finally:
            writer.close()
        return unfinished.stat().st_size


def made_ahead(sweep: Sweep, text: Text) -> Iterator[tuple[Piece, pa.Table]]:
    """Go through a sweep's tables, the next one made while the last is written."""
    with ThreadPoolExecutor(1) as ahead:
        upcoming = None
        for piece in pieces(sweep):
            following = piece, ahead.submit(table, sweep, piece, text)
            if upcoming is not None:
                yield upcoming[0], upcoming[1].result()
            upcoming = following
        if upcoming is not None:
            yield upcoming[0], upcoming[1].result()


@contextmanager
def fresh(path: Path) -> Iterator[Path]:
    """Lend a name beside a path; what is written there takes the path's place at the end, or is removed.

    Raises
    ------
    InputError
        Where no file can be written, or the path is a folder.
    """
    if path.is_dir():
        raise InputError("output", str(path), "is a folder", "Name a file.")
    if not path.parent.is_dir():
        raise InputError("output", str(path), "is in a folder that isn't there", "Make the folder first.")
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.unfinished")
    try:
        yield unfinished
        os.replace(unfinished, path)
    except OSError as error:
        problem = f"can't be written ({error.strerror or error})"
        raise InputError("output", str(path), problem, "Choose a place with room to write to.") from None
    finally:
        unfinished.unlink(missing_ok=True)


def parquet_options(sweep: Sweep) -> dict[str, Any]:
    """Say how columns are stored: those that repeat as a list of values and places in it."""
    names = ["deployment_id", "deployment", "model_version"]
    if len(sweep.axes) > 1:
        names = [name for name in schema(sweep).names if name not in OF_EVERY_FIELD]
    return {"compression": "snappy", "use_dictionary": names}


class _Parquet:
    def __init__(self, path: Path, sweep: Sweep) -> None:
        from pyarrow import parquet

        self._file = parquet.ParquetWriter(path, schema(sweep), **parquet_options(sweep))

    def write_table(self, table: pa.Table) -> None:
        self._file.write_table(table, row_group_size=table.num_rows)

    def close(self) -> None:
        self._file.close()


def _writer(path: Path, ending: str, sweep: Sweep) -> Writer:
    if ending == ".parquet":
        return _Parquet(path, sweep)
    if ending == ".csv":
        from pyarrow import csv

        lines: Writer = csv.CSVWriter(path, schema(sweep))
        return lines
    batches: Writer = pa.ipc.new_file(path, schema(sweep))
    return batches
