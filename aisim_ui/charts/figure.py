"""The one way a figure is made: its data and layout as they are, under our template."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from aisim_ui.theme import Mode, template


def figure(data: list[dict[str, Any]], layout: dict[str, Any], mode: Mode) -> go.Figure:
    """Make a figure.

    Parameters
    ----------
    data : list of dict
        Traces.
    layout : dict
        What the template doesn't say.
    mode : {"light", "dark"}
        Surface.
    """
    # Plotly's validation takes longer than all else of a page; tests validate each chart once instead
    return go.Figure({"data": data, "layout": {"template": template(mode), **layout}}, _validate=False)
