"""A sweep over many processes or machines: pieces out, a Parquet file of each back, a folder of them in all.

Any `concurrent.futures.Executor` will do; dask's client has one (`Client.get_executor`). A worker sends its
file back as bytes, so it needs no disk of ours, and a piece that is worked out twice is the same twice.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from aisim_model import MODEL_VERSION
from aisim_model.errors import InputError
from aisim_model.sweep.grid import Sweep
from aisim_model.sweep.table import PIECE_POINTS, Piece, pieces, table
from aisim_model.sweep.write import Progress, parquet_options

CONNECT_S = 10.0
DASK_MISSING = "Install it: pip install 'aisim[dask]'."
IN_FLIGHT = 8  # pieces that are asked for at a time, so that memory stays bounded


def part_bytes(sweep: Sweep, piece: Piece, model_version: str) -> bytes:
    """Work out a piece as a Parquet file, on the worker.

    Raises
    ------
    InputError
        Where the worker has another version of the model.
    """
    if model_version != MODEL_VERSION:
        problem = f"is the model of a worker, where {model_version} is asked for"
        raise InputError("model_version", MODEL_VERSION, problem, "Install the same version everywhere.")
    sink = pa.BufferOutputStream()
    parquet.write_table(table(sweep, piece), sink, row_group_size=piece.points, **parquet_options(sweep))
    return bytes(sink.getvalue())


def write_parts(
    sweep: Sweep,
    folder: Path,
    executor: Executor,
    progress: Progress = lambda points: None,
    piece_points: int = PIECE_POINTS,
) -> int:
    """Write a sweep to a folder of Parquet files, one a piece, worked out by an executor.

    Parameters
    ----------
    sweep : Sweep
        What is varied.
    folder : Path
        A folder that isn't there yet; it takes its name once all files are in it.
    executor : Executor
        Where pieces are worked out.
    progress : callable
        Told how many points are written, after each piece.
    piece_points : int
        Most points of a piece, and so of a file [-].

    Returns
    -------
    int
        Size of all files [B]. The files are the same to the byte, whatever the executor.

    Raises
    ------
    InputError
        Where the folder is there already or can't be written, or workers end before their pieces are done.
    """
    if folder.exists():
        problem = "is there already; a sweep in parts makes a new folder"
        raise InputError("output", str(folder), problem, "Remove it, or choose another name.")
    unfinished = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:12]}.unfinished")
    try:
        unfinished.mkdir()
        size = _collect(sweep, unfinished, executor, progress, piece_points)
        unfinished.rename(folder)
    except (BrokenExecutor, CancelledError) as error:
        problem = f"lost a worker before its piece was done ({error})"
        raise InputError("workers", type(executor).__name__, problem, "Run it again.") from None
    except OSError as error:
        problem = f"can't be written ({error.strerror or error})"
        raise InputError("output", str(folder), problem, "Choose a place with room to write to.") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return size


@contextmanager
def dask_workers(address: str, patience_s: float = CONNECT_S) -> Iterator[Executor]:
    """Lend the workers of a dask scheduler as an executor; a piece whose worker dies goes to another.

    Parameters
    ----------
    address : str
        Where the scheduler listens, such as ``tcp://127.0.0.1:8786``.
    patience_s : float
        How long to wait for it, and for a first worker [s].

    Raises
    ------
    InputError
        Where dask isn't installed, no scheduler answers, it has no worker, or a piece kills its workers.
    """
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise InputError("dask", address, "needs dask, which isn't installed", DASK_MISSING) from None
    try:
        client = distributed.Client(address, timeout=patience_s, set_as_default=False)
    except (OSError, ValueError) as error:
        problem = f"is no dask scheduler that answers ({error})"
        raise InputError("dask", address, problem, "Start one: dask scheduler.") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=patience_s)
        except TimeoutError:
            problem = "is a scheduler without workers"
            raise InputError("dask", address, problem, f"Start some: dask worker {address}.") from None
        try:
            yield client.get_executor(pure=False)
        except distributed.scheduler.KilledWorker as error:
            problem = f"lost every worker that tried a piece ({error})"
            raise InputError("dask", address, problem, "Give the workers more memory.") from None


def _collect(sweep: Sweep, folder: Path, executor: Executor, progress: Progress, piece_points: int) -> int:
    waiting: dict[Future[bytes], tuple[int, Piece]] = {}
    written = size = 0

    def take(left: int) -> None:
        nonlocal written, size
        while len(waiting) > left:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                number, piece = waiting.pop(future)
                size += (folder / f"part-{number:05d}.parquet").write_bytes(future.result())
                written += piece.points
                progress(written)

    try:
        for number, piece in enumerate(pieces(sweep, piece_points)):
            waiting[executor.submit(part_bytes, sweep, piece, MODEL_VERSION)] = number, piece
            take(IN_FLIGHT - 1)
        take(0)
    finally:
        for future in waiting:
            future.cancel()
    return size
