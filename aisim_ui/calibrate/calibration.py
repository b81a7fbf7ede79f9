"""Calibration on a page: what was given, its fit, and the rows that use it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from aisim_model.calibration import Calibration, CalibrationFit, calibrate, read_measurements
from aisim_model.catalog.measurements import published_measurements
from aisim_model.scenario import Scenario

EXAMPLE_GROUP = "qwen3-8b-h800"


@st.cache_data(max_entries=16, show_spinner="Fitting")
def fitted(
    source: bytes, kv_bytes_per_token: float | None, tensor_parallel: int | None, lanes: float
) -> CalibrationFit:
    """Read measurements and fit them.

    Raises
    ------
    InputError
        As `read_measurements` and `calibrate`.
    """
    rows = read_measurements(source, kv_bytes_per_token=kv_bytes_per_token, tensor_parallel=tensor_parallel)
    return calibrate(rows, lanes)


def example() -> str:
    """Return nine published transfers of Qwen3-8B over 8 x 200G RoCE, as text to paste."""
    rows = [row for row in published_measurements() if row.id.startswith(EXAMPLE_GROUP)]
    lines = [f"{row.tokens * row.kv_bytes_per_token:.0f},{row.reported:g}" for row in rows]
    return "\n".join(("bytes,milliseconds", *lines))


def table(fit: CalibrationFit) -> pd.DataFrame:
    """Every row given, with its fitted time, relative error and weight."""
    given = fit.measurements
    return pd.DataFrame(
        {
            "row": given.rows,
            "bytes": given.bytes_sent,
            "measured_ms": given.milliseconds,
            "predicted_ms": fit.predicted_ms,
            "relative_error": fit.relative_error,
            "weight": fit.weight,
        }
    )


def use(scenario: Scenario, told: Calibration, row_ids: list[str]) -> Scenario:
    """Return the scenario with a calibration on some of its rows, where it travels in a link.

    A row prices descriptors: the cost of a block is shared out over those that a block is of its model.
    """
    tensors = scenario.workload.served.kv.cache_tensors if told.counted == "blocks" else 1
    values: dict[str, Any] = {
        "link_model": "calibrated",
        "bandwidth_gb_s": told.bandwidth_gb_s,
        "alpha_ms": told.alpha_ms,
        "per_descriptor_us": told.per_descriptor_us / max(tensors, 1),
        "link_efficiency": 1.0,
    }
    for row_id in row_ids:
        scenario = scenario.with_row(row_id, **values)
    return scenario


def users(scenario: Scenario, told: Calibration) -> list[str]:
    """Return the ids of the split rows that have a calibration as it is."""
    return [row.id for row in scenario.deployments if row.split and use(scenario, told, [row.id]) == scenario]
