"""Plan: which layout of my GPUs meets my targets at the least cost, and how sure is that?"""

import streamlit as st

from aisim_ui.frame import answer
from aisim_ui.navigation import require_app
from aisim_ui.plan.inputs import groups, search_inputs
from aisim_ui.plan.results import (
    best_table,
    chosen,
    how_sure,
    make_it_fit,
    next_dollar,
    open_asked,
    pictures,
)
from aisim_ui.plan.search import plan_for
from aisim_ui.plan.verify import collect, section
from aisim_ui.sentences import plan as words
from aisim_ui.sidebar import model_choice
from aisim_ui.state import state

require_app()

open_asked()
collect()
scenario = state().scenario
top = st.container()
groups(model_choice)
search_inputs(scenario)

with top:
    found = plan_for(scenario)
    if found.fit == 0:
        answer(words.nothing_fits(found))
        make_it_fit(scenario)
        st.stop()
    answer(words.answer(found))
    st.caption(words.counts(found))

best_table(found)
row = chosen(found)
section(found)
pictures(found)
next_dollar(found, row)
how_sure(scenario, found)
