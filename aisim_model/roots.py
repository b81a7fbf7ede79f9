"""Where a function crosses zero: Chandrupatla's method.

SciPy has it too, at 0.4 s of imports that every first page would wait for.
"""

from __future__ import annotations

import math
from collections.abc import Callable

MOST_STEPS = 200
CLOSEST = 2.0**-52  # of two floats, by their size


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a continuous function of one sign at `low` and the other at `high` is zero.

    Parameters
    ----------
    function : callable
        From a float to a float.
    low, high : float
        The bracket.

    Raises
    ------
    ValueError
        Where both ends have the same sign.

    Notes
    -----
    Source: Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear
    function without using derivatives", Advances in Engineering Software 28, 1997.

    Examples
    --------
    >>> root(lambda x: x - 2.0, 0.0, 10.0)
    2.0
    """
    near, far = high, low
    at_near, at_far = function(near), function(far)
    if at_near * at_far > 0.0:
        raise ValueError(f"no change of sign from {low!r} to {high!r}")
    share = 0.5
    for _ in range(MOST_STEPS):
        middle = near + share * (far - near)
        at_middle = function(middle)
        third, at_third = far, at_far
        if (at_middle > 0.0) == (at_near > 0.0):
            third, at_third = near, at_near
        else:
            far, at_far = near, at_near
        near, at_near = middle, at_middle
        best = near if abs(at_near) < abs(at_far) else far
        width = abs(far - near)
        least = CLOSEST * max(abs(best), math.ulp(0.0) / CLOSEST)
        if at_near == 0.0 or width <= 2.0 * least:
            return best
        ratio, rise = (near - far) / (third - far), (at_near - at_far) / (at_third - at_far)
        share = 0.5
        if 1.0 - math.sqrt(1.0 - ratio) < rise < math.sqrt(ratio):  # a parabola through all three is inside
            share = at_near / (at_far - at_near) * at_third / (at_far - at_third) + (third - near) / (
                far - near
            ) * at_near / (at_third - at_near) * at_far / (at_third - at_far)
        share = min(max(share, least / width), 1.0 - least / width)
    return best
