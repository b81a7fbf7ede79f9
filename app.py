"""The app: page settings, navigation, the shared sidebar, and the page."""

from base64 import b64encode
from pathlib import Path

import streamlit as st

from aisim_model.errors import InputError
from aisim_ui.notices import notices
from aisim_ui.pages import PAGES
from aisim_ui.sidebar import sidebar
from aisim_ui.state import take_in
from aisim_ui.warm import settle
from aisim_ui.words import literal

# written out, a picture needn't be opened by a library for pictures
ICON = b64encode((Path(__file__).parent / "aisim_ui" / "icon.png").read_bytes()).decode()

st.set_page_config(
    page_title="AISim handoff planner", page_icon=f"data:image/png;base64,{ICON}", layout="wide"
)

take_in()
page = st.navigation([st.Page(**entry) for entry in PAGES], position="top")
sidebar(page.title)
notices()
try:
    page.run()
except InputError as error:  # rows that are right one by one and can't be answered together
    st.error(literal(str(error)), icon=":material/error:")
settle(page.title)
