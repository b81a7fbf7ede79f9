"""The app: navigation, the shared sidebar, and the page."""

import streamlit as st

from aisim_model.errors import InputError
from aisim_ui.modules import freeze_loaded_modules
from aisim_ui.navigation import navigation, open_as_sent, run_page
from aisim_ui.notices import notices
from aisim_ui.operators import wait_for_tables
from aisim_ui.sidebar import sidebar
from aisim_ui.state import apply_widget_reports, state
from aisim_ui.words import escape_markdown

page = navigation()
open_as_sent(page)
apply_widget_reports()
sidebar(page.title)
notices()
try:
    wait_for_tables(state().scenario)
    run_page(page)
except InputError as error:  # rows that are right one by one and can't be answered together
    st.error(escape_markdown(str(error)), icon=":material/error:")
freeze_loaded_modules(page.title)
