"""What is done to whole rows: compare to one, duplicate, remove."""

from __future__ import annotations

import streamlit as st

from aisim_model.presets import appended
from aisim_model.scenario import Scenario
from aisim_ui.state import attempt
from aisim_ui.words import literal

BASELINE = "rows.baseline"


def baseline_choice(scenario: Scenario) -> None:
    """Draw the choice of the row that others are compared to."""
    names = {row.id: row.name for row in scenario.deployments}
    if st.session_state.get(BASELINE) != scenario.baseline_id:
        st.session_state[BASELINE] = scenario.baseline_id
    st.selectbox(
        "Compare to",
        list(names),
        key=BASELINE,
        format_func=lambda row_id: names.get(row_id, row_id),
        on_change=_picked,
        help="Differences are against this row.",
    )


def _picked() -> None:
    chosen = st.session_state[BASELINE]
    attempt("baseline_id", chosen, lambda scenario: scenario.changed(baseline_id=chosen))


def row_buttons(scenario: Scenario) -> None:
    """Draw what can be done to the selected row."""
    with st.container(horizontal=True):
        st.button(
            "Duplicate",
            key="rows.duplicate",
            icon=":material/content_copy:",
            help=f"A copy of {literal(scenario.selected.name)}, selected.",
            on_click=attempt,
            args=("deployments", "", lambda now: appended(now, now.selected)),
        )
        st.button(
            "Remove",
            key="rows.remove",
            icon=":material/delete:",
            help=f"Takes {literal(scenario.selected.name)} out; Undo brings it back.",
            disabled=len(scenario.deployments) == 1,
            on_click=attempt,
            args=("deployments", "", without_selected),
        )


def without_selected(scenario: Scenario) -> Scenario:
    """Return the scenario without its selected row; the first one left is selected."""
    left = tuple(row for row in scenario.deployments if row.id != scenario.selected_id)
    baseline = scenario.baseline_id if scenario.baseline_id != scenario.selected_id else left[0].id
    return scenario.changed(deployments=left, selected_id=left[0].id, baseline_id=baseline)
