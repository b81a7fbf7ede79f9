"""What every page is made of: its head, charts with their exports, tables with their CSV."""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from aisim_ui.charts.mode_bar import chart_config
from aisim_ui.columns import Columns, arrow
from aisim_ui.exports import csv_bytes, file_name
from aisim_ui.report import Chart, Part, Table, report_html
from aisim_ui.sentences.number import Number
from aisim_ui.share import link
from aisim_ui.state import select, state
from aisim_ui.tables import Words, readable
from aisim_ui.theme import Mode

if TYPE_CHECKING:
    import pandas as pd

    Data = pd.DataFrame | Columns | Callable[[], bytes]
Point = dict[str, Any]


def mode() -> Mode:
    """Whether the visitor sees the app light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def answer(text: str, place: DeltaGenerator | None = None) -> None:
    """Draw a page's answer, first of all it shows."""
    (place or st).markdown(f"#### {text}")
    state().shown["answer"] = text


def numbers(found: tuple[Number, ...]) -> None:
    """Draw an answer's numbers side by side, each with how it was worked out."""
    for column, one in zip(st.columns(len(found)), found, strict=True):
        color = {True: "normal", False: "inverse", None: "off"}[one.good]
        column.metric(one.label, one.value, one.beside, delta_color=color, delta_arrow="off", help=one.how)
    state().shown["numbers"] = found


def report_button(page: str) -> None:
    """Draw a button that makes a file of the page once it is clicked."""
    now = state()
    # filled by the page, which is drawn after this; a click finds what was shown last
    shown: dict[str, Part] = {}
    now.shown = shown
    make = partial(report_html, page, scenario=now.scenario, link=link(st.context.url or "", now.scenario))
    surface = mode()
    st.download_button(
        "Report",
        data=lambda: make(tuple(shown.values()), mode=surface),
        file_name=file_name(page, "html"),
        mime="text/html",
        key="report",
        on_click="ignore",
        type="tertiary",
        help="This page as one file that opens anywhere: its answer, charts, tables and every input.",
    )


def chart(
    figure: go.Figure, data: Data, key: str, pick: Callable[[Point], None] | None = None, holds: str = "Data"
) -> None:
    """Draw a chart with its data as CSV beneath.

    Parameters
    ----------
    figure : Figure
        What to draw; its title names the files.
    data : DataFrame, Columns or callable
        What it shows, or what writes that as CSV once it is asked for.
    key : str
        Name of the chart on its page.
    pick : callable, optional
        What a click on a mark does, as `select_row`.
    holds : str
        What the CSV holds.
    """
    title = html.unescape(str(figure.layout.title.text))  # a label for the chart, text here
    picture = state().picture
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        config=chart_config(title, picture),
        alt=title,
        on_select="ignore" if pick is None else partial(_picked, key, pick),
        selection_mode="points",
    )
    state().shown[key] = Chart(title, figure)
    _csv_button(title, data, f"{key}.csv", f"{holds} as CSV · camera icon: {picture.upper()}")


def _picked(key: str, pick: Callable[[Point], None]) -> None:
    points = st.session_state[key]["selection"]["points"]
    if points:
        pick(points[0])


def mark_of(point: Point) -> Any:
    """Return what a clicked mark stands for: its `customdata`, None where it has none."""
    found = point.get("customdata")
    return next(iter(found), None) if isinstance(found, list) else found


def select_row(point: Point) -> None:
    """Select the row whose mark was clicked."""
    if row_id := mark_of(point):
        select(row_id)


def table(data: pd.DataFrame | Columns, name: str, title: str, key: str, words: Words | None = None) -> None:
    """Draw a table of `aisim_model.compare.columns` for people, with the exact values as CSV beneath."""
    cells, config = readable(data, name, words)
    st.dataframe(arrow(cells), hide_index=True, key=key, placeholder="", lazy=False, column_config=config)
    state().shown[key] = Table(title, data)
    _csv_button(title, data, f"{key}.csv", "Exact values as CSV")


def _csv_button(title: str, data: Data, key: str, label: str) -> None:
    st.download_button(
        label,
        data=data if callable(data) else partial(csv_bytes, data),
        file_name=file_name(title, "csv"),
        mime="text/csv",
        key=key,
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
    )
