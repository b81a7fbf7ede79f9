"""Axes: a title with its unit, and on a log axis ticks at round values however few decades it spans."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

FEW_DECADES = 2.0  # from here on a tick a decade is at least two ticks


def axis(title: str, log: bool, values: Iterable[float]) -> dict[str, Any]:
    """Return an axis over values, linear or logarithmic."""
    return log_axis(f"{title}, log", values) if log else {"title": {"text": title}}


def log_axis(
    title: str, values: Iterable[float], text: Callable[[float], str] | None = None
) -> dict[str, Any]:
    """Return a log axis whose ticks suit the values on it.

    Parameters
    ----------
    title : str
        What the axis shows, with its unit.
    values : iterable of float
        What is drawn along it; those without a logarithm don't count.
    text : callable, optional
        How a tick is written; as a plain number where left out.
    """
    known = np.array([value for value in values if value is not None], dtype=float)
    known = known[np.isfinite(known) & (known > 0)]
    ends = (float(known.min()), float(known.max())) if known.size else (1.0, 10.0)
    low, high = map(math.log10, ends)
    ticks = round_values(low, high, FEW_DECADES)
    return {
        "title": {"text": title},
        "type": "log",
        "tickvals": ticks,
        "ticktext": [(text or short_number)(tick) for tick in ticks],
    }


def round_values(low: float, high: float, few: float = 2.5) -> list[float]:
    """Choose round values between two powers of ten, few enough to read.

    Examples
    --------
    >>> round_values(1.1, 4.7), round_values(0.0, 1.0)
    ([100.0, 1000.0, 10000.0], [1.0, 2.0, 5.0, 10.0])
    """
    steps = (1.0,) if high - low >= few else (1.0, 2.0, 5.0)
    values = [step * 10.0**power for power in range(math.floor(low), math.floor(high) + 1) for step in steps]
    inside = [value for value in values if low <= math.log10(value) <= high]
    return inside if len(inside) > 1 else sorted({10.0**low, *inside, 10.0**high})


def short_number(value: float) -> str:
    """Write a tick in as little room as it takes.

    Examples
    --------
    >>> short_number(0.02), short_number(1000), short_number(20_000), short_number(5e6)
    ('0.02', '1,000', '20k', '5M')
    """
    for factor, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 10 * factor or (factor > 1e3 and value >= factor):
            return f"{value / factor:,.3g}{sign}"
    return f"{value:,.4g}"
