"""Explore: across prompt lengths and bandwidths, where is the cliff, and what bandwidth do I need?"""

import streamlit as st
from pydantic import ValidationError

from aisim_model.errors import InputError, sentences
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Scenario
from aisim_ui.charts.needed_lines import needed_lines
from aisim_ui.explore.charts import one_field, two_fields
from aisim_ui.explore.controls import controls
from aisim_ui.explore.needed import needed_bandwidth
from aisim_ui.explore.picture import idle_fields
from aisim_ui.explore.result import result
from aisim_ui.explore.view import asked, vary, view
from aisim_ui.frame import answer, chart, mode
from aisim_ui.navigation import require_app
from aisim_ui.sentences.explore import idle_sentence, sentence
from aisim_ui.sentences.rows import measured_range
from aisim_ui.state import state
from aisim_ui.words import escape_markdown

require_app()

scenario: Scenario = state().scenario
row = scenario.selected

answer(sentence(scenario.workload, row))
controls()
look = view()
try:
    found = result(asked(scenario), vary(look))
except InputError as error:
    st.error(escape_markdown(str(error)), icon=":material/error:")
except ValidationError as error:
    st.error(escape_markdown(" ".join(sentences(error))), icon=":material/error:")
else:
    if found is not None:
        for name in idle_fields(found, look.quantity):
            st.info(idle_sentence(name, look.quantity), icon=":material/info:")
        one_field(found, scenario, look) if look.y is None else two_fields(found, scenario, look)
        st.caption(
            "Click a point to make it the scenario; Undo brings the last one back. "
            "A field of a deployment has the same value in every row. One request, nothing else running. "
            "The command `aisim sweep` writes up to a thousand million points."
        )
        for one in scenario.deployments:
            if measured := measured_range(one):
                st.caption(escape_markdown(f"{one.name}: {measured}."))
if row.split:
    needed = needed_bandwidth(scenario.workload, row)
    has_gb_s = float(resolve(scenario.workload, row).bandwidth_gb_s)
    lines = needed_lines(needed, row.name, has_gb_s, scenario.workload.prompt_tokens, mode())
    chart(lines, needed, "explore.needed")
