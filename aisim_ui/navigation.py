"""The pages, one question each: what each is called, where it lies, and how it is opened."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import streamlit as st

from aisim_ui.state import state

if TYPE_CHECKING:
    from streamlit.navigation.page import Page

_PACKAGE = Path(__file__).resolve().parent
# app.py, pages/ and docs/model.md: beside this package in a checkout, within it in a wheel
HOME = _PACKAGE / "app" if (_PACKAGE / "app").is_dir() else _PACKAGE.parent
FROM_APP = "navigation.from_app"


def _page(file: str, title: str, icon: str, **more: Any) -> MappingProxyType[str, Any]:
    entry = {"page": HOME / "pages" / f"{file}.py", "title": title, "icon": f":material/{icon}:"}
    return MappingProxyType({**entry, "url_path": file, **more})


PAGES = (
    _page("plan", "Plan", "route", default=True),
    _page("handoff", "Handoff", "swap_horiz"),
    _page("model", "Model", "memory"),
    _page("deployments", "Deployments", "dns"),
    _page("solve", "Solve", "calculate"),
    _page("explore", "Explore", "travel_explore"),
    _page("traffic", "Traffic", "traffic"),
    _page("calibrate", "Calibrate", "straighten"),
    _page("evidence", "Evidence", "fact_check"),
    _page("method", "Method", "functions"),
)


def navigation() -> Page:
    """Tell Streamlit the settings of all pages and which there are; return the one that was asked for."""
    st.set_page_config(page_title="AISim handoff planner", page_icon=_PACKAGE / "icon.png", layout="wide")
    return st.navigation([st.Page(**entry) for entry in PAGES], position="top")


def open_as_sent(page: Page) -> None:
    """Open Handoff for a link to the first page that was made when Handoff was that."""
    now = state()
    asked, now.of_handoff = now.of_handoff, False
    if asked and page.url_path == "":
        st.switch_page(HOME / "pages" / "handoff.py")


def run_page(page: Page) -> None:
    """Run a page as part of app.py."""
    st.session_state[FROM_APP] = True
    page.run()


def require_app() -> None:
    """Begin a page: where Streamlit runs it by itself, have app.py run it, with the query as it is.

    Until `st.navigation` has been called on a server, Streamlit runs a file of `pages/` alone, without the
    navigation and the sidebar, when a visitor opens its address.
    """
    if not st.session_state.pop(FROM_APP, False):
        navigation()
        st.rerun()
