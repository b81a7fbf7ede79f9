"""The bandwidth that a time needs over prompt lengths: a line a time."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.axes import axis
from aisim_ui.charts.figure import figure
from aisim_ui.charts.sweep_curves import level
from aisim_ui.theme import ROW_COLORS, SURFACES, Mode
from aisim_ui.words import milliseconds, short_label

DASHES = ("dot", "dash", "dashdot")


def needed_lines(
    table: pd.DataFrame, name: str, has_gb_s: float, prompt_tokens: int, mode: Mode
) -> go.Figure:
    """Draw iso-delay lines: bandwidth over prompt at which a time is just met.

    Parameters
    ----------
    table : DataFrame
        As `aisim_ui.explore.needed.needed_bandwidth` makes it.
    name : str
        The deployment.
    has_gb_s : float
        Bandwidth that it has [GB/s].
    prompt_tokens : int
        Where the scenario stands.
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    data = []
    for index, ((measure, at_most_ms), line) in enumerate(
        table.groupby(["measure", "at_most_ms"], sort=False)
    ):
        slo = measure == "ttft"
        needed = line["needed_gb_s"]
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": ("TTFT of " if slo else "handoff of ")
                + milliseconds(at_most_ms)
                + (" (SLO)" if slo else ""),
                "x": line["prompt_tokens"].tolist(),
                "y": [gb_s if math.isfinite(gb_s) and gb_s > 0 else None for gb_s in needed],
                "text": line["reads"].tolist(),
                "line": {
                    "color": surface.slo if slo else ROW_COLORS[1],
                    "width": 3.5 if slo else 2,
                    "dash": "solid" if slo else DASHES[index % len(DASHES)],
                },
                "marker": {"size": 5},
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    layout = {
        "title": {"text": f"Bandwidth needed by {short_label(name)}"},
        "height": 460,
        "hovermode": "closest",
        "dragmode": False,
        "showlegend": True,
        "xaxis": axis("Prompt [tokens]", True, [*table["prompt_tokens"], prompt_tokens]),
        "yaxis": axis("Bandwidth [GB/s]", True, [*table["needed_gb_s"], has_gb_s]),
    }
    if has_gb_s > 0:
        layout |= level((has_gb_s, f"has {has_gb_s:,.4g} GB/s"), True, surface.quiet, mode)
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "the scenario",
                "x": [prompt_tokens],
                "y": [has_gb_s],
                "marker": {"symbol": "x", "size": 12, "color": surface.text},
                "hovertemplate": "has %{y:,.4~g} GB/s at %{x:,} tokens<extra></extra>",
            }
        )
    return figure(data, layout, mode)
