"""Traffic: request traces of every format as one table, and synthetic ones."""

from aisim_model.traces.trace import Trace, slice_warning

__all__ = ["Trace", "slice_warning"]
