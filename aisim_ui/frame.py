"""What every page is made of: its head, charts with their exports, tables with their CSV."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from aisim_ui.exports import csv_bytes, file_name
from aisim_ui.state import select, state
from aisim_ui.theme import Mode

MODE_BAR = (
    "zoom2d",
    "pan2d",
    "select2d",
    "lasso2d",
    "zoomIn2d",
    "zoomOut2d",
    "autoScale2d",
    "sendChartToCloud",
)


def mode() -> Mode:
    """Whether the visitor sees the app light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def chart_config(title: str, picture: str) -> dict[str, Any]:
    """Settings of a chart: a button that saves it as a picture, nothing that leaves the machine."""
    return {
        "displaylogo": False,
        "displayModeBar": True,
        "modeBarButtonsToRemove": list(MODE_BAR),
        "responsive": True,
        "toImageButtonOptions": {
            "format": picture,
            "filename": file_name(title, picture).rsplit(".", 1)[0],
            "scale": 2,
        },
    }


def chart(figure: go.Figure, data: pd.DataFrame, key: str, pick: bool = False) -> None:
    """Draw a chart with its data as CSV beneath.

    Parameters
    ----------
    figure : Figure
        What to draw; its title names the files.
    data : DataFrame
        What it shows.
    key : str
        Name of the chart on its page.
    pick : bool
        Whether a click on a mark selects its row (`customdata` is the row's id).
    """
    title = html.unescape(str(figure.layout.title.text))  # a label for the chart, text here
    picture = state().picture
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        config=chart_config(title, picture),
        alt=title,
        on_select=_picker(key) if pick else "ignore",
        selection_mode="points",
    )
    _csv_button(title, data, f"{key}.csv", f"Data as CSV · camera icon: {picture.upper()}")


def _picker(key: str) -> Callable[[], None]:
    def picked() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points and points[0].get("customdata"):
            found = points[0]["customdata"]
            select(found if isinstance(found, str) else found[0])

    return picked


def table(data: pd.DataFrame, shown: pd.DataFrame, title: str, key: str, **options: Any) -> None:
    """Draw a table for people, with the exact values as CSV beneath."""
    st.dataframe(shown, hide_index=True, key=key, **options)
    _csv_button(title, data, f"{key}.csv", "Exact values as CSV")


def _csv_button(title: str, data: pd.DataFrame, key: str, label: str) -> None:
    st.download_button(
        label,
        data=lambda: csv_bytes(data),
        file_name=file_name(title, "csv"),
        mime="text/csv",
        key=key,
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
    )
