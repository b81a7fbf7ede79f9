"""One field of a scenario: a line a deployment, both modes and the measured band of the selected one."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from aisim_ui.charts.axes import axis
from aisim_ui.charts.figure import figure
from aisim_ui.charts.marks import across, stripe
from aisim_ui.theme import SURFACES, Mode, row_color, translucent
from aisim_ui.words import label, name_label

STYLES = {"row": "solid", "other mode": "dash", "measured low": "dot"}


def sweep_curves(
    table: pd.DataFrame,
    colors: dict[str, int],
    selected_id: str,
    across: str,
    quantity: str,
    unit: str,
    log: tuple[bool, bool],
    limit: tuple[float, str] | None,
    mode: Mode,
) -> go.Figure:
    """Draw a quantity over one field.

    Parameters
    ----------
    table : DataFrame
        As `aisim_ui.explore.picture.curves` makes it.
    colors : dict
        Palette slot of each row.
    selected_id : str
        Row whose other mode and band are in the table.
    across, quantity, unit : str
        What the axes show, and the quantity's unit.
    log : tuple of bool
        Whether each axis is logarithmic.
    limit : tuple of float and str, optional
        A level to draw across, and its name.
    mode : {"light", "dark"}
        Surface.
    """
    data, share = [], not unit
    for (row_id, series), line in table.groupby(["deployment_id", "series"], sort=False):
        color = row_color(colors[str(row_id)])
        name = name_label(line["deployment"].iloc[0])
        y = line["value"]
        drawn = y.notna() & ((y > 0) | (not log[1]))
        if not drawn.any():
            continue  # a row that hands nothing over has no handoff to draw
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",  # markers are what can be clicked
                "name": name if series == "row" else f"{name}: {line['label'].iloc[0]}",
                "x": line["x"].tolist(),
                "y": y.astype(object).where(drawn, None).tolist(),
                "customdata": [row_id] * len(line),
                "marker": {"opacity": 0, "size": 12, "color": color},
                "selected": {"marker": {"opacity": 0}},
                "unselected": {"marker": {"opacity": 0}},
                "line": {
                    "color": color,
                    "width": 3.5 if row_id == selected_id and series == "row" else 2,
                    "dash": STYLES[str(series)],
                },
                "fill": "tonexty" if series == "measured low" else "none",
                "fillcolor": translucent(color),
                "hovertemplate": "%{x:,.4~g}: " + ("%{y:.3~p}" if share else f"%{{y:,.3~g}} {unit}"),
            }
        )
    stripe(data)
    values = [*table["value"], *([] if limit is None else [limit[0]])]
    layout: dict[str, Any] = {
        "title": {"text": f"{quantity} over {_inside(across)}"},
        "height": 500,
        "hovermode": "closest",
        "clickmode": "event+select",
        "dragmode": False,
        "showlegend": True,
        "xaxis": axis(across, log[0], table["x"]),
        "yaxis": axis(f"{quantity} [{unit}]" if unit else quantity, log[1], values)
        | ({"tickformat": ".3~p"} if share else {}),
    }
    if limit is not None:
        layout |= level(limit, log[1], SURFACES[mode].slo, mode)
    return figure(data, layout, mode)


def _inside(name: str) -> str:
    """Write a field's name within a sentence: "Prompt" begins small, "MFU" and "KV bytes" don't."""
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def level(limit: tuple[float, str], log: bool, color: str, mode: Mode) -> dict[str, Any]:
    """A line across at a level, with its name, which is read over lines that cross it."""
    value, name = limit
    return {
        "shapes": [across(value, color)],
        "annotations": [
            {
                "x": 1,
                "xref": "paper",
                "y": math.log10(value) if log else value,  # annotations on log axes take the exponent
                "text": label(name),
                "showarrow": False,
                "xanchor": "right",
                "yanchor": "bottom",
                "font": {"color": color, "size": 12},
                "bgcolor": SURFACES[mode].background,
                "yshift": 2,
            }
        ],
    }
