"""How a chart behaves in a browser: a button that saves it, none that sends it anywhere."""

from __future__ import annotations

from typing import Any

from aisim_ui.exports import file_name

MODE_BAR = (
    "zoom2d",
    "pan2d",
    "select2d",
    "lasso2d",
    "zoomIn2d",
    "zoomOut2d",
    "autoScale2d",
    "sendChartToCloud",
)


def chart_config(title: str, picture: str) -> dict[str, Any]:
    """How a chart behaves: a button that saves it as a picture, nothing that leaves the machine."""
    return {
        "displaylogo": False,
        "displayModeBar": True,
        "modeBarButtonsToRemove": list(MODE_BAR),
        "responsive": True,
        "toImageButtonOptions": {
            "format": picture,
            "filename": file_name(title, picture).rsplit(".", 1)[0],
            "scale": 2,
        },
    }
