"""TTFT and inter-token latency against a baseline, a bar a deployment."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.theme import SURFACES, Mode, row_color
from aisim_ui.words import label

BAR_PX = 40


def difference_bars(table: pd.DataFrame, colors: list[int], baseline: str, mode: Mode) -> go.Figure:
    """Draw the difference in TTFT to a baseline.

    Parameters
    ----------
    table : DataFrame
        As `aisim_model.compare.table` makes it.
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
                "text": [_text(*pair) for pair in zip(values, table["fits"], strict=True)],
                "textposition": "auto",
                "hovertemplate": "%{x:+,.3f} ms<extra></extra>",
                "showlegend": False,
            }
        ],
        {
            "title": {"text": f"TTFT against {label(baseline)}"},
            "height": 150 + BAR_PX * max(len(table), 2),
            "dragmode": False,
            "margin": {"b": 48},
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
                "ticktext": [label(name) for name in table["deployment"]],
                "ticks": "",
                "showgrid": False,
            },
        },
        mode,
    )


def _text(difference_ms: float, fits: bool) -> str:
    if not fits:
        return "doesn't fit"
    return f"{difference_ms:+,.3g} ms" if difference_ms == difference_ms else "no delay"
