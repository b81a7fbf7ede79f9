"""A calibration over its measurements, and what is left: residuals."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.axes import log_axis
from aisim_ui.charts.figure import figure
from aisim_ui.theme import ROW_COLORS, SURFACES, Mode

BYTES_PER_MB = 1e6
LEAST_REACH_PERCENT = 1.0  # an exact fit leaves rounding alone, which is no error to look into
MEASURED, FITTED = ROW_COLORS[3], ROW_COLORS[1]


def fit_over_bytes(table: pd.DataFrame, mode: Mode) -> go.Figure:
    """Draw measured and fitted times over megabytes, on log axes.

    Parameters
    ----------
    table : DataFrame
        `bytes`, `measured_ms`, `predicted_ms`, `weight`: a row that counts less is drawn open.
    mode : {"light", "dark"}
        Surface.
    """
    line = table.sort_values("bytes")
    symbols = ["circle" if weight > 0.5 else "circle-open" for weight in table["weight"]]
    return figure(
        [
            {
                "type": "scatter",
                "mode": "lines",
                "name": "fit",
                "x": (line["bytes"] / BYTES_PER_MB).tolist(),
                "y": line["predicted_ms"].tolist(),
                "line": {"color": FITTED, "width": 2.5},
                "hovertemplate": "%{x:,.4g} MB: fitted %{y:,.4g} ms",
            },
            {
                "type": "scatter",
                "mode": "markers",
                "name": "measured (open: counted for less)",
                "x": (table["bytes"] / BYTES_PER_MB).tolist(),
                "y": table["measured_ms"].tolist(),
                "marker": {"color": MEASURED, "size": 10, "symbol": symbols},
                "hovertemplate": "%{x:,.4g} MB: measured %{y:,.4g} ms",
            },
        ],
        {
            "title": {"text": "Transfer time over size"},
            "height": 430,
            "dragmode": False,
            "hovermode": "closest",
            "xaxis": log_axis("size on the wire [MB, log]", table["bytes"] / BYTES_PER_MB),
            "yaxis": log_axis("time [ms, log]", [*table["measured_ms"], *table["predicted_ms"]]),
        },
        mode,
    )


def residuals(table: pd.DataFrame, mode: Mode) -> go.Figure:
    """Draw relative errors of the fit over megabytes.

    Parameters
    ----------
    table : DataFrame
        `bytes`, `relative_error`.
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    reach = max(float(table["relative_error"].abs().max()) * 110, LEAST_REACH_PERCENT)
    return figure(
        [
            {
                "type": "scatter",
                "mode": "markers",
                "x": (table["bytes"] / BYTES_PER_MB).tolist(),
                "y": (table["relative_error"] * 100).tolist(),
                "marker": {"color": FITTED, "size": 10},
                "hovertemplate": "%{x:,.4g} MB: %{y:+.2f}%<extra></extra>",
                "showlegend": False,
            }
        ],
        {
            "title": {"text": "Relative error of the fit"},
            "height": 300,
            "margin": {"b": 56},
            "dragmode": False,
            "xaxis": log_axis("size on the wire [MB, log]", table["bytes"] / BYTES_PER_MB),
            "yaxis": {
                "title": {"text": "relative error [%]"},
                "zeroline": True,
                "zerolinecolor": surface.quiet,
                "range": [-reach, reach],
            },
        },
        mode,
    )
