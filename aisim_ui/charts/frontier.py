"""The frontier: tokens a second of a user over those of a GPU, aggregated and split layouts apart."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.charts.marks import above, upright
from aisim_ui.theme import SURFACES, Mode, row_color
from aisim_ui.words import name_label

COLORS = {"aggregated": 0, "split": 1}
DASHES = {"aggregated": "dot", "split": "solid"}
SYMBOLS = {"aggregated": "square", "split": "circle"}


def frontier(points: pd.DataFrame, itl_slo_ms: float, mode: Mode) -> go.Figure:
    """Draw the frontier of each kind of layout.

    Parameters
    ----------
    points : DataFrame
        `kind`, `deployment`, `tokens_per_s_user`, `tokens_per_s_gpu`, `arrivals_per_s`, `gpus`, `place`.
    itl_slo_ms : float
        Target of inter-token latency: what is faster is shaded [ms].
    mode : {"light", "dark"}
        Surface.
    """
    surface, least = SURFACES[mode], 1000.0 / itl_slo_ms
    fastest = max([least * 1.2, *(points["tokens_per_s_user"] if len(points) else [])]) * 1.05
    lines = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": str(kind).capitalize(),
            "x": line["tokens_per_s_user"].tolist(),
            "y": line["tokens_per_s_gpu"].tolist(),
            "customdata": line["place"].tolist(),
            "text": [
                f"{name_label(row.deployment)}, {row.gpus} GPUs, {row.arrivals_per_s:.3g} requests/s"
                for row in line.itertuples()
            ],
            "line": {
                "color": row_color(COLORS[str(kind)]),
                "width": 2.5,
                "dash": DASHES[str(kind)],
                "shape": "hv",
            },
            "marker": {"size": 8, "symbol": SYMBOLS[str(kind)]},
            "hovertemplate": "%{text}<br>%{x:,.3g} tokens/s a user, %{y:,.4g} tokens/s a GPU",
        }
        for kind, line in (points.groupby("kind", sort=True) if len(points) else ())
    ]
    corner = {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": least,
        "x1": fastest,
        "y0": 0,
        "y1": 1,
        "fillcolor": row_color(2),
        "opacity": 0.08,
        "line": {"width": 0},
        "layer": "below",
    }
    return figure(
        lines,
        {
            "title": {"text": "Frontier: tokens a user over tokens a GPU"},
            "height": 400,
            "hovermode": "closest",
            "dragmode": False,
            "clickmode": "event+select",
            "showlegend": True,
            "xaxis": {"title": {"text": "output tokens/s a user"}, "range": [0, fastest]},
            "yaxis": {"title": {"text": "output tokens/s a GPU"}, "rangemode": "tozero"},
            "shapes": [corner, upright(least, surface.slo)],
            "annotations": [above(least, f"ITL {itl_slo_ms:,.10g} ms", surface.slo, anchor="left")],
        },
        mode,
    )
