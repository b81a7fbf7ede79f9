"""Deployments: which of my choices meets the SLO, and what does each cost against a baseline?"""

import pandas as pd
import streamlit as st

from aisim_model.compare.table import compare
from aisim_ui.charts.difference_bars import difference_bars
from aisim_ui.charts.tornado import tornado
from aisim_ui.charts.ttft_bars import ttft_bars
from aisim_ui.deployments.advanced import advanced
from aisim_ui.deployments.moved import moved_inputs
from aisim_ui.deployments.results import SAYS, VIEWS
from aisim_ui.deployments.row_table import row_table
from aisim_ui.deployments.rows import row_buttons, row_choices
from aisim_ui.frame import answer, chart, mode, select_row
from aisim_ui.frame import table as draw_table
from aisim_ui.inputs import number
from aisim_ui.navigation import require_app
from aisim_ui.place import Place
from aisim_ui.sentences.deployments import (
    matters_sentence,
    meets_sentence,
    misfit_sentences,
    off_at_engine_level,
    ranked_list,
    unequal_sentence,
)
from aisim_ui.sentences.ranking import compared
from aisim_ui.sentences.rivals import disagreement
from aisim_ui.state import state

require_app()

SECOND = ("Against the baseline", "What moves TTFT")

scenario = state().scenario
outcomes = compare(scenario)
selected = next(one for one in outcomes if one.row.id == scenario.selected_id)
found = pd.DataFrame(compared(scenario, outcomes))
colors = [row.color for row in scenario.deployments]

answer(meets_sentence(scenario, outcomes))
for sentence in misfit_sentences(outcomes):
    st.warning(sentence, icon=":material/memory:")
row_choices()
row_table(scenario)
if unequal := unequal_sentence(scenario):
    st.caption(f":orange-badge[unequal] {unequal}")
row_buttons(scenario)
advanced(selected)

bars = ttft_bars(found, colors, scenario.selected_id, scenario.workload.ttft_slo_ms, mode())
chart(bars, found, "deployments.bars", pick=select_row)
moved = moved_inputs(scenario.workload, scenario.selected)
if misfit := selected.memory.problem is not None:
    moved = moved.head(0)  # times that it can't have
st.markdown(matters_sentence(scenario.selected.name, moved, misfit))
if not selected.memory.problem and (apart := disagreement(selected.x)):
    st.caption(f":orange-badge[models disagree] {apart}")
second = st.segmented_control("Chart", SECOND, key="deployments.second", default=SECOND[0], required=True)
if second == SECOND[0]:
    chart(difference_bars(found, colors, scenario.baseline.name, mode()), found, "deployments.difference")
elif len(moved):
    chart(
        tornado(moved, scenario.selected.name, scenario.selected.color, mode()), moved, "deployments.tornado"
    )

left, right = st.columns((3, 1), vertical_alignment="bottom")
view = left.segmented_control(
    "Results", list(VIEWS), key="deployments.view", default="One request", required=True
)
with right:
    number(Place("workload.arrivals_per_s"), "deployments")
ranked = found.sort_values("rank")
draw_table(ranked if view == "Cost and rank" else found, VIEWS[view], "deployments", "deployments.table")
st.caption(SAYS[view])
if view == "Under load (estimate)" and (off := off_at_engine_level(selected)):
    st.caption(off)
if view == "Cost and rank":
    st.markdown(ranked_list(ranked))
