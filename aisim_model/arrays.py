"""What lets one formula serve floats and arrays alike."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Values = float | npt.NDArray[np.floating]
Number = TypeVar("Number", float, Floats, Values)  # what comes in as one kind goes out as it
Found = TypeVar("Found")


def unboxed(value: Found) -> Found:
    """Return a NumPy scalar as a Python number, and anything else as it is.

    Examples
    --------
    >>> unboxed(np.maximum(1.0, 2.0))
    2.0
    >>> unboxed(np.maximum(np.array([1.0, 3.0]), 2.0))
    array([2., 3.])
    """
    if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0:
        number: Found = value.item()
        return number
    return value


def larger(left: Values, right: Values) -> Values:
    """Return the larger of two, element by element.

    Examples
    --------
    >>> larger(1.0, 2.0)
    2.0
    """
    found: Values = np.maximum(left, right)
    return unboxed(found)


def count_pieces(amount: Values, size: Values) -> Values:
    """Return how many pieces of at most `size` an amount makes, a last short one counted whole.

    Examples
    --------
    >>> count_pieces(12_000, 8192)
    2
    >>> count_pieces(np.array([0.0, 1.0, 8192.0, 8193.0]), 8192)
    array([0., 1., 1., 2.])
    """
    return -(-amount // size)
