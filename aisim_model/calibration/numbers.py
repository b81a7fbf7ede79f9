"""Numbers in cells as people write them: thousands apart, decimal points and commas."""

from __future__ import annotations

import math
import re

from aisim_model.calibration.columns import Column
from aisim_model.errors import InputError

_POINTED = re.compile(r"[-+]?\d{1,3}(\.\d{3})+(,\d+)?")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])\d+(\.\d{3})*,(\d{1,2}|\d{4,})(?![\d,])")


def has_decimal_comma(text: str) -> bool:
    """Say whether some number of a table that commas don't part has a decimal comma for sure.

    Examples
    --------
    >>> has_decimal_comma("1.000;2,5"), has_decimal_comma("65,536;2.5")
    (True, False)
    """
    return _DECIMAL_COMMA.search(text) is not None


def without_points(cell: str) -> str:
    """Return a number without points between its thousands; any other text as it is.

    Examples
    --------
    >>> without_points("1.048.576"), without_points("2.5")
    ('1048576', '2.5')
    """
    return cell.replace(".", "") if _POINTED.fullmatch(cell) else cell


def number_in(cells: list[str], one: Column, row: int, delimiter: str, zero: bool = False) -> float:
    """Return a cell's number in bytes, milliseconds or counts; refuse one that is none, by row and column."""
    cell = cells[one.index] if one.index < len(cells) else ""
    plain = cell.replace("_", "").replace("\u00a0", "").replace(" ", "")
    if plain.count(".") > 1 and _POINTED.fullmatch(plain):
        plain = plain.replace(".", "")  # 1.048.576
    if "," in plain:
        # with commas between columns, or in a count, one within a number parts its thousands; else it is the
        # decimal mark
        counted = one.kind in ("tokens", "descriptors") or (one.kind == "size" and one.scale == 1.0)
        grouped = re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", plain)
        thousands = grouped if delimiter == "," or counted else None
        plain = plain.replace(",", "") if thousands else plain.replace(",", ".", 1)
    try:
        value = float(plain)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0 or (value == 0 and not zero):
        problem = "is empty" if not cell else "must be a number above 0"
        raise InputError(f"row {row}, {one.name}", cell, problem, "Mend or leave out the row.")
    if one.kind == "tokens" and value != int(value):
        problem = "must be a whole number of tokens"
        raise InputError(f"row {row}, {one.name}", cell, problem, "Write counts without a decimal mark.")
    return value * one.scale
