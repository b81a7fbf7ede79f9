"""Measurements to alpha, bandwidth and the cost of a descriptor, with what the rows can and can't tell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from aisim_model.arrays import Values
from aisim_model.calibration.checks import (
    BYTES_PER_MS_OF_1_GB_S,
    refuse_impossible,
    refuse_odd_bandwidth,
    refuse_too_little,
)
from aisim_model.calibration.identifiability import descriptor_trouble, is_odd, odd_rows, untold
from aisim_model.calibration.measurements import Counted, Floats, Measurements
from aisim_model.calibration.resampling import interval, leave_one_out, resampled
from aisim_model.calibration.robust import relative_error, robust_fit
from aisim_model.errors import InputError
from aisim_model.link import calibrated_ms
from aisim_model.units import US_PER_MS

MOST_LEFT_OUT = 200  # leaving one out refits once a row

NotBelowZero = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Interval = tuple[float, float]


class Calibration(BaseModel):
    """What a fit is used for, small enough for a share link.

    Parameters
    ----------
    alpha_ms : float
        Cost of any transfer [ms].
    bandwidth_gb_s : float
        What one transfer got in all [GB/s, decimal, one direction].
    per_descriptor_us : float
        Cost of what was counted, a descriptor of a rank or a block [us]; 0 where it wasn't fitted.
    counted : {"descriptors", "blocks"}
        Which of the two. A block is as many descriptors as the cache has tensors.

    Examples
    --------
    >>> Calibration(alpha_ms=0.5, bandwidth_gb_s=100.0).predict_ms(1e8)
    1.5
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    alpha_ms: NotBelowZero
    bandwidth_gb_s: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    per_descriptor_us: NotBelowZero = 0.0
    counted: Counted = "descriptors"

    def predict_ms(self, bytes_sent: Values, descriptors: Values = 0.0) -> Values:
        """Time of a transfer by this calibration [ms]; see `transfer.calibrated_ms`."""
        return calibrated_ms(
            bytes_sent, self.bandwidth_gb_s, self.alpha_ms, descriptors, self.per_descriptor_us
        )


@dataclass(frozen=True)
class CalibrationFit:
    """A calibration and how well it is known.

    Parameters
    ----------
    calibration : Calibration
        The fit.
    measurements : Measurements
        What it was fitted to.
    predicted_ms, relative_error, weight : array of float64
        Of each row: fitted time [ms], (fitted - measured) / measured [-], and what the row counted [-].
    alpha_ms_interval, bandwidth_gb_s_interval, per_descriptor_us_interval : tuple of float or None
        95% of the fits to resampled residuals lie within; None where the rows leave nothing to resample.
    leave_one_out : array of float64 or None
        Relative error of each row predicted from the others [-]; None for few or very many rows.
    messages : tuple of str
        What the rows can't tell, and what was taken for granted, a sentence each.
    """

    calibration: Calibration
    measurements: Measurements
    predicted_ms: Floats
    relative_error: Floats
    weight: Floats
    alpha_ms_interval: Interval | None
    bandwidth_gb_s_interval: Interval | None
    per_descriptor_us_interval: Interval | None
    leave_one_out: Floats | None
    messages: tuple[str, ...]

    @property
    def max_relative_error(self) -> float:
        """Largest relative error over all rows given, outliers included [-]."""
        return float(np.abs(self.relative_error).max())

    @property
    def max_leave_one_out_error(self) -> float | None:
        """Largest relative error of a row predicted from the others [-]."""
        return None if self.leave_one_out is None else float(np.abs(self.leave_one_out).max())


