"""Cells to numbers and times: whole counts, decimal marks, dates, and a code for what is wrong with each."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from aisim_model.errors import InputError
from aisim_model.traces.trace import Floats, Integers

Codes = npt.NDArray[np.uint8]

# Beyond this a count is a mistake, not a prompt: the longest context served is 10,000,000 tokens.
MAX_TOKENS = 10_000_000
# Times beyond a 64-bit integer have lost their unit's resolution.
MAX_TIME = float(2**63)

DATE_PATTERN = (
    r"^(19|20|21)\d\d(-\d\d-|/\d\d/)\d\d"
    r"([T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?)?\s*(Z|z|UTC|[+-]\d\d(:?\d\d)?)?$"
)


# A number that may have a decimal mark or a mark of thousands.
TWO_WAYS = r"^[+-]?[1-9]\d{0,2}[.,]\d{3}$"
# Blanks and apostrophes that group thousands, whatever the decimal mark: of French, Swiss and other exports.
BLANK_GROUPS = r"\x{a0}\x{2009}\x{202f}\x{2019}' "
# Lakhs and crores: groups of two digits above the thousands.
INDIAN = r"\d{1,2}(,\d{2})+,\d{3}"
ZONE_PATTERN = r":\d\d.*(Z|[+-]\d\d(:?\d\d)?)$"


class Fault(IntEnum):
    """What is wrong with a cell; 0 where nothing is."""

    NONE = 0
    MISSING = 1
    NOT_A_NUMBER = 2
    NOT_WHOLE = 3
    TOO_SMALL = 4
    TOO_LARGE = 5


@dataclass(frozen=True)
class Times:
    """Arrival times of a column: numbers in a unit to be told, or dates in nanoseconds since 1970."""

    values: Integers | Floats
    codes: Codes
    are_dates: bool = False
    some_have_zones: bool = field(default=False, repr=False)


def whole_counts(cells: pa.Array, decimal: str, least: int) -> tuple[Integers, Codes]:
    """Return counts and what is wrong with each.

    Parameters
    ----------
    cells : pyarrow.Array
        Integers, floats or text.
    decimal : {".", ","}
        Decimal mark of text.
    least : int
        The smallest count allowed [-].

    Examples
    --------
    >>> whole_counts(pa.array(["1.024", "7", "x"]), ",", 1)
    (array([1024,    7,    0]), array([0, 0, 2], dtype=uint8))
    """
    numbers, codes = _numbers(cells, decimal)
    if numbers.size and numbers.min() >= least and numbers.max() <= MAX_TOKENS and not codes.any():
        counts = numbers.astype(np.int64, copy=False)
        if numbers.dtype == np.int64 or np.array_equal(counts, numbers):
            return counts, codes
    _mark(codes, numbers < least, Fault.TOO_SMALL)
    _mark(codes, numbers > MAX_TOKENS, Fault.TOO_LARGE)
    _mark(codes, numbers != np.floor(numbers), Fault.NOT_WHOLE)
    return np.where(codes == Fault.NONE, numbers, 0).astype(np.int64), codes


def arrival_times(cells: pa.Array, decimal: str) -> Times:
    """Return arrival times and what is wrong with each.

    Parameters
    ----------
    cells : pyarrow.Array
        Timestamps, numbers, or text of either.
    decimal : {".", ","}
        Decimal mark of text.

    Examples
    --------
    >>> arrival_times(pa.array(["0,5", "-1"]), ",")
    Times(values=array([ 0.5, -1. ]), codes=array([0, 4], dtype=uint8), are_dates=False)
    """
    if pa.types.is_timestamp(cells.type):
        return _dates(cells)
    if pa.types.is_string(cells.type) and _looks_like_dates(cells):
        return _dates_of_text(cells)
    numbers, codes = _numbers(cells, decimal)
    _mark(codes, numbers < 0, Fault.TOO_SMALL)
    if numbers.dtype == np.float64:
        _mark(codes, numbers >= MAX_TIME, Fault.TOO_LARGE)
    return Times(numbers, codes)


def decimal_mark(columns: list[pa.Array], delimiter: str) -> str | None:
    """Return the decimal mark that the numbers of a table prove, None where "12.035" can be read two ways.

    Parameters
    ----------
    columns : list of pyarrow.Array
        Text of the number columns.
    delimiter : str
        What separates the cells: a table separated by commas has decimal points unless it proves otherwise.

    Raises
    ------
    InputError
        Where cells prove both marks.

    Examples
    --------
    >>> decimal_mark([pa.array(["0,5", "3,0"]), pa.array(["12.035", "7"])], ";")
    ','
    >>> decimal_mark([pa.array(["12.035", "7"])], ";") is None
    True
    """
    if delimiter == "," and not any(_any_match(column, ",") for column in columns):
        return "."
    proven = [
        mark for mark, other in ((".", ","), (",", ".")) if any(_proves(c, mark, other) for c in columns)
    ]
    if len(proven) > 1:
        raise InputError("decimal", "both . and ,", "the file writes decimals in both ways", "Mend the file.")
    if proven:
        return proven[0]
    ambiguous = any(_any_match(column, TWO_WAYS) for column in columns)
    return None if ambiguous and delimiter != "," else "."


def _proves(column: pa.Array, mark: str, other: str) -> bool:
    """Whether a cell can only be read with this decimal mark: one that isn't a group of thousands."""
    mark, other = rf"\{mark}", rf"\{other}"
    grouped_before = rf"^[+-]?\d{{1,3}}({other}\d{{3}})+{mark}\d+$"
    not_three_digits = rf"^[+-]?\d*{mark}(\d{{0,2}}|\d{{4,}})([eE][+-]?\d+)?$"
    not_a_group = rf"^[+-]?(0\d*|\d{{4,}}){mark}\d+$"
    other_groups_twice = rf"^[+-]?[1-9]\d{{0,2}}({other}\d{{3}}){{2,}}$"
    indian = f"|^[+-]?{INDIAN}(\\.\\d*)?$" if mark == r"\." else ""
    shapes = f"{grouped_before}|{not_three_digits}|{not_a_group}|{other_groups_twice}"
    return _any_match(column, shapes + indian)


