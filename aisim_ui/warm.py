"""What a server does once, so that every rerun after it is quick."""

from __future__ import annotations

import gc

import streamlit as st


@st.cache_resource(max_entries=32, show_spinner=False)
def settle(page: str) -> None:
    """Take a page's modules out of garbage collection, once a server, after the page's first run.

    Streamlit collects all garbage at the end of each run, and no message is sent meanwhile: 0.1 s over the
    objects of pandas, Plotly and our own modules, none of which ever becomes garbage.
    """
    del page  # only which pages have run matters
    gc.collect()
    gc.freeze()
