"""The share of requests that meet both targets over arrivals: a line a layout, with the load asked."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.charts.frontier import COLORS, DASHES
from aisim_ui.charts.marks import above, across, upright
from aisim_ui.theme import SURFACES, Mode, row_color
from aisim_ui.words import name_label


def share_curve(shares: pd.DataFrame, asked_per_s: float, least_share: float, mode: Mode) -> go.Figure:
    """Draw the share that meets both targets over load.

    Parameters
    ----------
    shares : DataFrame
        `deployment`, `kind`, `arrivals_per_s` and `within_slos_share`.
    asked_per_s : float
        The load that is asked for [requests/s]; 0 for none.
    least_share : float
        The share that has to meet both [-]; 0 for none.
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name_label(str(name)),
            "x": line["arrivals_per_s"].tolist(),
            "y": line["within_slos_share"].tolist(),
            "line": {
                "color": row_color(COLORS[line["kind"].iloc[0]]),
                "width": 3,
                "dash": DASHES[line["kind"].iloc[0]],
            },
            "hovertemplate": "%{x:,.3g} requests/s: %{y:.1%} within both",
        }
        for name, line in shares.groupby("deployment", sort=False)
    ]
    shapes = [across(least_share, surface.slo)] if least_share else []
    notes = []
    if asked_per_s:
        shapes.append(upright(asked_per_s, surface.quiet, dash="dot"))
        notes.append(above(asked_per_s, f"{asked_per_s:,.4g} requests/s asked", surface.quiet))
    return figure(
        lines,
        {
            "title": {"text": "Share within both targets over load, an estimate"},
            "height": 360,
            "dragmode": False,
            "showlegend": True,
            "xaxis": {"title": {"text": "arrivals [requests/s]"}, "rangemode": "tozero"},
            "yaxis": {"title": {"text": "share of requests"}, "tickformat": ".0%", "range": [0, 1.03]},
            "shapes": shapes,
            "annotations": notes,
        },
        mode,
    )
