"""Mean TTFT or inter-token latency over arrivals: a line a row, with the SLO."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.charts.marks import across
from aisim_ui.theme import SURFACES, Mode, row_color
from aisim_ui.words import name_label

TITLES = {"ttft_ms": "Mean TTFT over load, an estimate", "itl_ms": "Mean ITL over load, an estimate"}
AXES = {"ttft_ms": "time to first token [ms]", "itl_ms": "inter-token latency [ms]"}
HIGHEST = 2.0  # of the SLO: a queue near overload would flatten all else


def load_curve(loads: pd.DataFrame, column: str, slo_ms: float, mode: Mode) -> go.Figure:
    """Draw a mean over arrivals.

    Parameters
    ----------
    loads : DataFrame
        As `aisim_ui.solve.load_curves.over_arrivals` makes it.
    column : {"ttft_ms", "itl_ms"}
        What is drawn.
    slo_ms : float
        Where the SLO line stands [ms].
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name_label(str(line["deployment"].iloc[0])),
            "x": line["arrivals_per_s"].tolist(),
            "y": line[column].astype(object).where(line[column].notna(), None).tolist(),
            "line": {"color": row_color(int(line["color"].iloc[0])), "width": 3},
            "hovertemplate": "%{x:,.3g} requests/s: %{y:,.4g} ms",
        }
        for _, line in loads.groupby("deployment_id", sort=False)
    ]
    return figure(
        lines,
        {
            "title": {"text": TITLES[column]},
            "height": 400,
            "dragmode": False,
            "showlegend": True,
            "xaxis": {"title": {"text": "arrivals [requests/s]"}, "rangemode": "tozero"},
            "yaxis": {"title": {"text": AXES[column]}, "range": [0, HIGHEST * slo_ms]},
            "shapes": [across(slo_ms, surface.slo)],
            "annotations": [
                {
                    "x": 0,
                    "y": slo_ms,
                    "xref": "paper",
                    "yref": "y",
                    "text": f"SLO {slo_ms:,.10g} ms",
                    "showarrow": False,
                    "xanchor": "left",
                    "yanchor": "bottom",
                    "font": {"color": surface.slo, "size": 12},
                }
            ],
        },
        mode,
    )
