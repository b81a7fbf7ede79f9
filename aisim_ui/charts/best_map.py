"""Which deployment is best where: the frontier between them over two fields."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.maps import MapFrame, clicks, grid, sampled
from aisim_ui.theme import Mode, faded, row_color
from aisim_ui.words import name_label

PALE = 0.35


def best_map(
    over: MapFrame, table: pd.DataFrame, meets: pd.DataFrame, rows: list[tuple[str, int]]
) -> go.Figure:
    """Draw the best of some deployments over two fields.

    Parameters
    ----------
    over : MapFrame
        Its fields, title and surface.
    table : DataFrame
        Place among `rows` of the best: a column a value of the first field, a row a value of the second; -1
        where none has a value.
    meets : DataFrame
        Whether the best meets the SLO on TTFT; where it doesn't its colour is pale.
    rows : list of (str, int)
        Name and palette slot of each deployment.
    """
    codes = table.to_numpy() * 2 + meets.to_numpy()  # two shades a deployment
    present = [int(code) for code in np.unique(codes) if code >= 0]
    names = [legend(rows[code // 2][0], bool(code % 2)) for code in present]
    shades = [shade(rows[code // 2][1], bool(code % 2), over.mode) for code in present]
    place = np.full(codes.shape, np.nan)
    for index, code in enumerate(present):
        place[codes == code] = index
    steps = [(index + end) / max(len(present), 1) for index in range(len(present)) for end in (0, 1)]
    scale = [[step, shades[at // 2]] for at, step in enumerate(steps)]
    areas = grid(table, place, colorscale=scale, zmin=-0.5, zmax=len(present) - 0.5, showscale=False)
    named = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [None],
            "y": [None],
            "marker": {"symbol": "square", "size": 12, "color": color},
        }
        for name, color in zip(names, shades, strict=True)
    ]
    texts = [
        ["none fits and sends" if np.isnan(one) else names[int(one)] for one in line]
        for line in sampled(place)
    ]
    marks = {**clicks(table, texts), "customdata": sampled(table.to_numpy()).ravel()}
    return over.drawn(table, [areas, *named, marks])


def legend(name: str, meets: bool) -> str:
    """Name of an area."""
    return name_label(name) if meets else f"{name_label(name)}, misses the SLO"


def shade(slot: int, meets: bool, mode: Mode) -> str:
    """Colour of an area."""
    return row_color(slot) if meets else faded(row_color(slot), PALE, mode)
