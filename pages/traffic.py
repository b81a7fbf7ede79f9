"""Traffic: on my requests, with queues and shared links, what were they waiting for?"""

import streamlit as st

from aisim_ui.frame import answer
from aisim_ui.frame import numbers as draw_numbers
from aisim_ui.navigation import require_app
from aisim_ui.sentences.traffic import compared, load_warning, numbers, sentence
from aisim_ui.state import state
from aisim_ui.traffic.file import ask_for, reading
from aisim_ui.traffic.inputs import replay_inputs, row_inputs, scale_inputs, source_inputs
from aisim_ui.traffic.measured import beside_run
from aisim_ui.traffic.results import curves, downloads, look_into, one
from aisim_ui.traffic.source import load
from aisim_ui.traffic.start import described, progress, replay_button, results
from aisim_ui.traffic.visit import collect, visit

require_app()

collect()
scenario = state().scenario
slo = scenario.workload
loaded = load(scenario.traffic, visit().upload)

top = st.container()
row_inputs()
left, right = st.columns([3, 2], gap="large")
with left:
    source_inputs()
    reading(loaded)
    scale_inputs()
    described(loaded)
with right:
    replay_inputs()
    replay_button(scenario, loaded)
    progress()

with top:
    if loaded.asked_for is not None:
        ask_for(loaded.asked_for)
    found = results(scenario, loaded)
    if not found:
        doing = "Replay" if visit().run is None else "Replaying"
        answer(f"{doing} requests on your deployments: what do they wait for?")
        st.stop()
    selected = next((pair for pair in found if pair[0].id == scenario.selected_id), found[0])
    answer(sentence(selected, slo))
    st.caption(compared(found, slo))
    draw_numbers(numbers(selected, slo))
    if warning := load_warning(selected):
        st.warning(warning, icon=":material/warning:")

beside_run(scenario, loaded, selected)
curves(found, selected[0].id, slo)
look_into(found, selected)
one(selected, slo)
downloads(found)
