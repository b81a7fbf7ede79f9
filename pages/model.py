"""Model: how many bytes does my model keep, and how was that worked out?"""

import streamlit as st

from aisim_model.compare.columns import LAYERS
from aisim_ui.charts.kv_curve import kv_curve
from aisim_ui.frame import answer, chart, mode
from aisim_ui.frame import numbers as draw_numbers
from aisim_ui.frame import table as draw_table
from aisim_ui.inputs import choice
from aisim_ui.model.kv_table import curves, fitting_dtypes, groups, has_latent, has_windows
from aisim_ui.model.own_model import choices, own_model
from aisim_ui.model.own_parameters import parameters
from aisim_ui.navigation import require_app
from aisim_ui.place import Place
from aisim_ui.sentences.model import numbers, sentence
from aisim_ui.sentences.weights import unread_sentence
from aisim_ui.state import state
from aisim_ui.words import escape_markdown

require_app()

SPOT = "model"
WINDOWS = {"window": "kept in their window", "full": "kept in full, as engines without hybrid pages do"}
COPIES = {"per_rank": "once for each decode rank", "once": "once, and broadcast there"}

scenario = state().scenario
workload, row = scenario.workload, scenario.selected
spec, layout = workload.served, workload.served.kv

answer(sentence(scenario))
draw_numbers(numbers(scenario))

left, right = st.columns([2, 3])
with left:
    dtypes = fitting_dtypes(layout)
    choice(Place.of_row(row.id, "kv_dtype"), SPOT, dtypes, f"KV dtype of {row.name}", typed=True)
    if has_windows(layout):
        choice(Place.of_row(row.id, "window_layers"), SPOT, WINDOWS)
    if has_latent(layout):
        choice(Place.of_row(row.id, "mla_copies"), SPOT, COPIES, "A latent is sent")
with right:
    own_model(SPOT)
choices(SPOT)
parameters(SPOT)
for note in (*layout.notes, *filter(None, [unread_sentence(spec.name, spec.stored)])):
    st.info(escape_markdown(note), icon=":material/info:")

data = curves(layout, row.kv_dtype)
chart(kv_curve(data, spec.name, workload.prompt_tokens, mode()), data, "model.curve")
kept = groups(layout, row.kv_dtype)
draw_table(kept, LAYERS, f"layers of {spec.name}", f"model.groups.{spec.name}")
parameters_from = escape_markdown(spec.parameters_from.rstrip("."))
st.caption(f"Source: {escape_markdown(spec.source)}. Parameters: {parameters_from}.")
