"""Time to load a prefix's KV from each tier, and to compute it, over its tokens."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.axes import axis
from aisim_ui.charts.figure import figure
from aisim_ui.theme import ROW_COLORS, SURFACES, Mode

RECOMPUTED = "compute it again"


def reuse_curve(times: pd.DataFrame, mode: Mode) -> go.Figure:
    """Draw both times on log axes; where a tier's line lies below, loading is faster.

    Parameters
    ----------
    times : DataFrame
        As `aisim_ui.solve.reuse.over_prefixes` makes it.
    mode : {"light", "dark"}
        Surface.
    """
    lines = []
    for index, (way, line) in enumerate(times.groupby("way", sort=False)):
        computed = way == RECOMPUTED
        color = SURFACES[mode].text if computed else ROW_COLORS[(index - 1) % len(ROW_COLORS)]
        lines.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": str(way),
                "x": line["prefix_tokens"].tolist(),
                "y": line["time_ms"].tolist(),
                "line": {"color": color, "width": 3.5 if computed else 2},
                "hovertemplate": "%{x:,.4~g} tokens: %{y:,.4~g} ms",
            }
        )
    layout = {
        "title": {"text": "Load a prefix or compute it again"},
        "height": 420,
        "dragmode": False,
        "showlegend": True,
        "xaxis": axis("Prefix [tokens]", True, times["prefix_tokens"]),
        "yaxis": axis("Time [ms]", True, times["time_ms"]),
    }
    return figure(lines, layout, mode)
