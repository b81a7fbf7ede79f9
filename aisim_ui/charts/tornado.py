"""What moves TTFT: a bar an input from one end of its range to the other, the widest first."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.figure import figure
from aisim_ui.charts.marks import upright
from aisim_ui.fields import unit_of
from aisim_ui.theme import SURFACES, Mode, faded, row_color
from aisim_ui.words import short_label, significant

BAR_PX = 34
MOST_BARS = 8


def tornado(moved: pd.DataFrame, row_name: str, color: int, mode: Mode) -> go.Figure:
    """Draw TTFT over each input's range.

    Parameters
    ----------
    moved : DataFrame
        As `aisim_model.compare.sensitivity.tornado` makes it.
    row_name : str
        Name of the row.
    color : int
        Its slot in the palette.
    mode : {"light", "dark"}
        Surface.
    """
    surface, shade = SURFACES[mode], row_color(color)
    shown = moved.head(MOST_BARS)
    units = [unit_of(name) for name in shown["input"]]
    base_ms = float(shown["ttft_ms"].iloc[0]) if len(shown) else 0.0
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "name": f"at the {end} end of the range",
            "y": shown["label"].tolist(),
            "base": base_ms,
            "x": (shown[f"{end}_ttft_ms"] - base_ms).tolist(),
            "marker": {
                "color": faded(shade, strength, mode),
                "pattern": {"shape": pattern, "solidity": 0.35},
            },
            "customdata": [
                [f"{significant(value)} {unit} ({range_is})".replace("  ", " "), ttft_ms]
                for value, unit, range_is, ttft_ms in zip(
                    shown[end], units, shown["range_is"], shown[f"{end}_ttft_ms"], strict=True
                )
            ],
            "hovertemplate": "%{y} at %{customdata[0]}: TTFT %{customdata[1]:,.4g} ms<extra></extra>",
        }
        for end, strength, pattern in (("low", 0.5, "/"), ("high", 1.0, ""))
    ]
    return figure(
        bars,
        {
            "title": {"text": f"What moves TTFT: {short_label(row_name)}"},
            "barmode": "overlay",
            "bargap": 0.3,
            "height": 190 + BAR_PX * max(len(shown), 2),
            "dragmode": False,
            "xaxis": {"title": {"text": "time to first token [ms]"}},
            "yaxis": {
                "autorange": "reversed",
                "type": "category",
                "tickmode": "array",
                "tickvals": shown["label"].tolist(),
                "ticktext": [
                    f"{name}<br><sub>{significant(low)} to {significant(high)} {unit}</sub>"
                    for name, low, high, unit in zip(
                        shown["label"], shown["low"], shown["high"], units, strict=True
                    )
                ],
                "ticks": "",
                "showgrid": False,
            },
            "shapes": [upright(base_ms, surface.quiet, 1, "solid")],
        },
        mode,
    )
