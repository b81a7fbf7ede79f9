"""Where a function crosses zero: Chandrupatla's method, for one bracket or an array of them.

SciPy has it too, at 0.4 s of imports that every first page would wait for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from aisim_model.arrays import either, larger, smaller

MOST_STEPS = 200
CLOSEST = 2.0**-52  # of two floats, by their size
LEAST = math.ulp(0.0) / CLOSEST


def root(function: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Return where a continuous function of one sign at `low` and the other at `high` is zero.

    Parameters
    ----------
    function : callable
        From a float to a float, or from an array to one of as many elements, each of its own.
    low, high : float or array of float64
        The bracket.

    Returns
    -------
    float or array of float64
        The place; of an array `high` where both ends have the same sign.

    Raises
    ------
    ValueError
        For floats where both ends have the same sign.

    Notes
    -----
    Source: Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear
    function without using derivatives", Advances in Engineering Software 28, 1997.

    Examples
    --------
    >>> root(lambda x: x - 2.0, 0.0, 10.0)
    2.0
    >>> root(lambda x: x * x - np.array([4.0, 9.0]), np.zeros(2), np.full(2, 10.0))
    array([2., 3.])
    """
    near, far = high, low
    with np.errstate(all="ignore"):  # of elements that are found, or have no bracket
        at_near, at_far = function(near), function(far)
        apart = at_near * at_far > 0.0
        if not isinstance(apart, np.ndarray) and apart:
            raise ValueError(f"no change of sign from {low!r} to {high!r}")
        found, left = near, np.logical_not(apart)
        share: Any = 0.5
        for _ in range(MOST_STEPS):
            middle = near + share * (far - near)
            at_middle = function(middle)
            same = (at_middle > 0.0) == (at_near > 0.0)
            third, at_third = either(same, near, far), either(same, at_near, at_far)
            far, at_far = either(same, far, near), either(same, at_far, at_near)
            near, at_near = middle, at_middle
            best = either(abs(at_near) < abs(at_far), near, far)
            width = abs(far - near)
            least = CLOSEST * larger(abs(best), LEAST)
            done = (at_near == 0.0) | (width <= 2.0 * least)
            found = either(left, best, found)
            left = left & np.logical_not(done)
            if not np.any(left):
                break
            share = _share((near, at_near), (far, at_far), (third, at_third), least, width)
    return found


def _share(near: Any, far: Any, third: Any, least: Any, width: Any) -> Any:
    """Return where between two ends to look next: by a parabola through all three if it is inside."""
    (x, at_x), (y, at_y), (z, at_z) = near, far, third
    if isinstance(x, float) and (z == y or at_x == at_y or at_z in (at_x, at_y)):
        return 0.5
    ratio, rise = (x - y) / (z - y), (at_x - at_y) / (at_z - at_y)
    inside = (1.0 - np.sqrt(1.0 - ratio) < rise) & (rise < np.sqrt(ratio))
    if not np.any(inside):
        return 0.5
    curved = at_x / (at_y - at_x) * at_z / (at_y - at_z)
    curved = curved + (z - x) / (y - x) * at_x / (at_z - at_x) * at_y / (at_z - at_y)
    share = either(inside, curved, 0.5)
    edge = least / width
    return smaller(larger(share, edge), 1.0 - edge)
