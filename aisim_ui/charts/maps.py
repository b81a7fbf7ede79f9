"""What maps over two fields of a scenario have in common: axes, the scenario's place, marks to click."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.axes import axis
from aisim_ui.charts.figure import figure
from aisim_ui.theme import SURFACES, Mode

CLICKED_ACROSS = 24


@dataclass(frozen=True)
class MapFrame:
    """A map over two fields.

    Parameters
    ----------
    title : str
        What the chart shows.
    axes : tuple of str
        The two fields, with units.
    log : tuple of bool
        Whether each axis is logarithmic.
    here : tuple of float or None
        Where the scenario stands.
    mode : {"light", "dark"}
        Surface.
    """

    title: str
    axes: tuple[str, str]
    log: tuple[bool, bool]
    here: tuple[float, float] | None
    mode: Mode

    def drawn(self, table: pd.DataFrame, data: list[dict[str, Any]]) -> go.Figure:
        """Draw traces over the fields of a table: a column a value of the first, a row of the second."""
        across, up = (
            {**axis(text, log, values), "range": _range(values, log), "showgrid": False}
            for text, log, values in zip(self.axes, self.log, (table.columns, table.index), strict=True)
        )
        layout = {
            "title": {"text": self.title},
            "height": 520,
            "hovermode": "closest",
            "hoverdistance": 40,
            "clickmode": "event+select",
            "dragmode": False,
            "showlegend": True,
            "xaxis": across,
            "yaxis": up,
        }
        return figure([*data, *self._cross()], layout, self.mode)

    def _cross(self) -> list[dict[str, Any]]:
        """A cross where the scenario stands."""
        if self.here is None:
            return []
        color, edge = SURFACES[self.mode].slo, {"color": "#FFFFFF", "width": 1.5}
        return [
            {
                "type": "scatter",
                "mode": "markers",
                "name": "the scenario",
                "x": [self.here[0]],
                "y": [self.here[1]],
                "marker": {"symbol": "x", "size": 13, "color": color, "line": edge},
                "hoverinfo": "skip",
            }
        ]


def grid(table: pd.DataFrame, z: np.ndarray, kind: str = "heatmap", **more: Any) -> dict[str, Any]:
    """Return a trace of a value at each point of a table."""
    across, up = table.columns.to_numpy(dtype=float), table.index.to_numpy(dtype=float)
    return {"type": kind, "x": across, "y": up, "z": z.astype(np.float32), "hoverinfo": "skip", **more}


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


def _range(values: pd.Index, log: bool) -> list[float]:
    ends = float(values[0]), float(values[-1])
    return [math.log10(end) for end in ends] if log else list(ends)
