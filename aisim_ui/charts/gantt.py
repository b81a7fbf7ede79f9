"""A timeline of the requests around a moment: a bar a request, in it the parts of its TTFT."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.charts.marks import upright
from aisim_ui.charts.ttft_bars import DRAWN_PARTS
from aisim_ui.theme import SURFACES, Mode, faded, row_color
from aisim_ui.words import short_label

BAR_PX = 20


def timeline(table: pd.DataFrame, name: str, color: int, moment_s: float, mode: Mode) -> go.Figure:
    """Draw requests from arrival to first token.

    Parameters
    ----------
    table : DataFrame
        `request`, `part`, `start_ms`, `end_ms`, `input_length` and `ttft_ms`, as
        `aisim_ui.traffic.tables.gantt` makes it.
    name : str
        The deployment.
    color : int
        Its palette slot.
    moment_s : float
        The moment, which a line marks [s].
    mode : {"light", "dark"}
        Surface.
    """
    surface, shade = SURFACES[mode], row_color(color)
    labels = [f"#{request:,}" for request in table["request"].tolist()]
    named = table.assign(label=labels)
    data = []
    for column, part, strength, pattern in DRAWN_PARTS:
        bars = named[named["part"] == column]
        if bars.empty:
            continue
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": part,
                "y": bars["label"].tolist(),
                "base": (bars["start_ms"] / 1000).tolist(),
                "x": ((bars["end_ms"] - bars["start_ms"]) / 1000).tolist(),
                "customdata": bars[["input_length", "ttft_ms"]].to_numpy().tolist(),
                "marker": {
                    "color": faded(shade, min(strength + 0.2, 1.0), mode),
                    "pattern": {"shape": pattern, "solidity": 0.35},
                    "line": {"color": shade, "width": 0.5},
                },
                "hovertemplate": f"{part}: %{{x:,.4g}} s of %{{customdata[1]:,.0f}} ms TTFT, "
                "%{customdata[0]:,} tokens<extra>%{y}</extra>",
            }
        )
    worked = named[named["part"] != "queue_ms"]
    low, high = float(worked["start_ms"].min()) / 1000, float(worked["end_ms"].max()) / 1000
    pad = max((high - low) * 0.05, 1e-3)
    cut = float(named["start_ms"].min()) / 1000 < low - 3 * pad
    return figure(
        data,
        {
            "title": {"text": f"Around {moment_s:,.4g} s: {short_label(name)}"},
            "barmode": "overlay",
            "bargap": 0.25,
            "height": 190 + BAR_PX * max(named["label"].nunique(), 3),
            "dragmode": False,
            "legend": {"traceorder": "normal"},
            "xaxis": {
                "title": {
                    "text": "time after the first arrival [s]"
                    + ("; queues reach further back" if cut else "")
                },
                "tickformat": ",",
                "range": [low - 3 * pad, high + pad],
            },
            "yaxis": {
                "autorange": "reversed",
                "categoryorder": "array",
                "categoryarray": list(dict.fromkeys(labels)),
                "ticks": "",
                "showgrid": False,
                "type": "category",
            },
            "shapes": [upright(moment_s, surface.quiet, 1, "dot")],
        },
        mode,
    )
