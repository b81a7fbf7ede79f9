"""A measured table of tokens and milliseconds: lines between its rows, never silently beyond them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aisim_model.arrays import unboxed
from aisim_model.errors import InputError
from aisim_model.handoff import Number


def outside_table(tokens: Any, table_tokens: npt.ArrayLike) -> Any:
    """Say where a table of measurements has no rows on both sides.

    Parameters
    ----------
    tokens : float or array of float64
        Uncached tokens [-].
    table_tokens : array-like of float64
        Tokens of the table's rows [-], rising.

    Returns
    -------
    bool or array of bool
        True where `table_ms` would have to extrapolate.

    Examples
    --------
    >>> outside_table(np.array([64.0, 128.0, 9000.0]), [128, 8192])
    array([ True, False,  True])
    """
    known = np.asarray(table_tokens, dtype=np.float64)
    return unboxed((np.asarray(tokens) < known[0]) | (np.asarray(tokens) > known[-1]))


def table_ms(
    tokens: Number,
    table_tokens: npt.ArrayLike,
    table_milliseconds: npt.ArrayLike,
    outside: Literal["refuse", "extend"] = "refuse",
) -> Number:
    """Measured as a table: straight lines between its rows, and never silently beyond them.

    Parameters
    ----------
    tokens : float or array of float64
        Uncached tokens [-].
    table_tokens, table_milliseconds : array-like of float64
        Rows of the table [-], [ms]: at least two, tokens rising.
    outside : {"refuse", "extend"}
        Beyond the first or last row: an error, or extrapolated from the nearest two rows (never below 0). Who
        extends asks `outside_table` where, and says so.

    Returns
    -------
    float or array of float64
        Prefill time [ms].

    Raises
    ------
    InputError
        For a table that is no table, and where `outside` is "refuse" for tokens beyond it.

    Examples
    --------
    >>> table_ms(3072.0, [2048, 4096], [85.0, 125.0])
    105.0
    >>> table_ms(8192.0, [2048, 4096], [85.0, 125.0], outside="extend")
    205.0
    """
    known, times = checked_table(table_tokens, table_milliseconds)
    asked = np.asarray(tokens, dtype=np.float64)
    beyond = np.asarray(outside_table(asked, known))
    if outside == "refuse" and beyond.any():
        problem = f"is outside the measured table, which goes from {known[0]:,.0f} to {known[-1]:,.0f} tokens"
        remedy = "Measure that length too, or choose to extend the table's last line."
        raise InputError("tokens", float(asked[beyond].flat[0]), problem, remedy)
    segment = np.clip(np.searchsorted(known, asked, side="right") - 1, 0, known.size - 2)
    slope = (times[segment + 1] - times[segment]) / (known[segment + 1] - known[segment])
    line: Number = unboxed(np.maximum(times[segment] + slope * (asked - known[segment]), 0.0))
    return line


def checked_table(
    table_tokens: npt.ArrayLike, table_milliseconds: npt.ArrayLike
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return a table's columns as arrays, or refuse it by what is wrong.

    Raises
    ------
    InputError
        For fewer than two rows, columns of unequal length, tokens that don't rise, or times not above 0.

    Examples
    --------
    >>> checked_table([128, 256], [10, 12])
    (array([128., 256.]), array([10., 12.]))
    """
    known = np.asarray(table_tokens, dtype=np.float64)
    times = np.asarray(table_milliseconds, dtype=np.float64)
    remedy = "Give at least two rows of tokens and milliseconds, tokens rising."
    if known.ndim != 1 or known.shape != times.shape or known.size < 2:
        raise InputError("table", known.tolist(), "must have two columns of two rows or more", remedy)
    if not (np.isfinite(known).all() and (known >= 0).all() and (np.diff(known) > 0).all()):
        raise InputError("table tokens", known.tolist(), "must be counts that rise from row to row", remedy)
    if not (np.isfinite(times).all() and (times > 0).all()):
        raise InputError("table milliseconds", times.tolist(), "must be above 0", remedy)
    return known, times
