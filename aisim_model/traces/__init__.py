"""Traffic: request traces of every format as one table, and synthetic ones."""

from aisim_model.traces.examples import EXAMPLES, ExampleTrace, example_trace
from aisim_model.traces.faults import BadRowsError, RowFault
from aisim_model.traces.reader import read_trace, trace_columns
from aisim_model.traces.registry import FORMATS
from aisim_model.traces.report import TraceReport
from aisim_model.traces.slices import slice_warning
from aisim_model.traces.synthetic import (
    FixedLength,
    LengthOfTrace,
    LognormalLength,
    SyntheticTraffic,
    synthetic_trace,
)
from aisim_model.traces.trace import Trace

__all__ = [
    "EXAMPLES",
    "FORMATS",
    "BadRowsError",
    "ExampleTrace",
    "FixedLength",
    "LengthOfTrace",
    "LognormalLength",
    "RowFault",
    "SyntheticTraffic",
    "Trace",
    "TraceReport",
    "example_trace",
    "read_trace",
    "slice_warning",
    "synthetic_trace",
    "trace_columns",
]
