"""What requests wait for, by percentile of TTFT: are the slowest slow for the same reason as the rest?"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.charts.marks import above, upright
from aisim_ui.charts.ttft_bars import DRAWN_PARTS
from aisim_ui.theme import SURFACES, Mode, faded, row_color
from aisim_ui.words import milliseconds, short_label

BAR_PX = 34
IN_SECONDS_MS = 10_000.0  # from here on an axis of milliseconds has more zeros than digits


def waits(table: pd.DataFrame, name: str, color: int, slo_ms: float, mode: Mode) -> go.Figure:
    """Draw the mean of each part of the TTFT, a bar a band of requests.

    Parameters
    ----------
    table : DataFrame
        `band`, `requests`, a column a part and `ttft_ms` [ms], from the fastest band to the slowest.
    name : str
        The deployment.
    color : int
        Its palette slot.
    slo_ms : float
        Service level on TTFT [ms]; its line stands where the bars reach it.
    mode : {"light", "dark"}
        Surface.
    """
    surface, shade = SURFACES[mode], row_color(color)
    bands = table["band"].tolist()
    longest_ms = float(table["ttft_ms"].max())
    unit_ms, unit = (1000.0, "s") if longest_ms >= IN_SECONDS_MS else (1.0, "ms")
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": label,
            "y": bands,
            "x": [value / unit_ms if value > 0 else None for value in table[column].tolist()],
            "marker": {
                "color": faded(shade, min(strength + 0.2, 1.0), mode),
                "pattern": {"shape": pattern, "solidity": 0.35},
                "line": {"color": shade, "width": 0.5},  # a pale queue still shows how long it is
            },
            "hovertemplate": f"{label}: %{{x:,.4g}} {unit}<extra>%{{y}}</extra>",
        }
        for column, label, strength, pattern in DRAWN_PARTS
        if (table[column] > 0).any()
    ]
    totals = [
        {
            "x": ttft / unit_ms,
            "y": band,
            "text": milliseconds(ttft),
            "showarrow": False,
            "xanchor": "left",
            "xshift": 4,
            "font": {"size": 12, "color": surface.quiet},
        }
        for band, ttft in zip(bands, table["ttft_ms"].tolist(), strict=True)
    ]
    longest = longest_ms / unit_ms
    slo = [slo_ms / unit_ms] if slo_ms <= longest_ms else []
    named = [above(at, f"SLO {milliseconds(slo_ms)}", surface.slo, anchor="left") for at in slo]
    return figure(
        data,
        {
            "title": {"text": f"Waits by TTFT: {short_label(name)}"},
            "barmode": "stack",
            "bargap": 0.3,
            "height": 190 + BAR_PX * len(bands),
            "dragmode": False,
            "legend": {"traceorder": "normal"},
            "xaxis": {"title": {"text": f"mean of the band [{unit}]"}, "range": [0, longest * 1.18 or 1.0]},
            "yaxis": {"autorange": "reversed", "ticks": "", "showgrid": False, "type": "category"},
            "shapes": [upright(at, surface.slo) for at in slo],
            "annotations": [*totals, *named],
        },
        mode,
    )
