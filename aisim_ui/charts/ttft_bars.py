"""TTFT by part, a bar a deployment, with the SLO: the timeline of one request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from aisim_model.ttft_parts import PARTS
from aisim_ui.charts.figure import figure
from aisim_ui.charts.marks import above, slo_upright
from aisim_ui.theme import SURFACES, Mode, Surface, faded, row_color
from aisim_ui.words import name_label

if TYPE_CHECKING:
    import pandas as pd

    from aisim_ui.columns import Columns

# the handoff stands out in the row's full colour, compute is paler; patterns tell them apart without colour
STYLES = {
    "queue_ms": (0.2, "."),
    "prefill_ms": (0.35, ""),
    "orchestration_ms": (1.0, "x"),
    "reservation_ms": (0.6, "x"),
    "link_queue_ms": (0.6, "."),
    "transfer_ms": (1.0, ""),
    "activation_ms": (0.6, "-"),
    "decode_step_ms": (0.6, "/"),
}
DRAWN_PARTS = tuple((part.name, part.label, *STYLES.get(part.name, (0.6, "+"))) for part in PARTS)
BAR_PX = 46
FAR = 4.0  # an SLO this many times the longest bar would leave nothing of the bars


def ttft_bars(
    table: pd.DataFrame | Columns, colors: list[int], selected_id: str, ttft_slo_ms: float, mode: Mode
) -> go.Figure:
    """Draw TTFT by part.

    Parameters
    ----------
    table : DataFrame or Columns
        As `aisim_model.compare.table` makes it, a row a deployment.
    colors : list of int
        Palette slots of the rows, in the same order.
    selected_id : str
        Row to mark.
    ttft_slo_ms : float
        Where the SLO line stands [ms].
    mode : {"light", "dark"}
        Surface.
    """
    surface = SURFACES[mode]
    shades = [row_color(slot) for slot in colors]
    labels = [
        f"<b>{name_label(name)} ◂</b>" if row_id == selected_id else name_label(name)
        for row_id, name in zip(table["deployment_id"], table["deployment"], strict=True)
    ]
    ids = list(table["deployment_id"])
    data = [_untimed(table, surface)]
    for column, name, strength, pattern in DRAWN_PARTS:
        values = list(table[column])
        if not any(value > 0 for value in values):
            continue
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": name,
                "y": ids,
                "x": [value if value > 0 else None for value in values],
                "customdata": ids,
                "marker": {
                    "color": [faded(shade, strength, mode) for shade in shades],
                    "pattern": {"shape": pattern, "solidity": 0.35},
                },
                "hovertemplate": f"{name}: %{{x:,.2f}} ms<extra></extra>",
                "showlegend": False,
                "selected": {"marker": {"opacity": 1}},
                "unselected": {"marker": {"opacity": 1}},
            }
        )
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": name,
                "y": [ids[0]],
                "x": [None],
                "marker": {
                    "color": faded(surface.quiet, strength, mode),
                    "pattern": {"shape": pattern, "solidity": 0.35},
                },
                "hoverinfo": "skip",
            }
        )
    times = (table[name] for name in ("ttft_ms", "handoff_ms", "slowest_handoff_ms"))
    slow = [ttft - handoff + slowest for ttft, handoff, slowest in zip(*times, strict=True)]
    if any(value == value for value in slow):
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "at the lowest bandwidth reached",
                "x": [value if value == value else None for value in slow],
                "y": ids,
                "customdata": ids,
                "marker": {"symbol": "diamond-open", "size": 10, "color": shades, "line": {"width": 2}},
                "hovertemplate": "at the lowest bandwidth reached: %{x:,.1f} ms<extra></extra>",
            }
        )
    longest = max((time for time in (*table["ttft_ms"], *slow) if time == time), default=0.0)
    far = ttft_slo_ms > FAR * longest > 0
    return figure(
        data,
        {
            "title": {"text": "TTFT by part: one request, idle system"},
            "barmode": "stack",
            "bargap": 0.35,
            "legend": {"traceorder": "normal"},  # as the parts follow each other in a bar
            "height": 180 + BAR_PX * max(len(ids), 2),
            "xaxis": {
                "title": {"text": "time to first token [ms]"},
                "rangemode": "tozero",
                "nticks": 5,
                "separatethousands": False,  # room for three labels on a phone
            }
            | ({"range": [0, longest * 1.08]} if far else {}),
            "yaxis": {
                "autorange": "reversed",
                "tickmode": "array",
                "tickvals": ids,
                "ticktext": labels,
                "ticks": "",
                "showgrid": False,
                "type": "category",
            },
            "clickmode": "event+select",
            "dragmode": False,
            **(_slo_beyond(ttft_slo_ms, surface) if far else slo_upright(ttft_slo_ms, surface)),
        },
        mode,
    )


def _untimed(table: pd.DataFrame | Columns, surface: Surface) -> dict[str, Any]:
    """Keep every row in its place, and say in place of a bar why one has none."""
    columns = (table[name] for name in ("ttft_ms", "fits"))
    said = [
        "" if ttft_ms == ttft_ms else " no delay is known" if fits else " doesn't fit its GPUs"
        for ttft_ms, fits in zip(*columns, strict=True)
    ]
    return {
        "type": "scatter",
        "mode": "text",
        "name": "without a time",
        "y": list(table["deployment_id"]),
        "x": [0] * len(said),
        "text": said,
        "textposition": "middle right",
        "textfont": {"color": surface.quiet, "size": 13},
        "customdata": list(table["deployment_id"]),
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _slo_beyond(slo_ms: float, surface: Surface) -> dict[str, Any]:
    """Return a note that the SLO lies beyond the right end of the axis."""
    note = above(1, f"SLO {slo_ms:,.10g} ms →", surface.slo, anchor="right")
    return {"annotations": [{**note, "xref": "paper"}]}
