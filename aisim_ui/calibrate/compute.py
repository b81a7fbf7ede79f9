"""The compute side of Calibrate: runs of a benchmark fitted to the selected row, and used in it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from aisim_model.calibration.benchmark_runs import read_runs
from aisim_model.calibration.compute_fit import ComputeFit, fit_compute
from aisim_model.compare.columns import RUNS
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_ui.frame import numbers as draw_numbers
from aisim_ui.frame import table as draw_table
from aisim_ui.sentences.compute_fit import numbers, untold
from aisim_ui.state import attempt, state
from aisim_ui.words import escape_markdown


@st.cache_data(max_entries=16, show_spinner="Fitting the row's passes")
def fitted(source: bytes, workload: Workload, row: Deployment) -> ComputeFit:
    """Read runs and fit a row to them.

    Raises
    ------
    InputError
        As `read_runs` and `fit_compute`.
    """
    return fit_compute(workload, row, read_runs(source))


def use(scenario: Scenario, fit: ComputeFit, row_id: str) -> Scenario:
    """Return the scenario with a fit as the row's own roofline, where it travels in a link."""
    return scenario.with_row(row_id, **fit.row_fields)


def show(fit: ComputeFit) -> None:
    """Draw what was found, a way to use it, and every run."""
    scenario = state().scenario
    row = scenario.selected
    draw_numbers(numbers(fit))
    if said := untold(fit):
        st.info(said, icon=":material/info:")
    used = use(scenario, fit, row.id) == scenario
    st.button(
        f"Time {row.name} by it",
        type="primary",
        disabled=used,
        on_click=attempt,
        args=("calibration", f"Time {row.name} by it", lambda now: use(now, fit, row.id)),
    )
    if used:
        name = escape_markdown(row.name)
        st.success(
            f"Times of {name} are yours now, on every page and in the link. Undo takes it back.",
            icon=":material/check:",
        )
    st.caption(
        "Fitted to the selected row: its GPU, ranks, workers, formats and engine are taken to be those that "
        "were measured. Before: by the constants of published silicon."
    )
    draw_table(pd.DataFrame(list(fit.rows)), RUNS, "Benchmark runs", "calibrate.runs")
