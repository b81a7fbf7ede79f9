"""The app: page settings, navigation, the shared sidebar, and the page."""

from base64 import b64encode
from pathlib import Path

import streamlit as st

from aisim_model.errors import InputError
from aisim_ui.notices import notices
from aisim_ui.pages import PAGES
from aisim_ui.sidebar import sidebar
from aisim_ui.state import apply_widget_reports
from aisim_ui.warm import freeze_loaded_modules
from aisim_ui.words import escape_markdown

# written out, a picture needn't be opened by a library for pictures
ICON = b64encode((Path(__file__).parent / "aisim_ui" / "icon.png").read_bytes()).decode()

st.set_page_config(
    page_title="AISim handoff planner", page_icon=f"data:image/png;base64,{ICON}", layout="wide"
)

apply_widget_reports()
page = st.navigation([st.Page(**entry) for entry in PAGES], position="top")
sidebar(page.title)
notices()
try:
    page.run()
except InputError as error:  # rows that are right one by one and can't be answered together
    st.error(escape_markdown(str(error)), icon=":material/error:")
freeze_loaded_modules(page.title)
