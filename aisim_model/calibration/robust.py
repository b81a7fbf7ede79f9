"""A robust fit by relative error: ``t = alpha + slope * bytes + cost * descriptors``, none of them below 0.

Least squares of ``(predicted - measured) / max(predicted, measured)``: the relative error for what fits, and
at most 1 for what doesn't, so a time that is 10 times too short pulls no harder than one 10 times too long.
Huber's loss counts what is beyond 1.345 times the median absolute deviation of that error by its size, not by
its square; fit and limit are renewed until the limit stays. The start is a line of repeated medians of the
slopes between rows, which odd rows can't lead.

Sources: P. J. Huber, "Robust Estimation of a Location Parameter", Annals of Mathematical Statistics 35, 1964;
A. F. Siegel, "Robust Regression Using Repeated Medians", Biometrika 69, 1982.
"""

from __future__ import annotations

import numpy as np

from aisim_model.calibration.measurements import Floats

HUBER = 1.345
SMALLEST_SPREAD = 1e-9  # rows that fit to the last digit still leave a spread to divide by
MOST_ROUNDS = 30
MOST_START_ROWS = 200  # rows whose pairs are tried for a start
SETTLED, PRECISE = 1e-5, 1e-10
NEGLIGIBLE = 1e-9  # of the shortest time: a coefficient that adds no more than this anywhere is 0


def robust_fit(columns: Floats, times: Floats) -> tuple[Floats, float]:
    """Fit coefficients, none below 0, to measured times.

    Parameters
    ----------
    columns : array of float64, rows x coefficients
        Ones, bytes, and descriptors where counted, of each row.
    times : array of float64
        Measured times [ms], all above 0.

    Returns
    -------
    coefficients : array of float64
        Milliseconds, per byte, per descriptor. Times that don't grow with the bytes have a slope of 0.
    limit : float
        Relative error beyond which a row counts less [-].

    Examples
    --------
    0.5 ms and 1e-8 ms a byte, one of five rows ten times too slow:

    >>> sizes = np.array([1e6, 1e7, 5e7, 1e8, 2e8])
    >>> times = 0.5 + 1e-8 * sizes
    >>> times[3] *= 10
    >>> robust_fit(np.column_stack([np.ones(5), sizes]), times)[0].round(10)
    array([5.e-01, 1.e-08])
    """
    from scipy.optimize import least_squares  # slow to import, and a page that fits nothing doesn't need it
    from scipy.stats import median_abs_deviation

    scale = np.abs(columns).max(axis=0)  # columns of like size are well conditioned
    scaled = columns / scale

    def error(line: Floats) -> Floats:
        return relative_error(scaled @ line, times)

    def slopes(line: Floats) -> Floats:
        change: Floats = scaled * (times / np.maximum(scaled @ line, times) ** 2)[:, None]
        return change

    found = _start(columns, times) * scale
    limit = HUBER * max(float(median_abs_deviation(error(found))), SMALLEST_SPREAD)
    for _ in range(MOST_ROUNDS):
        found = least_squares(
            error,
            found,
            slopes,
            bounds=(0, np.inf),
            method="dogbox",  # reaches a bound itself, where the default stays a hair inside
            loss="huber",
            f_scale=limit,
            ftol=PRECISE,
            xtol=PRECISE,
            gtol=PRECISE,
        ).x
        before, limit = limit, HUBER * max(float(median_abs_deviation(error(found))), SMALLEST_SPREAD)
        if abs(limit - before) <= SETTLED * before:
            break
    return np.where(found > NEGLIGIBLE * times.min(), found / scale, 0.0), limit


def relative_error(predicted: Floats, times: Floats) -> Floats:
    """Error of each prediction over the larger of the two times [-].

    Examples
    --------
    >>> relative_error(np.array([2.0, 8.0]), np.array([4.0, 4.0]))
    array([-0.5,  0.5])
    """
    return (predicted - times) / np.maximum(predicted, times)


def _start(columns: Floats, times: Floats) -> Floats:
    """Return a line to begin at, descriptors left out."""
    from scipy.stats import siegelslopes

    rows = np.argsort(columns[:, 1], kind="stable")
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_START_ROWS)).astype(np.int64)]
    slope, alpha = siegelslopes(times[rows], columns[rows, 1])
    line = np.zeros(columns.shape[1])
    line[:2] = max(alpha, 0.0), max(slope, 0.0)
    if not line.any():
        line[0] = np.median(times)
    return line
