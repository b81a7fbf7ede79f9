"""What lets one formula serve floats and arrays alike."""

from __future__ import annotations

import math
from typing import Any, TypeVar

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


def either(condition: object, then: Any, otherwise: Any) -> Any:
    """Return one of two values by a condition, element by element where it is an array.

    Examples
    --------
    >>> either(True, 1.0, 2.0), either(np.array([True, False]), 1.0, 2.0)
    (1.0, array([1., 2.]))
    """
    if isinstance(condition, np.ndarray):
        return np.where(condition, then, otherwise)
    return then if condition else otherwise


def every(condition: object) -> bool:
    """Say whether a condition holds, of an array everywhere.

    Examples
    --------
    >>> every(True), every(np.array([True, False]))
    (True, False)
    """
    return bool(condition.all()) if isinstance(condition, np.ndarray) else bool(condition)


def larger(left: Any, right: Any) -> Any:
    """Return the larger of two, element by element; NaN where one is.

    Examples
    --------
    >>> larger(1.0, 2.0)
    2.0
    """
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return np.maximum(left, right)
    return right if right > left or right != right else left


def smaller(left: Any, right: Any) -> Any:
    """Return the smaller of two, element by element; NaN where one is.

    Examples
    --------
    >>> smaller(1.0, 2.0)
    1.0
    """
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return np.minimum(left, right)
    return right if right < left or right != right else left


def per(amount: Any, each: Any, of_none: float = math.inf) -> Any:
    """Divide, element by element; `of_none` where it would be by 0.

    Examples
    --------
    >>> per(6.0, 3.0), per(6.0, 0.0), per(6.0, np.array([3.0, 0.0]), of_none=0.0)
    (2.0, inf, array([2., 0.]))
    """
    if isinstance(amount, np.ndarray) or isinstance(each, np.ndarray):
        shape = np.broadcast_shapes(np.shape(amount), np.shape(each))
        found: Floats = np.full(shape, of_none)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.divide(amount, each, out=found, where=np.not_equal(each, 0.0))
    return amount / each if each != 0.0 else of_none


def exponential(value: Any) -> Any:
    """Return e to a power, to the same last digit for floats and arrays.

    Examples
    --------
    >>> exponential(0.0)
    1.0
    """
    with np.errstate(over="ignore", under="ignore"):
        return unboxed(np.exp(value))


def floor(value: Any) -> Any:
    """Return the whole part of values from 0 on, infinity as it is.

    Examples
    --------
    >>> floor(2.5), floor(math.inf), floor(np.array([2.5]))
    (2.0, inf, array([2.]))
    """
    if isinstance(value, np.ndarray):
        return np.floor(value)
    return float(math.floor(value)) if math.isfinite(value) else value


def endless(value: Any) -> Any:
    """Say whether values are infinite.

    Examples
    --------
    >>> endless(math.inf), endless(np.array([1.0, math.inf]))
    (True, array([False,  True]))
    """
    return np.isinf(value) if isinstance(value, np.ndarray) else math.isinf(value)


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
