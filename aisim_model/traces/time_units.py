"""Which unit arrival times are in: told from a column's name, a date, or the rate that comes out."""

from __future__ import annotations

import math
import re
from types import MappingProxyType

from aisim_model.errors import InputError

NS_PER_UNIT = MappingProxyType(
    {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "days": 86_400_000_000_000}
)
DATETIME = "datetime"

# Middle of what services see, on a scale of decades: 0.03 to 300 requests a second.
USUAL_REQUESTS_PER_S = 3.0
# How many decades nearer to the usual rate another unit must come to outweigh a format's own. Whole numbers
# weigh more: who writes seconds into such a file mostly writes decimals.
DECADES_FOR_DOCUMENTED = 1.0
DECADES_FOR_DOCUMENTED_WHOLE = 2.0
YEAR_2000_S, YEAR_2100_S = 946_684_800, 4_102_444_800
# A spreadsheet counts days since 1900. Numbers of these years with a part of a day are most likely that.
DAYS_2010, DAYS_2040 = 40_179, 51_136
DECADES_FOR_DAYS = 2.0

SUFFIXES = MappingProxyType(
    {
        "ns": "ns", "nanoseconds": "ns",
        "us": "us", "microseconds": "us",
        "ms": "ms", "millis": "ms", "milliseconds": "ms",
        "s": "s", "sec": "s", "secs": "s", "seconds": "s",
        "nano": "ns", "nanos": "ns", "micros": "us", "milli": "ms", "day": "days", "days": "days",
    }
)  # fmt: skip


def unit_of_name(column: str) -> str | None:
    """Return the unit that a column's name ends in, or None.

    Examples
    --------
    >>> unit_of_name("arrival_time_ns"), unit_of_name("Start (ms)"), unit_of_name("timestamps")
    ('ns', 'ms', None)
    """
    words = re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", column).lower())
    return SUFFIXES.get(words[-1]) if len(words) > 1 else None


def detect_unit(
    first: float,
    last: float,
    rows: int,
    *,
    whole: bool = True,
    documented: str | None,
    candidates: tuple[str, ...],
) -> tuple[str, str]:
    """Choose the unit of numeric arrival times, and say why.

    Times since 1970 are told by their size. Otherwise the unit wins that gives the rate nearest, in
    decades, to what services see; a format's documented unit has one decade of advance, or two.

    Parameters
    ----------
    first, last : float
        Smallest and largest arrival time in the file.
    rows : int
        Requests between them [-].
    whole : bool
        Whether all times are whole numbers.
    documented : str or None
        The unit that the format's authors state.
    candidates : tuple of str
        Units to choose from.

    Returns
    -------
    tuple of str
        The unit, and the reason as a sentence.

    Examples
    --------
    >>> detect_unit(0.0, 0.4, 3, whole=False, documented="ms", candidates=("ms", "s"))[0]
    's'
    >>> print(detect_unit(0.0, 3536999.0, 12031, documented="ms", candidates=("ms", "s"))[1])
    In ms the 12,031 requests span 3,537 s, 3.4 a second; in s they would span 40.9 days, 0.0034 a second.
    """
    for unit in ("ns", "us", "ms", "s"):
        per_s = NS_PER_UNIT["s"] // NS_PER_UNIT[unit]
        if YEAR_2000_S * per_s <= first and last <= YEAR_2100_S * per_s:
            return unit, f"Times near {first:.0f} are {unit} since 1970."
    if last - first < 1e-12:  # less than any unit resolves
        unit = documented or candidates[0]
        return unit, f"All requests arrive at once, so {unit} or another unit is the same."
    advance = DECADES_FOR_DOCUMENTED_WHOLE if whole else DECADES_FOR_DOCUMENTED
    may_be_days = not whole and first >= DAYS_2010 and last <= DAYS_2040
    if not may_be_days:
        candidates = tuple(unit for unit in candidates if unit != "days")
    if documented is None and not may_be_days and last - first < 1.0:
        raise InputError(
            "time_unit",
            "unknown",
            f"can't be told: {rows:,} times without a unit reach from {first:g} to {last:g}, less than 1",
            "Choose the unit of arrival times.",
        )

    def decades_off(unit: str) -> float:
        decades = abs(math.log10(_requests_per_s(first, last, rows, unit) / USUAL_REQUESTS_PER_S))
        return decades - (advance if unit == documented else DECADES_FOR_DAYS if unit == "days" else 0.0)

    ranked = sorted(candidates, key=decades_off)
    chosen, *others = ranked
    said = _rate(first, last, rows, chosen)
    why = f"In {chosen} the {rows:,} requests span {said}"
    return chosen, why + (
        f"; in {others[0]} they would span {_rate(first, last, rows, others[0])}." if others else "."
    )


def check_unit(unit: str | None) -> str | None:
    """Return a unit that the user chose, or refuse it by name.

    Raises
    ------
    InputError
        For anything but ns, us, ms, s, days and None.

    Examples
    --------
    >>> check_unit("ms")
    'ms'
    """
    if unit is not None and unit not in NS_PER_UNIT:
        raise InputError(
            "time_unit", unit, "must be ns, us, ms, s or days", "Leave it out to have it detected."
        )
    return unit


def implausible(span_ms: float, rows: int) -> str | None:
    """Say that a span looks like a wrong unit, or nothing.

    Examples
    --------
    >>> implausible(1000.0, 10) is None
    True
    """
    if rows < 2:
        return None
    if span_ms <= 0.0:
        return (
            f"All {rows:,} requests arrive at the same time: a burst, or times rounded or lost. What a queue "
            "makes of it says nothing on the load of a service."
        )
    rate = (rows - 1) / (span_ms / 1000.0)
    if 1e-4 <= rate <= 1e4:
        return None
    if rate > 1e4:
        return (
            f"The {rows:,} requests arrive within {span_ms:.3g} ms, nearly all at once: check the time unit, "
            "or whether times were rounded. The queue that follows says nothing on the load of a service."
        )
    return f"{rate:.3g} requests a second is unusual: check the time unit."


def _requests_per_s(first: float, last: float, rows: int, unit: str) -> float:
    return (rows - 1) / _span_s(first, last, unit)


def _span_s(first: float, last: float, unit: str) -> float:
    return (last - first) * NS_PER_UNIT[unit] / NS_PER_UNIT["s"]


def _rate(first: float, last: float, rows: int, unit: str) -> str:
    span_s = _span_s(first, last, unit)
    span = f"{span_s / 86400:,.1f} days" if span_s >= 172_800 else f"{span_s:,.4g} s"
    if 1e3 <= span_s < 172_800:
        span = f"{span_s:,.0f} s"
    rate = _requests_per_s(first, last, rows, unit)
    return f"{span}, {rate:,.0f} a second" if rate >= 10 else f"{span}, {rate:.2g} a second"
