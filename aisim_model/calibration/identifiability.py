"""What a set of measured transfers can't tell, said in sentences."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aisim_model.calibration.measurements import Floats, Measurements

UNEXPLAINED = 0.02  # less of the descriptor counts than this goes its own way: too little to price them by
NARROW_SIZES = 2.0
WIDE_BANDWIDTH = 1.5
ODD_ROW = 0.3
LITTLE_WEIGHT = 0.5
ROWS_NAMED = 5

Interval = tuple[float, float] | None


def descriptor_trouble(measurements: Measurements) -> str | None:
    """Say why the cost of a descriptor can't be told from these rows, or None where it can.

    The counts have to go their own way: what a constant and the bytes explain of them prices nothing.

    Examples
    --------
    >>> from aisim_model.calibration.measurements import measured
    >>> rows = [1e6, 2e6, 4e6, 8e6], [0.5, 0.6, 0.7, 0.9]
    >>> print(descriptor_trouble(measured(*rows, descriptors=[10, 20, 40, 80])))
    Descriptors rise in step with the bytes, so their cost can't be told from bandwidth: fitted without them.
    >>> descriptor_trouble(measured(*rows, descriptors=[40, 20, 160, 80])) is None
    True
    """
    counts = measurements.descriptors
    if counts is None:
        return None
    if len(measurements) < 3:
        return "Two rows can't tell the cost of a descriptor beside alpha and bandwidth: fitted without it."
    if np.ptp(counts) == 0:
        return (
            "Every row has as many descriptors, so their cost can't be told from alpha: fitted without them."
        )
    # rows weigh by relative error, as in the fit
    known = (
        np.column_stack([np.ones(len(counts)), measurements.bytes_sent]) / measurements.milliseconds[:, None]
    )
    known /= np.linalg.norm(known, axis=0)
    wanted = counts / measurements.milliseconds
    rest = wanted - known @ np.linalg.lstsq(known, wanted, rcond=None)[0]
    if np.linalg.norm(rest) < UNEXPLAINED * np.linalg.norm(wanted):
        step = "Descriptors rise in step with the bytes, so their cost can't be told from bandwidth"
        return f"{step}: fitted without them."
    return None


def untold(
    measurements: Measurements,
    coefficients: Floats,
    alpha_ms: Interval,
    bandwidth_gb_s: Interval,
    per_descriptor_us: Interval,
) -> list[str]:
    """List what the rows leave open about a fit.

    Parameters
    ----------
    measurements : Measurements
        The rows.
    coefficients : array of float64
        Alpha [ms], milliseconds a byte, and a descriptor where fitted.
    alpha_ms, bandwidth_gb_s, per_descriptor_us : tuple of float or None
        Their intervals.

    Examples
    --------
    >>> from aisim_model.calibration.measurements import measured
    >>> untold(measured([1e6, 1e8], [0.5, 1.5]), np.array([0.49, 1e-8]), None, None, None)
    ['As many rows as unknowns: the fit goes through every row, and its error is unknown.']
    """
    found = []
    smallest, largest = measurements.bytes_sent.min(), measurements.bytes_sent.max()
    if largest < NARROW_SIZES * smallest:
        found.append(
            f"Sizes differ by a factor of {largest / smallest:.2g} only: these rows can't tell alpha from"
            " bandwidth, what one takes the other gives. Add a much smaller and a much larger transfer."
        )
    if alpha_ms is None or bandwidth_gb_s is None:
        found.append("As many rows as unknowns: the fit goes through every row, and its error is unknown.")
    elif coefficients[0] == 0:
        found.append("These rows show no start-up cost: alpha stands at 0, the least that it can be.")
    elif alpha_ms[0] == 0:
        found.append("Alpha can't be told from 0 by these rows. Add smaller transfers.")
    if bandwidth_gb_s is not None and bandwidth_gb_s[1] > WIDE_BANDWIDTH * bandwidth_gb_s[0]:
        factor = bandwidth_gb_s[1] / bandwidth_gb_s[0]
        found.append(f"Bandwidth is known within a factor of {factor:.2g} only. Add larger transfers.")
    if per_descriptor_us is not None and per_descriptor_us[0] == 0:
        found.append("The cost of a descriptor can't be told from 0 by these rows.")
    return found


def is_odd(error: Floats, weight: Floats) -> npt.NDArray[np.bool_]:
    """Say of each row whether the fit passes it by: far off, and counted little.

    Parameters
    ----------
    error, weight : array of float64
        Relative error of the fit [-], and what the row counted [-].

    Examples
    --------
    >>> is_odd(np.array([0.01, -0.9]), np.array([1.0, 0.03]))
    array([False,  True])
    """
    return (np.abs(error) > ODD_ROW) & (weight < LITTLE_WEIGHT)


def odd_rows(rows: npt.NDArray[np.int64], error: Floats, weight: Floats) -> list[str]:
    """Name the rows that the fit passes by, and how far off they are.

    Parameters
    ----------
    rows : array of int64
        Where each stands in its file.
    error, weight : array of float64
        Relative error of the fit [-], and what the row counted [-].

    Examples
    --------
    >>> odd_rows(np.array([2, 3]), np.array([0.01, -0.9]), np.array([1.0, 0.03]))
    ['Counted little, for being far from the rest: row 3 (fit -90%).']
    """
    odd = np.flatnonzero(is_odd(error, weight))
    if not odd.size:
        return []
    named = ", ".join(f"row {rows[index]} (fit {error[index]:+.0%})" for index in odd[:ROWS_NAMED])
    more = f" and {odd.size - ROWS_NAMED} more" if odd.size > ROWS_NAMED else ""
    return [f"Counted little, for being far from the rest: {named}{more}."]
