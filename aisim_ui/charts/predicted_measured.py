"""Predicted over measured: on the diagonal a model is right."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.axes import log_axis
from aisim_ui.charts.figure import figure
from aisim_ui.theme import ROW_COLORS, SURFACES, Mode

STYLES = {
    "reference": ("reference, nominal bandwidth", ROW_COLORS[3], "circle"),
    "calibrated": ("calibrated", ROW_COLORS[1], "diamond"),
    "roofline": ("roofline", ROW_COLORS[2], "square"),
}


def predicted_measured(table: pd.DataFrame, title: str, mode: Mode) -> go.Figure:
    """Draw predictions over measurements in milliseconds, on log axes.

    Parameters
    ----------
    table : DataFrame
        Rows with `reported` and a column for each model [ms]; `consistent` says which can be believed.
    title : str
        What was measured.
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    low, high = float(table["reported"].min()) / 2, float(table["reported"].max()) * 2
    predicted = [value for model in STYLES for value in table[model].dropna()]
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "predicted = measured",
            "x": [low, high],
            "y": [low, high],
            "line": {"color": surface.quiet, "width": 1},
            "hoverinfo": "skip",
        }
    ]
    for model, (name, color, symbol) in STYLES.items():
        known = table[table[model].notna()]
        if known.empty:
            continue
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": known["reported"].tolist(),
                "y": known[model].tolist(),
                "text": known["id"].tolist(),
                "marker": {
                    "color": color,
                    "size": 10,
                    "symbol": [symbol if good else f"{symbol}-open" for good in known["consistent"]],
                },
                "hovertemplate": "%{text}: measured %{x:,.3g} ms, predicted %{y:,.3g} ms",
            }
        )
    return figure(
        data,
        {
            "title": {"text": title},
            "height": 480,
            "dragmode": False,
            "hovermode": "closest",
            "xaxis": log_axis("measured [ms, log]", [low, high]),
            "yaxis": log_axis("predicted [ms, log]", [low, high, *predicted]),
        },
        mode,
    )
