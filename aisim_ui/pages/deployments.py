"""Deployments: which of my choices meets the SLO, and what does each cost against a baseline?"""

import streamlit as st

from aisim_model.compare import compare, table
from aisim_model.presets import ROWS, added
from aisim_ui.charts.difference_bars import difference_bars
from aisim_ui.charts.ttft_bars import ttft_bars
from aisim_ui.frame import chart, mode
from aisim_ui.frame import table as draw_table
from aisim_ui.rows import baseline_choice, row_buttons
from aisim_ui.state import attempt, state
from aisim_ui.tables import for_people, settings
from aisim_ui.verdict import meets_sentence


def add() -> None:
    if name := st.session_state["deployments.add"]:
        attempt("deployments", name, lambda scenario: added(scenario, name))
        st.session_state["deployments.add"] = None


scenario = state().scenario
outcomes = compare(scenario)
found = table(scenario, outcomes)
colors = [row.color for row in scenario.deployments]

st.markdown(f"#### {meets_sentence(scenario, outcomes)}")
left, middle, right = st.columns(3, vertical_alignment="bottom")
left.selectbox(
    "Add a deployment",
    list(ROWS),
    index=None,
    placeholder="from presets",
    key="deployments.add",
    on_change=add,
)
with middle:
    baseline_choice(scenario)
with right:
    row_buttons(scenario)
bars = ttft_bars(found, colors, scenario.selected_id, scenario.workload.ttft_slo_ms, mode())
chart(bars, found, "deployments.bars", pick=True)
chart(difference_bars(found, colors, scenario.baseline.name, mode()), found, "deployments.difference")
draw_table(found, for_people(found), "deployments", "deployments.table", column_config=settings())
