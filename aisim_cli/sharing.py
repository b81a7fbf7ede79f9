"""What work is shared over: processes of this machine, the workers of a dask scheduler, or nothing."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from aisim_model.errors import InputError

if TYPE_CHECKING:
    from concurrent.futures import Executor

MAX_WORKERS = 256


def shared_over(workers: int | None, dask: str | None) -> AbstractContextManager[Executor] | None:
    """Return what shares the work, or None where it isn't shared.

    Raises
    ------
    InputError
        For both of them, or a number of processes out of range.
    """
    if workers is not None and (dask is not None or not 1 <= workers <= MAX_WORKERS):
        problem = f"must be from 1 to {MAX_WORKERS}, and goes without --dask"
        raise InputError("workers", workers, problem, "Choose one of the two.")
    if dask is not None:
        from aisim_model.sweep.distributed import dask_workers

        return dask_workers(dask)
    if workers is not None:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    return None