def _any_match(column: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(column, pattern), min_count=0).as_py())


def _numbers(cells: pa.Array, decimal: str) -> tuple[Integers | Floats, Codes]:
    """Return whole numbers as int64 where all are, else floats; 0 where a code says why."""
    if pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type):
        kind = np.int64 if pa.types.is_integer(cells.type) else np.float64
        codes = np.zeros(len(cells), dtype=np.uint8)
        if cells.null_count:
            codes[cells.is_null().to_numpy(zero_copy_only=False)] = Fault.MISSING
            cells = cells.fill_null(0)
        numbers = cells.to_numpy(zero_copy_only=False).astype(kind, copy=False)
    else:
        text = cells if pa.types.is_string(cells.type) else cells.cast(pa.string())
        numbers, codes = _numbers_of_text(pc.utf8_trim_whitespace(text), decimal)
    if numbers.dtype == np.float64:
        bad = ~np.isfinite(numbers)
        if bad.any():
            _mark(codes, bad, Fault.NOT_A_NUMBER)
            numbers = np.where(bad, 0.0, numbers)
    return numbers, codes


def _numbers_of_text(text: pa.Array, decimal: str) -> tuple[Integers | Floats, Codes]:
    """Read plain digits at once, and only what is anything else with all that a number may look like."""
    plain = pc.match_substring_regex(text, r"^\d{1,18}$").fill_null(False)
    other = np.flatnonzero(~plain.to_numpy(zero_copy_only=False))
    if other.size == len(text):
        return _formatted_numbers(text, decimal)
    whole = pc.if_else(plain, text, "0").cast(pa.int64()).to_numpy(zero_copy_only=False)
    codes = np.zeros(len(text), dtype=np.uint8)
    if not other.size:
        return whole, codes
    numbers, codes[other] = _formatted_numbers(text.take(pa.array(other)), decimal)
    mixed = whole.astype(numbers.dtype)
    mixed[other] = numbers
    return mixed, codes


