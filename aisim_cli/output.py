"""How every subcommand writes: JSON without NaN, or lines for a person."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


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
    to_right = [isinstance(value, int | float | None) for value in rows[0].values()]
    for line in table:
        cells = zip(line, widths, to_right, strict=True)
        print("  ".join(c.rjust(w) if right else c.ljust(w) for c, w, right in cells).rstrip())


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
