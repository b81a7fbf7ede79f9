"""How well a fit is known: what resampled residuals do to it, and each row predicted from the others."""

from __future__ import annotations

import numpy as np

from aisim_model.calibration.measurements import Floats
from aisim_model.calibration.robust import robust_fit

SEED = 20_260_101  # fixed: the same rows give the same intervals to the bit
MOST_RESAMPLES, FEWEST_RESAMPLES = 1000, 100
MOST_VALUES = 400_000  # resamples times rows: what keeps a long log within seconds
LOW, HIGH = 0.025, 0.975  # 95% lie between


def resampled(columns: Floats, coefficients: Floats, times: Floats) -> Floats | None:
    """Move a fit by residuals drawn anew from its own: a residual bootstrap with one Gauss-Newton step each.

    Residuals are logarithms of measured over predicted, widened by ``sqrt(n / (n - coefficients))`` for what
    the fit has used up, and by Student's t over the normal quantile for how little few rows tell of their own
    scatter.

    Parameters
    ----------
    columns : array of float64, rows x coefficients
        As in `robust.robust_fit`, of the rows that the fit goes by.
    coefficients : array of float64
        The fit.
    times : array of float64
        Measured times [ms].

    Returns
    -------
    array of float64, resamples x coefficients, or None
        Coefficients of each resample; None where there are no more rows than coefficients.

    Notes
    -----
    Source: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 9.

    Examples
    --------
    >>> sizes = np.array([1e6, 1e7, 1e8])
    >>> columns, fit = np.column_stack([np.ones(3), sizes]), np.array([0.5, 1e-8])
    >>> resampled(columns, fit, columns @ fit).std(axis=0).round(6)
    array([0., 0.])
    """
    from scipy.stats import norm, t  # slow to import, and a page that fits nothing doesn't need it

    rows, unknowns = columns.shape
    if rows <= unknowns:
        return None
    predicted_ms = columns @ coefficients
    freedom = rows - unknowns
    widened = np.sqrt(rows / freedom) * t.ppf(HIGH, freedom) / norm.ppf(HIGH)
    residual = np.log(times / predicted_ms) * widened
    count = int(np.clip(MOST_VALUES // rows, FEWEST_RESAMPLES, MOST_RESAMPLES))
    slopes = columns / predicted_ms[:, None]
    scale = np.abs(slopes).max(axis=0)  # columns of like size are well conditioned
    inverse, draws = np.linalg.pinv(slopes / scale).T, np.random.default_rng(SEED)
    at_once = max(MOST_VALUES // rows, 1)  # resamples that memory holds side by side
    sizes = [min(at_once, count - start) for start in range(0, count, at_once)]
    steps = (
        np.concatenate([residual[draws.integers(rows, size=(size, rows))] @ inverse for size in sizes])
        / scale
    )
    fits: Floats = np.maximum(coefficients + steps, 0.0)
    fits = fits[fits[:, 1] > 0]
    return fits if len(fits) else None


def interval(draws: Floats, estimate: float) -> tuple[float, float]:
    """Middle 95% of the draws, widened to hold the estimate itself.

    Parameters
    ----------
    draws : array of float64
        One coefficient of each resample.
    estimate : float
        The coefficient of the fit.

    Examples
    --------
    >>> interval(np.arange(1001.0), 500.0)
    (25.0, 975.0)
    """
    low, high = np.quantile(draws, (LOW, HIGH))
    return min(float(low), estimate), max(float(high), estimate)


def leave_one_out(columns: Floats, times: Floats) -> Floats | None:
    """Relative error of each row as predicted from a fit to the others.

    Parameters
    ----------
    columns, times
        As in `robust.robust_fit`.

    Returns
    -------
    array of float64 or None
        (predicted - measured) / measured of each row [-]; None where the others are too few for a fit.

    Examples
    --------
    >>> sizes = np.array([1e6, 1e7, 1e8])
    >>> leave_one_out(np.column_stack([np.ones(3), sizes]), 0.5 + 1e-8 * sizes).round(6) + 0.0
    array([0., 0., 0.])
    """
    rows = np.arange(len(times))
    if len(rows) <= columns.shape[1]:
        return None
    errors = np.empty(len(rows))
    for left_out in rows:
        kept = rows != left_out
        if np.unique(columns[kept, 1]).size < 2:
            return None
        coefficients, _ = robust_fit(columns[kept], times[kept])
        if coefficients[1] <= 0:
            return None
        errors[left_out] = columns[left_out] @ coefficients / times[left_out] - 1.0
    return errors