def _formatted_numbers(text: pa.Array, decimal: str) -> tuple[Integers | Floats, Codes]:
    group = rf"[{'.' if decimal == ',' else ','}{BLANK_GROUPS}]"
    mark = rf"\{decimal}"
    lakhs = "" if decimal == "," else f"{INDIAN}|"
    valid = rf"^[+-]?(\d+|\d{{1,3}}({group}\d{{3}})+|{lakhs})({mark}\d*)?([eE][+-]?\d{{1,3}})?$"
    has_digit = pc.match_substring_regex(text, r"^[^eE]*\d")
    good = pc.and_(pc.match_substring_regex(text, valid), has_digit).fill_null(False)
    missing = pc.or_kleene(text.is_null(), pc.equal(text, "")).fill_null(True)
    codes = np.full(len(text), Fault.NOT_A_NUMBER, dtype=np.uint8)
    codes[good.to_numpy(zero_copy_only=False)] = Fault.NONE
    codes[missing.to_numpy(zero_copy_only=False)] = Fault.MISSING
    plain = pc.replace_substring_regex(text, rf"^\+|{group}", "")
    if decimal == ",":
        plain = pc.replace_substring(plain, ",", ".")
    plain = pc.if_else(good, plain, "0")
    if not _any_match(plain, r"[^\d-]|\d{20}"):
        with contextlib.suppress(pa.ArrowInvalid):  # 19 digits, of ns since 1970 or beyond 64 bits
            return plain.cast(pa.int64()).to_numpy(zero_copy_only=False), codes
    return plain.cast(pa.float64()).to_numpy(zero_copy_only=False), codes


def _looks_like_dates(text: pa.Array) -> bool:
    dates = pc.sum(pc.match_substring_regex(text, r"^\s*\d{4}(-\d\d-|/\d\d/)\d\d")).as_py() or 0
    return bool(2 * dates > len(text) - text.null_count)


def _dates(cells: pa.Array) -> Times:
    codes = np.zeros(len(cells), dtype=np.uint8)
    codes[cells.is_null().to_numpy(zero_copy_only=False)] = Fault.MISSING
    ns = cells.cast(pa.timestamp("ns", tz=cells.type.tz)).cast(pa.int64()).fill_null(0)
    return Times(ns.to_numpy(zero_copy_only=False), codes, are_dates=True)


def _dates_of_text(text: pa.Array) -> Times:
    """Read dates that do not all look alike: with and without a zone, a fraction, a decimal comma."""
    import pandas as pd  # slow to import, and seldom needed

    text = pc.utf8_trim_whitespace(text)
    good = pc.match_substring_regex(text, DATE_PATTERN).fill_null(False)
    plain = pc.replace_substring(pc.if_else(good, text, None), ",", ".")
    plain = pc.replace_substring_regex(plain, r"\s*(z|UTC)$", "Z")
    plain = pc.replace_substring_regex(plain, r"^(\d{4})/(\d\d)/", r"\1-\2-")
    parsed = pd.to_datetime(plain.to_pandas(), format="ISO8601", utc=True, errors="coerce")
    codes = np.full(len(text), Fault.NOT_A_NUMBER, dtype=np.uint8)
    codes[parsed.notna().to_numpy()] = Fault.NONE
    codes[pc.or_kleene(text.is_null(), pc.equal(text, "")).fill_null(True).to_numpy(zero_copy_only=False)] = (
        Fault.MISSING
    )
    ns = parsed.fillna(pd.Timestamp(0, tz="UTC")).dt.as_unit("ns").astype("int64").to_numpy()
    zoned = pc.sum(pc.match_substring_regex(plain, ZONE_PATTERN)).as_py() or 0
    return Times(ns, codes, are_dates=True, some_have_zones=0 < zoned < int(parsed.notna().sum()))


def _mark(codes: Codes, where: npt.NDArray[np.bool_], fault: Fault) -> None:
    """Give a code to cells that have none yet."""
    codes[where & (codes == Fault.NONE)] = fault
