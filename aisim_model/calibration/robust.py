"""A robust fit by relative error: ``t = alpha + slope * bytes + cost * descriptors``, none of them below 0.

Least squares of ``(predicted - measured) / max(predicted, measured)``: the relative error for what fits, and
at most 1 for what doesn't, so a time that is 10 times too short pulls no harder than one 10 times too long.
Huber weights at 1.345 times the median absolute deviation of that error are renewed until nothing moves,
starting from the line through two rows that half of all rows lie nearest to, which odd rows can't lead.

Sources: P. J. Huber, "Robust Estimation of a Location Parameter", Annals of Mathematical Statistics 35, 1964;
P. J. Rousseeuw, "Least Median of Squares Regression", J. of the American Statistical Association 79, 1984.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

HUBER = 1.345
SMALLEST_SPREAD = 1e-9  # rows that fit to the last digit still leave a spread to divide by
MOST_ROUNDS = 300
MOST_START_ROWS = 60  # rows whose pairs are tried for a start
SETTLED = 1e-9
SINGULAR = 1e-12  # columns that go together leave less than this


def robust_fit(columns: Floats, times: Floats, start: Floats, settled: float = SETTLED) -> Floats:
    """Fit coefficients, none below 0, to one or many columns of times at once.

    Parameters
    ----------
    columns : array of float64, rows x coefficients
        Ones, bytes, and descriptors where counted, of each row.
    times : array of float64, fits x rows
        Measured times [ms], all above 0; each line is a fit of its own.
    start : array of float64, coefficients
        Where to begin, see `starting_line`.
    settled : float
        Relative change at which a fit is left as it is [-].

    Returns
    -------
    array of float64, fits x coefficients
        Milliseconds, per byte, per descriptor. Times that don't grow with the bytes have a slope of 0.

    Examples
    --------
    0.5 ms and 1e-8 ms a byte, one of five rows ten times too slow:

    >>> sizes = np.array([1e6, 1e7, 5e7, 1e8, 2e8])
    >>> times = 0.5 + 1e-8 * sizes
    >>> times[3] *= 10
    >>> columns = np.column_stack([np.ones(5), sizes])
    >>> robust_fit(columns, times[None], starting_line(columns, times)).round(10)
    array([[5.e-01, 1.e-08]])
    """
    scale = np.abs(columns).max(axis=0)  # columns of like size keep the normal equations well conditioned
    scaled = columns / scale
    found = np.tile(start * scale, (len(times), 1))
    active = np.arange(len(times))
    for _ in range(MOST_ROUNDS):
        line, told = found[active], times[active]
        predicted = line @ scaled.T
        larger = np.maximum(predicted, told)
        error = (predicted - told) / larger
        renewed = _least_squares(scaled, told, huber_weights(error) / (larger * larger))
        moved = np.abs(renewed - line).max(axis=1) > settled * np.abs(line).max(axis=1)
        found[active] = renewed
        active = active[moved]
        if not active.size:
            break
    unscaled: Floats = found / scale
    return unscaled


def starting_line(columns: Floats, times: Floats) -> Floats:
    """Find the line through two rows, or one row and 0, with the least median error over all rows.

    Parameters
    ----------
    columns : array of float64, rows x coefficients
        As in `robust_fit`; descriptors take no part.
    times : array of float64
        Measured times [ms].

    Returns
    -------
    array of float64
        Coefficients, that of descriptors 0.

    Examples
    --------
    >>> sizes = np.array([1e6, 1e7, 5e7, 1e8, 2e8])
    >>> times = 0.5 + 1e-8 * sizes
    >>> times[:2] /= 5
    >>> starting_line(np.column_stack([np.ones(5), sizes]), times).round(10)
    array([5.e-01, 1.e-08])
    """
    tried = np.argsort(columns[:, 1], kind="stable")
    tried = tried[np.linspace(0, len(tried) - 1, min(len(tried), MOST_START_ROWS)).round().astype(np.int64)]
    sizes, told = columns[tried, 1], times[tried]
    left, right = np.triu_indices(len(tried), k=1)
    apart = sizes[left] != sizes[right]
    left, right = left[apart], right[apart]
    slopes = (told[right] - told[left]) / (sizes[right] - sizes[left])
    alphas = told[left] - slopes * sizes[left]
    possible = (slopes > 0) & (alphas >= 0)
    alphas = np.concatenate([alphas[possible], np.zeros(len(tried))])
    slopes = np.concatenate([slopes[possible], told / sizes])
    predicted = alphas[:, None] + slopes[:, None] * sizes
    error = np.median(np.abs(predicted - told) / np.maximum(predicted, told), axis=1)
    best = int(np.argmin(error))
    line = np.zeros(columns.shape[1])
    line[:2] = alphas[best], slopes[best]
    return line


def huber_weights(error: Floats) -> Floats:
    """Weight of each row: 1 within 1.345 median absolute deviations, falling as one over the error beyond.

    Parameters
    ----------
    error : array of float64
        Relative errors [-], rows along the last axis.

    Examples
    --------
    >>> huber_weights(np.array([-0.02, -0.01, 0.0, 0.01, 0.02, 0.5])).round(3)
    array([1.  , 1.  , 1.  , 1.  , 1.  , 0.04])
    """
    middle = np.median(error, axis=-1, keepdims=True)
    spread = np.median(np.abs(error - middle), axis=-1, keepdims=True)
    limit = HUBER * np.maximum(spread, SMALLEST_SPREAD)
    size = np.abs(error)
    return np.where(size <= limit, 1.0, limit / np.maximum(size, limit))


def _least_squares(columns: Floats, times: Floats, weights: Floats) -> Floats:
    """Weighted least squares with no coefficient below 0: the best of the feasible choices of columns."""
    count = columns.shape[1]
    products = (columns[:, :, None] * columns[:, None, :]).reshape(len(columns), count * count)
    normal = (weights @ products).reshape(len(times), count, count)
    right = (weights * times) @ columns
    best = np.zeros((len(times), count))
    gain = np.zeros(len(times))
    for size in range(1, count + 1):
        for chosen in combinations(range(count), size):
            kept = list(chosen)
            part = np.zeros((len(times), count))
            part[:, kept] = _solved(normal[:, kept][:, :, kept], right[:, kept])
            # at its optimum a choice lowers the squares by coefficients times right-hand side
            lowered = (part * right).sum(axis=1)
            better = (part >= 0).all(axis=1) & (lowered > gain)
            best[better], gain[better] = part[better], lowered[better]
    return best


def _solved(matrices: Floats, right: Floats) -> Floats:
    """Solve each system; one that is singular has no solution of its own and gives zeros."""
    size = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2))
    alike = matrices / (
        size[:, :, None] * size[:, None, :]
    )  # a diagonal of ones: its determinant is at most 1
    solvable = np.linalg.det(alike) > SINGULAR
    found = np.zeros_like(right)
    found[solvable] = np.linalg.solve(alike[solvable], (right / size)[solvable][..., None])[..., 0]
    unscaled: Floats = found / size
    return unscaled
