"""Handoff: what does it cost my model, prompt and link, and what share of TTFT is it?"""

import streamlit as st

from aisim_model.compare.columns import HANDOFF, RIVALS
from aisim_model.compare.table import compare
from aisim_model.scenario import Scenario
from aisim_ui.charts.delay_curve import delay_curve
from aisim_ui.charts.ttft_bars import ttft_bars
from aisim_ui.frame import answer, chart, mode, select_row
from aisim_ui.frame import numbers as draw_numbers
from aisim_ui.frame import table as draw_table
from aisim_ui.handoff.badges import inputs_line
from aisim_ui.handoff.curves import delay_over_prompt
from aisim_ui.handoff.selected_row import selected_row
from aisim_ui.navigation import require_app
from aisim_ui.operators import tabulate_for_rivals
from aisim_ui.sentences.handoff import numbers, sentence
from aisim_ui.sentences.ranking import compared
from aisim_ui.sentences.rivals import disagreement, rivals_table
from aisim_ui.state import state

require_app()

scenario: Scenario = state().scenario
outcomes = compare(scenario)
selected = next(one for one in outcomes if one.row.id == scenario.selected_id)
found = compared(scenario, outcomes)
colors = {row.id: row.color for row in scenario.deployments}

answer(sentence(selected, scenario.workload))
draw_numbers(numbers(selected, scenario.workload))
by_hand = scenario.workload.kv_bytes_per_token is not None or selected.row.kv_bytes_per_token is not None
st.caption(inputs_line(selected, by_hand))
if not selected.memory.problem and (apart := disagreement(selected.x)):
    st.caption(f":orange-badge[models disagree] {apart}")

selected_row(scenario, selected)
bars = ttft_bars(found, list(colors.values()), scenario.selected_id, scenario.workload.ttft_slo_ms, mode())
chart(bars, found, "handoff.bars", pick=select_row)
lines = delay_over_prompt(scenario)
chart(
    delay_curve(lines, colors, scenario.selected_id, scenario.workload.prompt_tokens, mode()),
    lines,
    "handoff.curve",
)
draw_table(found, HANDOFF, "deployments", "handoff.table")
if st.toggle("Say which model made each number, beside its rivals", key="handoff.rivals.shown"):
    tabulate_for_rivals(selected.x)
    draw_table(rivals_table(selected.x), RIVALS, "rival models", "handoff.rivals")
