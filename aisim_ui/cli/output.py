"""How every subcommand writes: JSON without NaN, or lines for a person."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aisim_model.compare.columns import Column


def print_json(value: Any) -> None:
    """Print one JSON value; NaN and infinity are a programming error, never output."""
    print(json.dumps(value, allow_nan=False, ensure_ascii=False, indent=2))


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows of the same keys in columns, numbers to the right; None is a dash."""
    if not rows:
        print("nothing to show")
        return
    table = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    to_right = [all(_is_number(line[column]) for line in table[1:]) for column in range(len(table[0]))]
    for line in table:
        cells = zip(line, widths, to_right, strict=True)
        print("  ".join(c.rjust(w) if right else c.ljust(w) for c, w, right in cells).rstrip())


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.lstrip("+-<")[:1].isdigit()


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_columns(table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the columns that a table of `aisim_model.compare.columns` has, in digits that matter."""
    from aisim_model.compare.columns import columns_of

    known = columns_of(table, {name for row in rows for name in row})
    print_table([{column.title: _written(column, row.get(column.name)) for column in known} for row in rows])


def _written(column: Column, value: Any) -> Any:
    from aisim_model.compare.columns import PERCENT
    from aisim_ui.words import significant

    if isinstance(value, bool) or not isinstance(value, int | float) or column.digits is None:
        return value
    text = significant(value / column.shown_in, column.digits)
    sign = "+" if column.signed and value > 0 else ""
    return f"{sign}{text}{'%' if column.unit == PERCENT else ''}"
