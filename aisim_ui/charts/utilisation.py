"""How busy prefill, links and decode are over time, and what queues for them beneath."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.theme import Mode, faded, row_color
from aisim_ui.words import short_label

BUSY = (
    ("prefill_busy", "Prefill busy", 0.7, "dot"),
    ("link_busy", "Link busy", 1.0, "solid"),
    ("decode_busy", "Decode busy", 0.85, "dash"),
)
QUEUES = (
    ("waiting_for_prefill", "Wait for prefill", 0.7, "dot"),
    ("waiting_for_room", "Wait for room on decode", 0.85, "dash"),
    ("waiting_for_link", "Wait for the link", 0.8, "dashdot"),
    ("on_the_wire", "On the wire", 1.0, "solid"),
)


def utilisation(table: pd.DataFrame, name: str, color: int, mode: Mode) -> go.Figure:
    """Draw shares of time busy above, mean numbers of requests beneath, over one axis of time.

    Parameters
    ----------
    table : DataFrame
        As `aisim_ui.traffic.time.over_time` makes it.
    name : str
        The deployment.
    color : int
        Its palette slot.
    mode : {"light", "dark"}
        Surface.
    """
    shade = row_color(color)
    aggregated = "link_busy" not in table
    data = []
    for lines, axis, form in ((BUSY, "y", ".0%"), (QUEUES, "y2", ",.3g")):
        for column, label, strength, dash in lines:
            if column in table:
                named = "Workers busy" if aggregated and column == "prefill_busy" else label
                data.append(
                    {
                        "type": "scatter",
                        "mode": "lines",
                        "name": named,
                        "x": table["time_s"].tolist(),
                        "y": table[column].tolist(),
                        "yaxis": axis,
                        "line": {"color": faded(shade, strength, mode), "width": 2, "dash": dash},
                        "hovertemplate": f"%{{y:{form}}} at %{{x:,.4g}} s",
                    }
                )
    most = max(float(table[column].max()) for column, *_ in BUSY if column in table)
    return figure(
        data,
        {
            "title": {"text": f"Use and queues: {short_label(name)}"},
            "height": 520,
            "dragmode": False,
            "hovermode": "closest",
            "xaxis": {"title": {"text": "time after the first arrival [s]"}, "anchor": "y2"},
            "yaxis": {
                "domain": [0.56, 1],
                "title": {"text": "share of time busy"},
                "tickformat": ".0%",
                "range": [0, max(1.05, most * 1.05)],
            },
            "yaxis2": {
                "domain": [0, 0.46],
                "title": {"text": "requests, mean"},
                "rangemode": "tozero",
                "anchor": "x",
            },
            "margin": {"l": 8, "r": 16, "t": 76, "b": 120},
        },
        mode,
    )