def calibrate(measurements: Measurements, lanes: float = 1.0) -> CalibrationFit:
    """Fit ``t = alpha + descriptors * cost + bytes / bandwidth`` to measured transfers, by relative error.

    Parameters
    ----------
    measurements : Measurements
        Two rows or more, of two sizes or more.
    lanes : float
        Links that a transfer used side by side [-]: how much faster than one link a fit may be.

    Returns
    -------
    CalibrationFit
        Fit, intervals, residuals, and what the rows can't tell.

    Raises
    ------
    InputError
        Where there is no fit: too few rows or sizes, times that don't grow with the size, or a bandwidth that
        no link has, which asks after the units.

    Notes
    -----
    `aisim_model.calibration.robust` has the fit, `aisim_model.calibration.resampling` the intervals.

    Examples
    --------
    >>> from aisim_model.calibration import measured
    >>> fitted = calibrate(measured([1e6, 1e7, 1e8], [0.41, 0.5, 1.4]))
    >>> round(fitted.calibration.alpha_ms, 6), round(fitted.calibration.bandwidth_gb_s, 6)
    (0.4, 100.0)
    """
    if not (math.isfinite(lanes) and lanes > 0):
        raise InputError("lanes", lanes, "must be a number above 0", "Give the links that a transfer used.")
    lanes = max(lanes, float(measurements.ranks))
    refuse_too_little(measurements)
    refuse_impossible(measurements, lanes)
    trouble = descriptor_trouble(measurements)
    times = measurements.milliseconds
    columns = _columns(measurements, priced=trouble is None)
    coefficients, limit = robust_fit(columns, times)
    if coefficients[1] <= 0 and columns.shape[1] > 2:
        step = "Descriptors explain the times without the bytes, which tells no bandwidth"
        trouble = f"{step}: fitted without them."
        columns = columns[:, :2]
        coefficients, limit = robust_fit(columns, times)
    if coefficients[1] <= 0:
        problem = "don't grow with the size, so they tell no bandwidth"
        remedy = "Check which column is which, or measure larger transfers."
        raise InputError("milliseconds", f"{times.min():g} to {times.max():g}", problem, remedy)
    calibration = Calibration(
        alpha_ms=float(coefficients[0]),
        bandwidth_gb_s=_gb_s(coefficients[1]),
        per_descriptor_us=float(coefficients[2]) * US_PER_MS if len(coefficients) > 2 else 0.0,
        counted=measurements.counted,
    )
    refuse_odd_bandwidth(calibration.bandwidth_gb_s, lanes)

    predicted = columns @ coefficients
    error = predicted / times - 1.0
    weight = limit / np.maximum(np.abs(relative_error(predicted, times)), limit)
    followed = ~is_odd(error, weight)
    if followed.sum() <= len(coefficients):
        followed[:] = True
    draws = resampled(columns[followed], coefficients, times[followed])
    alpha_ms, bandwidth_gb_s, per_descriptor_us = _intervals(draws, coefficients)
    messages = [*measurements.notes, *([trouble] if trouble else [])]
    messages += untold(measurements, coefficients, alpha_ms, bandwidth_gb_s, per_descriptor_us)
    messages += odd_rows(measurements.rows, error, weight)
    return CalibrationFit(
        calibration=calibration,
        measurements=measurements,
        predicted_ms=predicted,
        relative_error=error,
        weight=weight,
        alpha_ms_interval=alpha_ms,
        bandwidth_gb_s_interval=bandwidth_gb_s,
        per_descriptor_us_interval=per_descriptor_us,
        leave_one_out=leave_one_out(columns, times) if len(times) <= MOST_LEFT_OUT else None,
        messages=tuple(messages),
    )


def _columns(measurements: Measurements, priced: bool) -> Floats:
    columns = [np.ones(len(measurements)), measurements.bytes_sent]
    if priced and measurements.descriptors is not None:
        columns.append(measurements.descriptors)
    return np.column_stack(columns)


def _intervals(
    draws: Floats | None, coefficients: Floats
) -> tuple[Interval | None, Interval | None, Interval | None]:
    if draws is None:
        return None, None, None
    bounds = [interval(draws[:, index], float(value)) for index, value in enumerate(coefficients)]
    quickest, slowest = bounds[1]
    cost = (bounds[2][0] * US_PER_MS, bounds[2][1] * US_PER_MS) if len(bounds) > 2 else None
    return bounds[0], (_gb_s(slowest), _gb_s(quickest)), cost


def _gb_s(milliseconds_per_byte: float) -> float:
    return float(1.0 / (milliseconds_per_byte * BYTES_PER_MS_OF_1_GB_S))
