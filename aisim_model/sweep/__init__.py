"""The model over any one, two or three fields of a scenario, across its deployments, at any size."""

from aisim_model.sweep.axes import MAX_POINTS, Axis, Listed, Range, fields, read_axis
from aisim_model.sweep.columns import COLUMNS
from aisim_model.sweep.grid import Sweep, swept, values
from aisim_model.sweep.table import frame

__all__ = [
    "COLUMNS",
    "MAX_POINTS",
    "Axis",
    "Listed",
    "Range",
    "Sweep",
    "fields",
    "frame",
    "read_axis",
    "swept",
    "values",
]
