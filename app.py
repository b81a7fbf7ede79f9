"""The app: page settings, navigation, the shared sidebar, and the page."""

from pathlib import Path

import streamlit as st

from aisim_ui.notices import notices
from aisim_ui.pages import PAGES
from aisim_ui.sidebar import sidebar
from aisim_ui.state import state

ICON = Path(__file__).parent / "aisim_ui" / "icon.png"

st.set_page_config(page_title="AISim handoff planner", page_icon=str(ICON), layout="wide")

state()
page = st.navigation([st.Page(**entry) for entry in PAGES], position="top")
sidebar()
notices()
page.run()
