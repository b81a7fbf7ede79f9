"""Charts of which a point can be clicked to make it the scenario, and the table of all points."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from aisim_model.scenario import Scenario
from aisim_model.sweep import Sweep
from aisim_model.sweep.axes import field_kind
from aisim_model.sweep.changed import changed
from aisim_ui.charts.settings import chart_config
from aisim_ui.explore.result import csv_of
from aisim_ui.exports import file_name
from aisim_ui.report import Chart
from aisim_ui.state import attempt, state

Point = dict[str, Any]


def drawn(figure: go.Figure, key: str, fields: tuple[str, ...], row_of: Callable[[Point], str]) -> None:
    """Draw a chart; a click on a point makes it the scenario.

    Parameters
    ----------
    figure : Figure
        What to draw.
    key : str
        Name of the chart.
    fields : tuple of str
        Fields along its axes.
    row_of : callable
        Tells the id of a clicked point's deployment.
    """

    def picked() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points:
            point = points[0]
            here = {name: point[along] for name, along in zip(fields, "xy", strict=False)}
            attempt("explore.point", "", lambda scenario: at_point(scenario, row_of(point), here))

    title = html.unescape(str(figure.layout.title.text))
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        config=chart_config(title, state().picture),
        alt=title,
        on_select=picked,
        selection_mode="points",
    )
    state().shown[key] = Chart(title, figure)


def at_point(scenario: Scenario, row_id: str, values: dict[str, float]) -> Scenario:
    """Return the scenario with a deployment selected and some fields at a point's values.

    Examples
    --------
    >>> there = at_point(Scenario(), "split-fp8", {"prompt_tokens": 4096.0, "bandwidth_gb_s": 25.0})
    >>> there.selected_id, there.workload.prompt_tokens, there.selected.bandwidth_gb_s
    ('split-fp8', 4096, 25.0)
    """
    exact = {name: round(value) if field_kind(name) == "whole" else value for name, value in values.items()}
    workload, row = changed(scenario.workload, scenario.row(row_id), exact)
    rows = tuple(row if one.id == row_id else one for one in scenario.deployments)
    return scenario.changed(workload=workload, deployments=rows, selected_id=row_id)


def all_points(sweep: Sweep) -> None:
    """Offer every point as CSV, and say how to have more of them."""
    fields = " and ".join(axis.field for axis in sweep.axes)
    st.download_button(
        f"All {sweep.points:,} points as CSV",
        data=lambda: csv_of(sweep),
        file_name=file_name(f"sweep of {fields}", "csv"),
        mime="text/csv",
        key="explore.csv",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        help="The picture shows a part of them. `aisim sweep` writes up to a thousand million.",
    )
