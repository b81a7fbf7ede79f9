"""What a link said and didn't, at the top of the page: values not taken, and what changed since."""

from __future__ import annotations

import streamlit as st

from aisim_ui.share import changes
from aisim_ui.state import replace, state
from aisim_ui.words import escape_markdown

MOST = 8


def notices() -> None:
    """Say what the URL held that was not taken, and what the reader changed since a link was opened."""
    now = state()
    if now.said:
        more = f"\n\n… and {len(now.said) - MOST} more." if len(now.said) > MOST else ""
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(
                "\n\n".join(escape_markdown(line) for line in now.said[:MOST]) + more,
                icon=":material/link_off:",
            )
            st.button("Dismiss", key="dismiss", on_click=now.said.clear, type="tertiary")
    if now.opened is not None and now.opened != now.scenario:
        lines = changes(now.opened, now.scenario)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Changed since the link was opened: {escape_markdown('; '.join(lines[:MOST]))}")
            st.button("Back to the link", key="reopen", on_click=replace, args=(now.opened,), type="tertiary")
