"""Two fields of a scenario: one deployment's quantity as colour, with lines at levels that matter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.axes import round_values
from aisim_ui.charts.maps import MapFrame, clicks, grid, sampled
from aisim_ui.theme import SURFACES
from aisim_ui.words import label

SHARE_COLOR = "#33BBEE"  # shows on every colour of the map, and on both surfaces


def heatmap(
    over: MapFrame,
    table: pd.DataFrame,
    lines: list[tuple[pd.DataFrame, float, str]],
    text: Callable[[float], str],
) -> go.Figure:
    """Draw a quantity over two fields.

    Parameters
    ----------
    over : MapFrame
        Its fields, title and surface.
    table : DataFrame
        The quantity: a column a value of the first field, a row a value of the second.
    lines : list of (DataFrame, float, str)
        Another grid of the same points, the level of it that is drawn as a line, and the line's name.
    text : callable
        How a value of the quantity is written.
    """
    values = table.to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        tens = np.log10(np.where(values > 0, values, np.nan))
    low, high = (np.nanmin(tens), np.nanmax(tens)) if np.isfinite(tens).any() else (0.0, 1.0)
    ticks = round_values(float(low), float(high))
    bar = {
        "tickvals": [math.log10(value) for value in ticks],
        "ticktext": [text(value) for value in ticks],
        "thickness": 12,
        "outlinewidth": 0,
    }
    data = [grid(table, tens, colorscale="Cividis", colorbar=bar)]
    for (other, at, name), color in zip(lines, (SURFACES[over.mode].slo, SHARE_COLOR), strict=True):
        data += contour(other, at, name, color)
    data.append(clicks(table, [[text(value) for value in row] for row in sampled(values)]))
    return over.drawn(table, data)


def contour(table: pd.DataFrame, at: float, name: str, color: str) -> list[dict[str, Any]]:
    """A line where a grid crosses a level, on a dark edge to show on any colour; none where it doesn't."""
    values = table.to_numpy(dtype=float)
    if not (np.nanmin(values, initial=np.inf) < at < np.nanmax(values, initial=-np.inf)):
        return []
    with np.errstate(divide="ignore", invalid="ignore"):
        tens = np.log10(np.maximum(values, at * 1e-6) / at)
    level = {"start": 0, "end": 0, "size": 1, "coloring": "none"}
    common = grid(table, tens, "contour", contours=level, showscale=False)
    edge = {**common, "line": {"color": "#10161D", "width": 5}, "showlegend": False}
    return [edge, {**common, "line": {"color": color, "width": 2.5}, "name": label(name), "showlegend": True}]
