"""Where a function crosses zero: SciPy's Brent method, brought in only when a question needs it."""

from __future__ import annotations

from collections.abc import Callable


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

    Examples
    --------
    >>> root(lambda x: x - 2.0, 0.0, 10.0)
    2.0
    """
    from scipy.optimize import brentq  # 0.4 s of imports, which a page's first run doesn't need

    return float(brentq(function, low, high, xtol=1e-13, rtol=1e-15, maxiter=500))
