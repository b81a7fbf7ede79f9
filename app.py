"""The app: page settings, navigation, the shared sidebar, and the page."""

from importlib.resources import files

import streamlit as st

from aisim_model.errors import InputError
from aisim_ui.modules import freeze_loaded_modules
from aisim_ui.navigation import PAGES, open_wanted_page, run_page
from aisim_ui.notices import notices
from aisim_ui.sidebar import sidebar
from aisim_ui.state import apply_widget_reports
from aisim_ui.words import escape_markdown

ICON = str(files("aisim_ui") / "icon.png")

st.set_page_config(page_title="AISim handoff planner", page_icon=ICON, layout="wide")

apply_widget_reports()
page = st.navigation([st.Page(**entry) for entry in PAGES], position="top")
open_wanted_page()
sidebar(page.title)
notices()
try:
    run_page(page)
except InputError as error:  # rows that are right one by one and can't be answered together
    st.error(escape_markdown(str(error)), icon=":material/error:")
freeze_loaded_modules(page.title)
