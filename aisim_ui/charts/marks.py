"""Lines that mark a value on a chart (the SLO, where the scenario stands), and what is written at them."""

from __future__ import annotations

import math
from typing import Any, Literal

from aisim_ui.theme import Surface

Dash = Literal["solid", "dash", "dot"]
STRIPE_PX = 10


def upright(x: float, color: str, width: float = 2, dash: Dash = "dash") -> dict[str, Any]:
    """Return a line from bottom to top at a value of the x axis."""
    ends = {"xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1}
    return {"type": "line", **ends, "line": {"color": color, "width": width, "dash": dash}}


def across(y: float, color: str, width: float = 2, dash: Dash = "dash") -> dict[str, Any]:
    """Return a line from left to right at a value of the y axis."""
    ends = {"xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": y, "y1": y}
    return {"type": "line", **ends, "line": {"color": color, "width": width, "dash": dash}}


def above(x: float, text: str, color: str, *, log: bool = False, anchor: str = "center") -> dict[str, Any]:
    """Return a note at the upper end of an upright line."""
    return {
        "x": math.log10(x) if log else x,  # notes on log axes take the exponent, lines don't
        "y": 1,
        "xref": "x",
        "yref": "paper",
        "text": text,
        "showarrow": False,
        "xanchor": anchor,
        "yanchor": "bottom",
        "font": {"color": color, "size": 12},
    }


def slo_upright(slo_ms: float, surface: Surface, *, log: bool = False) -> dict[str, Any]:
    """Return what a layout needs for an SLO on the x axis: its line and its name."""
    note = above(slo_ms, f"SLO {slo_ms:,.10g} ms", surface.slo, log=log, anchor="right")
    return {"shapes": [upright(slo_ms, surface.slo)], "annotations": [note]}


def prompt_upright(prompt_tokens: int, surface: Surface) -> dict[str, Any]:
    """Return what a layout needs to say where the scenario's prompt stands on a log axis."""
    line = upright(prompt_tokens, surface.quiet, 1, "dot")
    note = above(
        prompt_tokens, f"{prompt_tokens:,} token{'s' if prompt_tokens != 1 else ''}", surface.quiet, log=True
    )
    return {"shapes": [line], "annotations": [note]}


def stripe(lines: list[dict[str, Any]]) -> None:
    """Let solid lines that are the same make one striped line, so that none hides another.

    Examples
    --------
    >>> same = [{"x": (1, 2), "y": (3, 4), "line": {"color": color}} for color in ("red", "blue")]
    >>> stripe(same)
    >>> [line["line"]["dash"] for line in same]
    ['solid', '10px,10px']
    """
    solid = [line for line in lines if line["line"].get("dash", "solid") == "solid"]
    curves = [(tuple(line["x"]), tuple(line["y"])) for line in solid]
    for at, (line, curve) in enumerate(zip(solid, curves, strict=True)):
        alike, before = curves.count(curve), curves[:at].count(curve)
        dash = f"{STRIPE_PX * (alike - before)}px,{STRIPE_PX * before}px" if before else "solid"
        line["line"]["dash"] = dash
