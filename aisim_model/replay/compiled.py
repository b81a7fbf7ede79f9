"""How the loops of a replay are compiled: one decorator, one set of switches."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.extending import register_jitable

Function = TypeVar("Function", bound=Callable[..., Any])
Records = Any  # a NumPy record array: its fields are read by name in compiled code
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def compiled(function: Function) -> Function:
    """Let compiled code call a function; called from Python it runs as Python, which is how tests see inside.

    Fast mathematics stays off: the same input must give the same bits on every run.
    """
    callable_from_compiled: Function = register_jitable(nogil=True, _nrt=False, no_cfunc_wrapper=True)(
        function
    )
    return callable_from_compiled


def entry(function: Function) -> Function:
    """Compile a function that Python calls, keep the result on disk, and let other threads run meanwhile.

    Where no folder can be written to, neither beside the sources nor of the user, each process compiles anew.
    """
    try:
        kernel: Callable[..., Any] = njit(nogil=True, cache=True)(function)
    except RuntimeError:
        kernel = njit(nogil=True)(function)
    return cast("Function", kernel)


def fingerprint() -> int:
    """Return a number that changes with any file that compiled code is made of."""
    folder = Path(__file__).parent
    digest = hashlib.sha256()
    passes = (folder.parent / "passes").glob("*.py")
    for path in (*sorted(folder.glob("*.py")), *sorted(passes), folder.parent / "handoff.py"):
        digest.update(path.read_bytes())
    return int.from_bytes(digest.digest()[:6])
