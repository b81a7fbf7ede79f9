"""Two fields of a scenario: one deployment's quantity as colour, with lines at levels that matter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.axes import axis, round_values
from aisim_ui.charts.figure import figure
from aisim_ui.theme import SURFACES, Mode
from aisim_ui.words import label

CLICKED_ACROSS = 24
SHARE_COLOR = "#33BBEE"  # shows on every colour of the map, and on both surfaces


def heatmap(
    table: pd.DataFrame,
    lines: list[tuple[pd.DataFrame, float, str]],
    here: tuple[float, float] | None,
    title: str,
    axes: tuple[str, str],
    log: tuple[bool, bool],
    text: Callable[[float], str],
    mode: Mode,
) -> go.Figure:
    """Draw a quantity over two fields.

    Parameters
    ----------
    table : DataFrame
        The quantity: a column a value of the first field, a row a value of the second.
    lines : list of (DataFrame, float, str)
        Another grid of the same points, the level of it that is drawn as a line, and the line's name.
    here : tuple of float, optional
        Where the scenario stands.
    title : str
        What the chart shows.
    axes : tuple of str
        The two fields, with units.
    log : tuple of bool
        Whether each axis is logarithmic.
    text : callable
        How a value of the quantity is written.
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    values = table.to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        tens = np.log10(np.where(values > 0, values, np.nan))
    low, high = (np.nanmin(tens), np.nanmax(tens)) if np.isfinite(tens).any() else (0.0, 1.0)
    ticks = round_values(float(low), float(high))
    data: list[dict[str, Any]] = [
        {
            "type": "heatmap",
            "x": table.columns.to_numpy(dtype=float),
            "y": table.index.to_numpy(dtype=float),
            "z": tens.astype(np.float32),
            "colorscale": "Cividis",
            "hoverinfo": "skip",
            "colorbar": {
                "tickvals": [math.log10(value) for value in ticks],
                "ticktext": [text(value) for value in ticks],
                "thickness": 12,
                "outlinewidth": 0,
            },
        }
    ]
    for (grid, at, name), color in zip(lines, (surface.slo, SHARE_COLOR), strict=True):
        data += contour(grid, at, name, color)
    data.append(clicks(table, [[text(value) for value in row] for row in sampled(values)]))
    data += marker(here, surface.slo)
    return figure(data, layout(title, axes, log, table), mode)


def contour(grid: pd.DataFrame, at: float, name: str, color: str) -> list[dict[str, Any]]:
    """A line where a grid crosses a level, on a dark edge to show on any colour; none where it doesn't."""
    values = grid.to_numpy(dtype=float)
    if not (np.nanmin(values, initial=np.inf) < at < np.nanmax(values, initial=-np.inf)):
        return []
    with np.errstate(divide="ignore", invalid="ignore"):
        tens = np.log10(np.maximum(values, at * 1e-6) / at).astype(np.float32)
    common = {
        "type": "contour",
        "x": grid.columns.to_numpy(dtype=float),
        "y": grid.index.to_numpy(dtype=float),
        "z": tens,
        "contours": {"start": 0, "end": 0, "size": 1, "coloring": "none"},
        "hoverinfo": "skip",
        "showscale": False,
    }
    edge = {**common, "line": {"color": "#10161D", "width": 5}, "showlegend": False}
    return [edge, {**common, "line": {"color": color, "width": 2.5}, "name": label(name), "showlegend": True}]


def sampled(values: np.ndarray) -> np.ndarray:
    """Thin a grid out to the points that can be clicked."""
    up, across = (
        np.unique(np.linspace(0, n - 1, min(n, CLICKED_ACROSS)).round().astype(int)) for n in values.shape
    )
    return values[np.ix_(up, across)]


def clicks(table: pd.DataFrame, texts: list[list[str]]) -> dict[str, Any]:
    """Unseen marks over a map: a map itself can't be clicked."""
    across = sampled(np.tile(table.columns.to_numpy(dtype=float), (len(table), 1)))
    up = sampled(np.tile(table.index.to_numpy(dtype=float), (len(table.columns), 1)).T)
    unseen = {"marker": {"opacity": 0}}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": across.ravel(),
        "y": up.ravel(),
        "text": [one for row in texts for one in row],
        "marker": {"opacity": 0, "size": 16},
        "selected": unseen,
        "unselected": unseen,
        "hovertemplate": "%{x:,.4~g}, %{y:,.4~g}: %{text}<extra></extra>",
        "showlegend": False,
    }


def marker(here: tuple[float, float] | None, color: str) -> list[dict[str, Any]]:
    """A cross where the scenario stands."""
    if here is None:
        return []
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "the scenario",
            "x": [here[0]],
            "y": [here[1]],
            "marker": {"symbol": "x", "size": 13, "color": color, "line": {"color": "#FFFFFF", "width": 1.5}},
            "hoverinfo": "skip",
        }
    ]


def layout(title: str, axes: tuple[str, str], log: tuple[bool, bool], table: pd.DataFrame) -> dict[str, Any]:
    """What both maps have in common."""
    across, up = (
        {**axis(text, is_log, values), "range": _range(values, is_log), "showgrid": False}
        for text, is_log, values in zip(axes, log, (table.columns, table.index), strict=True)
    )
    return {
        "title": {"text": title},
        "height": 520,
        "hovermode": "closest",
        "hoverdistance": 40,
        "clickmode": "event+select",
        "dragmode": False,
        "showlegend": True,
        "xaxis": across,
        "yaxis": up,
    }


def _range(values: pd.Index, log: bool) -> list[float]:
    ends = float(values[0]), float(values[-1])
    return [math.log10(end) for end in ends] if log else list(ends)
