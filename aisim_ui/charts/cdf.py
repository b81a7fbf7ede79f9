"""Cumulative curves: which share of the requests has at most so long to wait, a line a deployment."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.axes import log_axis
from aisim_ui.charts.figure import figure
from aisim_ui.charts.marks import above, stripe, upright
from aisim_ui.theme import SURFACES, Mode, row_color
from aisim_ui.words import milliseconds, name_label

DECADES = 6  # of the longest time: what is shorter by more than this is drawn at the edge


def cdf(table: pd.DataFrame, quantity: str, selected_id: str, slo_ms: float | None, mode: Mode) -> go.Figure:
    """Draw cumulative curves over time on a log axis.

    Parameters
    ----------
    table : DataFrame
        `deployment_id`, `deployment`, `color`, `share` and `milliseconds`, in order of share.
    quantity : str
        What took that long.
    selected_id : str
        Row to draw thicker.
    slo_ms : float or None
        Where a service level stands [ms].
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    longest = max(float(table["milliseconds"].max()) if len(table) else 1.0, 1e-6)
    shortest = longest / 10**DECADES
    times, slo = table["milliseconds"].clip(lower=shortest), [] if slo_ms is None else [slo_ms]
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",  # only marks can be clicked, so they are there and can't be seen
            "marker": {"size": 8, "opacity": 0},
            "selected": {"marker": {"opacity": 0}},
            "unselected": {"marker": {"opacity": 0}},
            "name": name_label(str(line["deployment"].iloc[0])),
            "x": line["milliseconds"].clip(lower=shortest).tolist(),
            "y": line["share"].tolist(),
            "text": [milliseconds(value) for value in line["milliseconds"]],
            "customdata": line["deployment_id"].tolist(),
            "line": {
                "color": row_color(int(line["color"].iloc[0])),
                "width": 3.5 if row_id == selected_id else 2,
            },
            "hovertemplate": "%{y:.1%} within %{text}",
        }
        for row_id, line in table.groupby("deployment_id", sort=False)
    ]
    stripe(data)
    return figure(
        data,
        {
            "title": {"text": f"{quantity}: share of requests within a time"},
            "height": 430,
            "hovermode": "closest",
            "dragmode": False,
            "clickmode": "event+select",
            "xaxis": log_axis(f"{quantity}, log", [*times, *slo], milliseconds),
            "yaxis": {"title": {"text": "share of requests"}, "tickformat": ".0%", "range": [0, 1.02]},
            "shapes": [upright(at, surface.slo) for at in slo],
            "annotations": [
                above(at, f"SLO {milliseconds(at)}", surface.slo, log=True, anchor="right") for at in slo
            ],
        },
        mode,
    )
