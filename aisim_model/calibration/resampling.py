"""How well a fit is known: fits to resampled residuals, and each row predicted from the others."""

from __future__ import annotations

import numpy as np

from aisim_model.calibration.measurements import Floats
from aisim_model.calibration.robust import robust_fit, starting_line

SEED = 20_260_101  # fixed: the same rows give the same intervals to the bit
MOST_RESAMPLES, FEWEST_RESAMPLES = 1000, 100
MOST_VALUES = 400_000  # resamples times rows: what keeps a long log within seconds
SETTLED = 1e-5  # an interval needs fewer digits than the fit
LOW, HIGH = 0.025, 0.975  # 95% lie between


def resampled(columns: Floats, coefficients: Floats, times: Floats) -> Floats | None:
    """Refit to the fitted times with residuals drawn anew: a residual bootstrap.

    Residuals are logarithms of measured over predicted, so that every drawn time is above 0, widened by
    ``sqrt(n / (n - coefficients))`` for what the fit has used up, and by Student's t over the normal quantile
    for how little few rows tell of their own scatter.

    Parameters
    ----------
    columns : array of float64, rows x coefficients
        As in `robust.robust_fit`.
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
    rows, unknowns = columns.shape
    if rows <= unknowns:
        return None
    predicted_ms = columns @ coefficients
    residual = np.log(times / predicted_ms) * np.sqrt(rows / (rows - unknowns)) * _student(rows - unknowns)
    count = int(np.clip(MOST_VALUES // rows, FEWEST_RESAMPLES, MOST_RESAMPLES))
    drawn = np.random.default_rng(SEED).integers(rows, size=(count, rows))
    found = robust_fit(columns, predicted_ms * np.exp(residual[drawn]), coefficients, SETTLED)
    fits: Floats = found[found[:, 1] > 0]
    return fits if len(fits) else None


def _student(freedom: int) -> float:
    """Return Student's t over the normal quantile at the ends of an interval.

    Examples
    --------
    2.228 over 1.960 with ten degrees of freedom:

    >>> round(_student(10), 3)
    1.137
    """
    from scipy.special import ndtri, stdtrit  # slow to import, and a page that fits nothing doesn't need it

    return float(stdtrit(freedom, HIGH) / ndtri(HIGH))


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
        As in `robust.robust_fit`, one line of times.

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
        start = starting_line(columns[kept], times[kept])
        coefficients = robust_fit(columns[kept], times[kept][None], start)[0]
        errors[left_out] = columns[left_out] @ coefficients / times[left_out] - 1.0
        if coefficients[1] <= 0 or np.unique(columns[kept, 1]).size < 2:
            return None
    return errors
