"""Measured transfers to alpha, bandwidth and the cost of a descriptor."""

from aisim_model.calibration.fit import Calibration, CalibrationFit, calibrate
from aisim_model.calibration.log_lines import read_transfer_log
from aisim_model.calibration.measurements import Measurements, measured
from aisim_model.calibration.reader import read_decode_table, read_measurements, read_prefill_table

__all__ = [
    "Calibration",
    "CalibrationFit",
    "Measurements",
    "calibrate",
    "measured",
    "read_decode_table",
    "read_measurements",
    "read_prefill_table",
    "read_transfer_log",
]
