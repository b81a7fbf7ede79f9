"""The pages, one question each: what each is called, where it lies, and how it is opened."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    from streamlit.navigation.page import Page

_PACKAGE = Path(__file__).resolve().parent
# app.py, pages/ and docs/model.md: beside this package in a checkout, within it in a wheel
HOME = _PACKAGE / "app" if (_PACKAGE / "app").is_dir() else _PACKAGE.parent
FROM_APP, WANTED = "navigation.from_app", "navigation.wanted"


def _page(file: str, title: str, icon: str, **more: Any) -> MappingProxyType[str, Any]:
    entry = {"page": HOME / "pages" / f"{file}.py", "title": title, "icon": f":material/{icon}:"}
    return MappingProxyType({**entry, "url_path": file, **more})


PAGES = (
    _page("handoff", "Handoff", "swap_horiz", default=True),
    _page("model", "Model", "memory"),
    _page("deployments", "Deployments", "dns"),
    _page("solve", "Solve", "calculate"),
    _page("explore", "Explore", "travel_explore"),
    _page("traffic", "Traffic", "traffic"),
    _page("calibrate", "Calibrate", "straighten"),
    _page("evidence", "Evidence", "fact_check"),
    _page("method", "Method", "functions"),
)
FIRST = next(entry for entry in PAGES if entry.get("default"))


def run_page(page: Page) -> None:
    """Run a page as part of app.py."""
    st.session_state[FROM_APP] = True
    page.run()


def require_app(page: str) -> None:
    """Leave a page that Streamlit runs by itself, and have app.py open it: each page's first line.

    Until app.py has called `st.navigation` on a server, Streamlit runs a file of `pages/` alone, without the
    navigation and the sidebar, when a visitor opens its address.
    """
    if not st.session_state.pop(FROM_APP, False):
        st.session_state.setdefault(WANTED, page)
        st.switch_page("app.py", query_params=st.query_params.to_dict())


def want_page(name: str) -> None:
    """Have app.py open another page in its next run; for what a click does."""
    st.session_state[WANTED] = str(HOME / "pages" / f"{name}.py")


def open_wanted_page() -> None:
    """Open the page that was asked for, with the query as it is; before any widget is drawn."""
    if wanted := st.session_state.pop(WANTED, None):
        st.switch_page(wanted, query_params=st.query_params.to_dict())
