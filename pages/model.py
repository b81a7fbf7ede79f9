"""Model: how many bytes does my model keep, and how was that worked out?"""

import streamlit as st

from aisim_ui.charts.kv_curve import kv_curve
from aisim_ui.frame import answer, chart, mode
from aisim_ui.frame import numbers as draw_numbers
from aisim_ui.frame import table as draw_table
from aisim_ui.inputs import choice
from aisim_ui.model.answer import numbers, sentence
from aisim_ui.model.kv_table import curves, fitting_dtypes, groups, has_latent, has_windows
from aisim_ui.model.own_model import choices, own_model
from aisim_ui.model.own_parameters import parameters
from aisim_ui.navigation import require_app
from aisim_ui.state import Place, state
from aisim_ui.words import escape_markdown

require_app()

WINDOWS = {"window": "kept in their window", "full": "kept in full, as engines without hybrid pages do"}
COPIES = {"per_rank": "once for each decode rank", "once": "once, and broadcast there"}
COLUMNS = {
    "layers": "Layers",
    "keeps": "Keep",
    "bytes_per_token": st.column_config.NumberColumn("Bytes per token", format="localized"),
    "window_tokens": st.column_config.NumberColumn("Window [tokens]", format="localized"),
    "constant_bytes": st.column_config.NumberColumn("Constant [bytes]", format="localized"),
    "working": "Worked out as",
}

scenario = state().scenario
workload, row = scenario.workload, scenario.selected
spec, layout = workload.served, workload.served.kv

answer(sentence(scenario))
draw_numbers(numbers(scenario))

left, right = st.columns([2, 3])
with left:
    choice(Place("kv_dtype", row.id), "model", fitting_dtypes(layout), {}, f"KV dtype of {row.name}")
    if has_windows(layout):
        choice(Place("window_layers", row.id), "model", list(WINDOWS), WINDOWS, "Window layers")
    if has_latent(layout):
        choice(Place("mla_copies", row.id), "model", list(COPIES), COPIES, "A latent is sent")
with right:
    own_model("model")
choices("model")
parameters("model")
for note in layout.notes:
    st.info(escape_markdown(note), icon=":material/info:")

data = curves(layout, row.kv_dtype)
chart(kv_curve(data, spec.name, workload.prompt_tokens, mode()), data, "model.curve")
kept = groups(layout, row.kv_dtype)
draw_table(kept, kept, f"layers of {spec.name}", f"model.groups.{spec.name}", column_config=COLUMNS)
parameters_from = escape_markdown(spec.parameters_from.rstrip("."))
st.caption(f"Source: {escape_markdown(spec.source)}. Parameters: {parameters_from}.")
