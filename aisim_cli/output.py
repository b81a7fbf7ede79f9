"""How every subcommand writes: JSON without NaN, or lines for a person."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aisim_model.plain_text import printable

if TYPE_CHECKING:
    from aisim_model.compare.column import Column

WIDEST = 10_000  # of lines in a file or a pipe, where nothing wraps


def print_json(value: Any) -> None:
    """Print one JSON value; NaN and infinity are a programming error, never output."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, indent=2)
    for letter in set(text) - set(printable(text)):  # JSON doesn't escape all that a terminal acts upon
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    print(text)


def print_table(rows: Sequence[Mapping[str, Any]], header: bool = True) -> None:
    """Print rows of the same keys in columns, numbers to the right; None is a dash.

    On a terminal long cells wrap; in a file or a pipe a row is a line.
    """
    from rich.console import Console  # slow to import, and --json needs none of it
    from rich.table import Table

    if not rows:
        print("nothing to show")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=header)
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if isinstance(value, int | float | None) else "left")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    console = Console(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = WIDEST
    with console.capture() as written:
        console.print(table)
    for line in written.get().splitlines():
        print(line.rstrip())


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def print_columns(table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the columns that a table of `aisim_model.compare.columns` has, in digits that matter."""
    from aisim_model.compare.columns import columns_of

    known = columns_of(table, {name for row in rows for name in row})
    print_table([{column.title: _written(column, row.get(column.name)) for column in known} for row in rows])


def _written(column: Column, value: Any) -> Any:
    from aisim_model.compare.column import PERCENT
    from aisim_ui.words import significant

    if isinstance(value, bool) or not isinstance(value, int | float) or column.digits is None:
        return value
    text = significant(value / column.shown_in, column.digits)
    sign = "+" if column.signed and value > 0 else ""
    return f"{sign}{text}{'%' if column.unit == PERCENT else ''}"
