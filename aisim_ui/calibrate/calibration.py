"""Calibration on a page: what was given, its fit, and the rows that use it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from aisim_model.calibration import Calibration, CalibrationFit, calibrate, read_measurements
from aisim_model.catalog.measurements import published_measurements
from aisim_model.scenario import Scenario
from aisim_ui.answers import Number
from aisim_ui.words import percent, significant

HOW = (
    "Time is start-up plus size over bandwidth, plus the cost of each descriptor where they are counted; "
    "fitted by relative error, robust to a few odd rows. The interval comes from resampled residuals; as "
    "many rows as unknowns leave none."
)
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


def sentence(fit: CalibrationFit) -> str:
    """Say what the fit found and how well it is known."""
    told = fit.calibration
    worst = percent(fit.max_relative_error).replace("<", "less than ")
    bandwidth = f"{significant(told.bandwidth_gb_s)} GB/s"
    return (
        f"**A transfer costs {significant(told.alpha_ms)} ms to start, then goes at {bandwidth}**; "
        f"the worst of {len(fit.measurements)} rows is off by {worst}."
    )


def numbers(fit: CalibrationFit) -> tuple[Number, ...]:
    """Each fitted number with its 95% interval, and the largest error."""
    told = fit.calibration
    bandwidth = f"{significant(told.bandwidth_gb_s)} GB/s"
    found = [
        _fitted("Start-up", f"{significant(told.alpha_ms)} ms", fit.alpha_ms_interval),
        _fitted("Bandwidth", bandwidth, fit.bandwidth_gb_s_interval),
    ]
    if fit.measurements.descriptors is not None:
        dropped = fit.per_descriptor_us_interval is None and told.per_descriptor_us == 0
        cost = "not told apart" if dropped else f"{significant(told.per_descriptor_us)} µs"
        label = "Per block" if told.counted == "blocks" else "Per descriptor"
        found.append(_fitted(label, cost, fit.per_descriptor_us_interval))
    unseen = fit.max_leave_one_out_error
    beside = "too few rows to leave one out" if unseen is None else f"{percent(unseen)} on a row left out"
    how = "Fitted over measured time, less 1: of the row that is furthest off."
    return (*found, Number("Largest error", percent(fit.max_relative_error), beside, how))


def _fitted(label: str, value: str, bounds: tuple[float, float] | None) -> Number:
    beside = "no interval"
    if bounds is not None:
        beside = f"95%: {significant(bounds[0])} to {significant(bounds[1])}"
    return Number(label, value, beside, HOW)


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
    pieces = scenario.workload.served.kv.cache_tensors if told.counted == "blocks" else 1
    values: dict[str, Any] = {
        "link_model": "calibrated",
        "bandwidth_gb_s": told.bandwidth_gb_s,
        "alpha_ms": told.alpha_ms,
        "per_descriptor_us": told.per_descriptor_us / max(pieces, 1),
        "link_efficiency": 1.0,
    }
    for row_id in row_ids:
        scenario = scenario.with_row(row_id, **values)
    return scenario


def users(scenario: Scenario, told: Calibration) -> list[str]:
    """Return the ids of the split rows that have a calibration as it is."""
    return [row.id for row in scenario.deployments if row.split and use(scenario, told, [row.id]) == scenario]
