"""Silicon rows: predicted over measured with the band of 25%, and the error over prompt and batch."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.axes import log_axis
from aisim_ui.charts.figure import figure
from aisim_ui.theme import ROW_COLORS, SURFACES, Mode

BAND = 0.25


def silicon_scatter(table: pd.DataFrame, title: str, mode: Mode) -> go.Figure:
    """Draw what a model predicts over what was measured.

    Parameters
    ----------
    table : DataFrame
        `measured_ms`, `predicted_ms`, `gpu` and `hover`, a row an operating point.
    title : str
        The quantity, and the model.
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    low, high = float(table["measured_ms"].min()) / 1.5, float(table["measured_ms"].max()) * 1.5
    ends = [low, high]
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [*ends, *ends[::-1]],
            "y": [low * (1 - BAND), high * (1 - BAND), high * (1 + BAND), low * (1 + BAND)],
            "fill": "toself",
            "line": {"width": 0},
            "fillcolor": surface.quiet,
            "opacity": 0.25,
            "name": "within 25%",
            "hoverinfo": "skip",
        }
    ]
    for place, (gpu, rows) in enumerate(table.groupby("gpu", sort=True)):
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": str(gpu),
                "x": rows["measured_ms"].tolist(),
                "y": rows["predicted_ms"].tolist(),
                "text": rows["hover"].tolist(),
                "marker": {"color": ROW_COLORS[place % len(ROW_COLORS)], "size": 5, "opacity": 0.7},
                "hovertemplate": "%{text}<br>measured %{x:,.4g} ms, predicted %{y:,.4g} ms",
            }
        )
    return figure(
        data,
        {
            "title": {"text": title},
            "height": 460,
            "dragmode": False,
            "hovermode": "closest",
            "xaxis": log_axis("measured [ms, log]", ends),
            "yaxis": log_axis("predicted [ms, log]", [*ends, *table["predicted_ms"].tolist()]),
        },
        mode,
    )


def silicon_errors(table: pd.DataFrame, title: str, mode: Mode) -> go.Figure:
    """Draw the median error in percent over prompt and batch, with how many rows each field holds.

    Parameters
    ----------
    table : DataFrame
        `prompt`, `batch` (labels in their order), `error` [%] and `n`, a row a field.
    title : str
        The quantity, and the model.
    mode : {"light", "dark"}
        Surface.
    """
    errors = table.pivot_table("error", "batch", "prompt", observed=True, sort=True)
    counts = table.pivot_table("n", "batch", "prompt", observed=True, sort=True)
    texts = [
        [
            "" if pd.isna(error) else f"{error:.0f}%<br>n {count:.0f}"
            for error, count in zip(*rows, strict=True)
        ]
        for rows in zip(errors.to_numpy(), counts.to_numpy(), strict=True)
    ]
    data = [
        {
            "type": "heatmap",
            "x": [str(name) for name in errors.columns],
            "y": [str(name) for name in errors.index],
            "z": errors.to_numpy().tolist(),
            "text": texts,
            "texttemplate": "%{text}",
            "colorscale": "Cividis",
            "reversescale": True,
            "zmin": 0,
            "zmax": 60,
            "colorbar": {"title": {"text": "off [%]", "side": "right"}, "thickness": 12, "outlinewidth": 0},
            "hovertemplate": "prompt %{x}, batch %{y}: off by %{z:.1f}% at the median<extra></extra>",
        }
    ]
    axes = {"xaxis": {"title": {"text": "prompt [tokens]"}, "type": "category"}}
    axes |= {"yaxis": {"title": {"text": "batch of a worker"}, "type": "category"}}
    return figure(data, {"title": {"text": title}, "height": 380, "dragmode": False, **axes}, mode)
