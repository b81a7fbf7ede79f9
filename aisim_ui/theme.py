"""Colours and the one Plotly template: the same in the app, in pictures and in reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

Mode = Literal["light", "dark"]

# Paul Tol's "bright" and "vibrant" schemes, told apart with the common kinds of colour blindness
ROW_COLORS = (
    "#777777",
    "#4477AA",
    "#228833",
    "#EE7733",
    "#CC3311",
    "#AA3377",
    "#33BBEE",
    "#009988",
    "#BBAA22",
    "#EE3377",
)
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True)
class Surface:
    """What lies behind and between the data of a chart."""

    background: str
    text: str
    quiet: str
    grid: str
    slo: str


SURFACES = {
    "light": Surface("#FFFFFF", "#1B2733", "#5B6875", "#E3E8ED", "#B00020"),
    "dark": Surface("#10161D", "#E6EDF3", "#9AA7B4", "#2A3440", "#FF8A80"),
}


def row_color(slot: int) -> str:
    """Colour of a deployment row: its slot's, the same on every page."""
    return ROW_COLORS[slot % len(ROW_COLORS)]


def faded(color: str, strength: float, mode: Mode) -> str:
    """Blend a colour into the surface: a tint that a legend and a saved picture show as it is."""
    back = SURFACES[mode].background
    channels = (
        round(int(color[i : i + 2], 16) * strength + int(back[i : i + 2], 16) * (1 - strength))
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02X}" for channel in channels)


def translucent(color: str) -> str:
    """Return a colour that what lies beneath is seen through: of a band between two lines."""
    return f"rgba({','.join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))},0.12)"


@cache
def template(mode: Mode) -> dict[str, Any]:
    """The template that every figure carries."""
    surface = SURFACES[mode]
    axis = {
        "gridcolor": surface.grid,
        "linecolor": surface.quiet,
        "zeroline": False,
        "ticks": "outside",
        "tickcolor": surface.grid,
        "title": {"font": {"size": 13, "color": surface.quiet}},
        "automargin": True,
        "separatethousands": True,
    }
    return {
        "layout": {
            "font": {"family": FONT, "size": 13, "color": surface.text},
            "paper_bgcolor": surface.background,
            "plot_bgcolor": surface.background,
            "colorway": list(ROW_COLORS[1:]),
            "title": {
                "x": 0,
                "xanchor": "left",
                "xref": "container",
                "y": 1,
                "yanchor": "top",
                "pad": {"l": 8, "t": 30},  # below the mode bar, also where the page is narrow
                "font": {"size": 15},
            },
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {"font": {"family": FONT, "size": 13}},
            "legend": {
                "orientation": "h",
                "yref": "container",
                "y": 0,
                "yanchor": "bottom",
                "x": 0,
                "xref": "container",
                "font": {"size": 12},
            },
            "margin": {"l": 8, "r": 16, "t": 76, "b": 92},
        }
    }
