"""Arrival times in any unit to milliseconds after the first, on a grid of whole nanoseconds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from aisim_model.errors import InputError
from aisim_model.traces.cells import Times
from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.time_units import DATETIME, NS_PER_UNIT, detect_unit, unit_of_name
from aisim_model.traces.trace import Floats, Integers
from aisim_model.units import NS_PER_MS

MAX_SPAN_NS = 2**62
YEAR_MS = 365.25 * 86_400_000.0
WHOLE = 0.999  # of the span: all other gaps together are nothing beside it


def unit_of_times(
    times: Times, good: npt.NDArray[np.bool_], known: TraceFormat, chosen: str | None
) -> tuple[str, str]:
    """Return the unit of a column of arrival times, and why.

    Parameters
    ----------
    times : Times
        The column.
    good : array of bool
        Rows without a fault; at least one.
    known : TraceFormat
        What the format's authors state.
    chosen : str or None
        Unit that the user chose.
    """
    if times.are_dates:
        aside = f" {chosen} was chosen and has no use here." if chosen else ""
        return DATETIME, f"Arrivals are dates.{aside}"
    if chosen:
        return chosen, f"{chosen} was chosen."
    if known.time_unit and known.unit_is_certain:
        by_name = unit_of_name(known.arrival) == known.time_unit
        reason = "by the column's name" if by_name else f"as {known.label} documents"
        return known.time_unit, f"{known.time_unit}, {reason}."
    values = times.values if good.all() else times.values[good]
    candidates = ("ms", "s") if known.time_unit else ("s", "ms", "us", "ns", "days")
    return detect_unit(
        float(values.min()),
        float(values.max()),
        values.size,
        whole=values.dtype == np.int64 or np.array_equal(values, np.rint(values)),
        documented=known.time_unit,
        candidates=candidates,
    )


def arrivals_ms(times: Times, good: npt.NDArray[np.bool_], unit: str) -> Floats:
    """Return the arrivals of the good rows after the first of them [ms].

    Each is a whole number of nanoseconds, so that a file in seconds and the same in dates give the same bits.

    Raises
    ------
    InputError
        Where they span more than a century and a half: a wrong unit, or a stray time.

    Examples
    --------
    >>> arrivals_ms(Times(np.array([5.0, 5.052]), np.zeros(2, np.uint8)), np.array([True, True]), "s")
    array([ 0., 52.])
    """
    values = times.values if good.all() else times.values[good]
    ns_per_unit = 1 if unit == DATETIME else NS_PER_UNIT[unit]
    first, last = values.min(), values.max()
    if (float(last) - float(first)) * ns_per_unit > MAX_SPAN_NS:
        problem = f"reach from {first} to {last} {unit}, more than 146 years"
        raise InputError(
            "arrivals", f"{values.size:,} times", problem, "Choose another time unit, or mend them."
        )
    since_first = (values - first) * ns_per_unit
    if since_first.dtype != np.int64:
        grid_ns = _resolution_ns(float(last), ns_per_unit)
        since_first = np.rint(since_first / grid_ns) * grid_ns
    return np.asarray(since_first / NS_PER_MS, dtype=np.float64)


def check_one_clock(
    arrival_ms: Floats, rows: Integers, lines: Callable[[Integers], list[int]], column: str
) -> None:
    """Refuse arrivals of two clocks: a single gap of years that is all but the whole span.

    Parameters
    ----------
    arrival_ms : array of float64
        In order [ms].
    rows : array of int64
        Row of each in the file.
    lines : callable
        Gives the lines of rows.
    column : str
        What they stand in.

    Raises
    ------
    InputError
        It names the first row after the gap.
    """
    gaps = np.diff(arrival_ms)
    if not gaps.size or gaps.max() < YEAR_MS or gaps.max() < WHOLE * arrival_ms[-1]:
        return
    line = lines(rows[[int(gaps.argmax()) + 1]])[0]
    problem = f"is of two clocks: from line {line:,} on times are {gaps.max() / YEAR_MS:,.0f} years later"
    raise InputError("arrivals", column, problem, "Bring all rows to one clock.")


def _resolution_ns(last: float, ns_per_unit: int) -> int:
    """Return the power of ten that a float of this size can tell apart, at least 1 ns.

    Seconds since 1970 as floats are 240 ns apart: finer digits are rounding, not time.
    """
    spacing_ns = float(np.spacing(last)) * ns_per_unit
    return 1 if spacing_ns <= 1.0 else int(10 ** math.ceil(math.log10(spacing_ns)))
