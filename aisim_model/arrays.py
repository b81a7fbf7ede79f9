"""What lets one formula serve floats and arrays alike."""

from __future__ import annotations

from typing import Any

import numpy as np


def unboxed(value: Any) -> Any:
    """Return a NumPy scalar as a Python number, and an array as it is.

    Examples
    --------
    >>> unboxed(np.maximum(1.0, 2.0))
    2.0
    >>> unboxed(np.maximum(np.array([1.0, 3.0]), 2.0))
    array([2., 3.])
    """
    return value.item() if np.ndim(value) == 0 and isinstance(value, (np.generic, np.ndarray)) else value


def larger(left: Any, right: Any) -> Any:
    """Return the larger of two, element by element.

    Examples
    --------
    >>> larger(1.0, 2.0)
    2.0
    """
    return unboxed(np.maximum(left, right))


def pieces(amount: Any, size: Any) -> Any:
    """Return how many pieces of at most `size` an amount makes, a last short one counted whole.

    Examples
    --------
    >>> pieces(12_000, 8192)
    2
    >>> pieces(np.array([0.0, 1.0, 8192.0, 8193.0]), 8192)
    array([0., 1., 1., 2.])
    """
    return -(-amount // size)
