"""TTFT and inter-token latency against a baseline, a bar a deployment."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.theme import SURFACES, Mode, row_color
from aisim_ui.words import name_label, short_label, significant

BAR_PX = 40


def difference_bars(table: pd.DataFrame, colors: list[int], baseline: str, mode: Mode) -> go.Figure:
    """Draw the difference in TTFT to a baseline.

    Parameters
    ----------
    table : DataFrame
        As `aisim_model.compare.table.table` makes it.
    colors : list of int
        Palette slots of the rows, in the same order.
    baseline : str
        Name of the row that the others are compared to.
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    values = table["ttft_difference_ms"]
    return figure(
        [
            {
                "type": "bar",
                "orientation": "h",
                "y": table["deployment_id"].tolist(),
                "x": [value if value == value else None for value in values],
                "marker": {"color": [row_color(slot) for slot in colors]},
                "text": [_text(value) for value in values],
                "textposition": "auto",
                "hovertemplate": "%{x:+,.3f} ms<extra></extra>",
                "showlegend": False,
            },
        ],
        {
            "title": {"text": f"TTFT against {short_label(baseline)}"},
            "height": 150 + BAR_PX * max(len(table), 2),
            "dragmode": False,
            "margin": {"b": 48},
            "annotations": [
                {
                    "x": 0,
                    "y": row_id,
                    "text": text,
                    "showarrow": False,
                    "xanchor": "left",
                    "xshift": 4,
                    "font": {"color": surface.quiet, "size": 13},
                }
                for row_id, difference_ms, fits in zip(
                    table["deployment_id"], values, table["fits"], strict=True
                )
                if (text := _without_bar(difference_ms, fits))
            ],
            "bargap": 0.4,
            "xaxis": {
                "title": {"text": "difference in TTFT [ms]"},
                "zeroline": True,
                "zerolinecolor": surface.quiet,
            },
            "yaxis": {
                "autorange": "reversed",
                "type": "category",
                "tickmode": "array",
                "tickvals": table["deployment_id"].tolist(),
                "ticktext": [name_label(name) for name in table["deployment"]],
                "ticks": "",
                "showgrid": False,
            },
        },
        mode,
    )


def _text(difference_ms: float) -> str:
    if math.isnan(difference_ms) or difference_ms == 0:
        return ""
    return f"{'+' if difference_ms > 0 else ''}{significant(difference_ms)} ms"


def _without_bar(difference_ms: float, fits: bool) -> str:
    if not fits:
        return "doesn't fit its GPUs"
    return "no delay is known" if math.isnan(difference_ms) else "the same" if difference_ms == 0 else ""
