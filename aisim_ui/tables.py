"""A table as people read it: the columns that its page shows, in digits that matter, with units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from aisim_model.compare.column import PERCENT, Column
from aisim_model.compare.columns import columns_of
from aisim_ui.columns import Columns
from aisim_ui.words import header_px

if TYPE_CHECKING:
    import pandas as pd

Words = Mapping[str, Mapping[Any, str]]
LARGEST_WIDTH = "large"


def readable(
    data: pd.DataFrame | Columns, table: str, words: Words | None = None
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return the cells of a table for people, and how its columns are shown; what no row has is left out.

    Parameters
    ----------
    data : DataFrame or Columns
        Exact values by column.
    table : str
        Which of the tables of `aisim_model.compare.columns`.
    words : mapping, optional
        By column, what stands for a code.
    """
    cells, config = {}, {}
    for column in columns_of(table, data):
        values = [_known(value) for value in data[column.name]]
        if all(value is None or value == "" for value in values):
            continue
        if named := (words or {}).get(column.name):
            values = [named.get(value, value) for value in values]
        cells[column.name], config[column.name] = _shown(column, values)
    return cells, config


def _known(value: Any) -> Any:
    """Return a value without NumPy around it; None where there is none: NaN, infinity, empty in pandas."""
    own = value.item() if hasattr(value, "item") else value
    return None if isinstance(own, float) and not math.isfinite(own) else own


def _shown(column: Column, values: Sequence[Any]) -> tuple[list[Any], Any]:
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if not numbers:
        flags = any(isinstance(value, bool) for value in values)
        width = LARGEST_WIDTH if column.wide else header_px(column.title) if flags else None
        pinned = (column.name == "deployment" and not column.wide) or None
        return list(values), st.column_config.Column(
            column.title, width=width, help=column.help or None, pinned=pinned
        )
    scaled = [None if value is None else value / column.shown_in for value in values]
    if column.bar:
        bars = st.column_config.ProgressColumn(
            column.title, format="%.3g%%", min_value=0.0, max_value=100.0, help=column.help or None
        )
        return scaled, bars
    largest = max(abs(value) for value in scaled if value is not None)
    digits = column.digits
    if digits is None:
        form, scaled = "localized", list(values)
    elif largest < 10**digits:
        form = f"%{'+' if column.signed else ''}.{digits}g{'%%' if column.unit == PERCENT else ''}"
    else:  # in so few digits it would be written as a power of ten
        form = "%+.0f" if column.signed else "localized"
        scaled = [None if value is None else float(f"{value:.{digits}g}") for value in scaled]
    config = st.column_config.NumberColumn(
        column.title, format=form, width=header_px(column.title), help=column.help or None
    )
    return scaled, config
