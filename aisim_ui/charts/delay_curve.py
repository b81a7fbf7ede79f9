"""Handoff delay over prompt length: a line a deployment, both modes of the selected one, a measured band."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.charts.marks import prompt_upright, stripe
from aisim_ui.theme import SURFACES, Mode, row_color, translucent
from aisim_ui.words import name_label

if TYPE_CHECKING:
    from aisim_ui.columns import Columns

DASHES = {"other mode": "dash", "measured low": "dot"}


def delay_curve(
    columns: Columns, colors: dict[str, int], selected_id: str, prompt_tokens: int, mode: Mode
) -> go.Figure:
    """Draw delay over prompt length on log axes.

    Parameters
    ----------
    columns : Columns
        `deployment_id`, `deployment`, `series` ("row", "other mode", "measured low"), `label`,
        `prompt_tokens`, `handoff_ms`.
    colors : dict
        Palette slot of each row.
    selected_id : str
        Row whose other mode and band are in the columns.
    prompt_tokens : int
        Where the scenario stands.
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    data = []
    for (row_id, series), places in _lines(columns):
        color = row_color(colors[row_id])
        name = name_label(columns["deployment"][places.start])
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name if series == "row" else f"{name}: {columns['label'][places.start]}",
                "zorder": 1 if series == "other mode" else 0,
                "x": columns["prompt_tokens"][places],
                "y": [delay if delay > 0 else None for delay in columns["handoff_ms"][places]],
                "line": {
                    "color": color,
                    "width": 3.5 if row_id == selected_id and series == "row" else 2,
                    "dash": DASHES.get(series, "solid"),
                },
                "fill": "tonexty" if series == "measured low" else "none",
                "fillcolor": translucent(color),
                "hovertemplate": "%{x:,.0f} tokens: %{y:,.3g} ms",
            }
        )
    stripe(data)
    return figure(
        data,
        {
            "title": {"text": "Handoff delay over prompt length"},
            "height": 470,
            "hovermode": "closest",
            "dragmode": False,
            "xaxis": {"title": {"text": "prompt [tokens, log]"}, "type": "log", "dtick": 1},
            "yaxis": {"title": {"text": "handoff [ms, log]"}, "type": "log", "dtick": 1},
            **prompt_upright(prompt_tokens, surface),
        },
        mode,
    )


def _lines(columns: Columns) -> Iterator[tuple[tuple[str, str], slice]]:
    """Give each line's row and series, and where it stands."""
    start = 0
    for key, rows in groupby(zip(columns["deployment_id"], columns["series"], strict=True)):
        end = start + sum(1 for _ in rows)
        yield key, slice(start, end)
        start = end
