"""KV bytes of one request over its tokens, a line a KV dtype."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.charts.marks import prompt_upright
from aisim_ui.theme import ROW_COLORS, SURFACES, Mode
from aisim_ui.words import label, short_label

SLOTS = {"bf16": 1, "fp8": 2, "nvfp4": 3}  # a KV dtype keeps its colour whichever is chosen
OTHER_SLOT = 4


def kv_curve(table: pd.DataFrame, model: str, prompt_tokens: int, mode: Mode) -> go.Figure:
    """Draw bytes over tokens on log axes.

    Parameters
    ----------
    table : DataFrame
        As `aisim_ui.model.kv_table.curves` makes it; its first series is the chosen one.
    model : str
        Name of the model.
    prompt_tokens : int
        Where the scenario stands.
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    data = []
    for index, (series, line) in enumerate(table.groupby("series", sort=False)):
        full = line["window_layers"].iloc[0] == "full"
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": label(str(series)),
                "x": line["tokens"].tolist(),
                "y": (line["kv_bytes"] / 1e6).tolist(),
                "line": {
                    "color": ROW_COLORS[SLOTS.get(line["kv_dtype"].iloc[0], OTHER_SLOT)],
                    "width": 3.5 if index == 0 else 2,
                    "dash": "dash" if full else "solid",
                },
                "hovertemplate": "%{x:,.0f} tokens: %{y:,.4g} MB",
            }
        )
    return figure(
        data,
        {
            "title": {"text": f"KV cache of one request: {short_label(model)}"},
            "height": 440,
            "hovermode": "closest",
            "dragmode": False,
            "showlegend": True,
            "xaxis": {"title": {"text": "tokens [log]"}, "type": "log", "dtick": 1},
            "yaxis": {"title": {"text": "KV cache [MB, log]"}, "type": "log", "dtick": 1},
            **prompt_upright(prompt_tokens, surface),
        },
        mode,
    )
