"""The modules that pages load, kept out of what makes each rerun slow."""

from __future__ import annotations

import gc

import streamlit as st


@st.cache_resource(max_entries=32, show_spinner=False)
def freeze_loaded_modules(page: str) -> None:
    """Take a page's modules out of garbage collection, once a server, after the page's first run.

    Streamlit collects all garbage at the end of each run, and no message is sent meanwhile: 0.08 s over the
    objects of pandas, Plotly and our own modules, none of which ever becomes garbage. A run takes 0.04 s.
    """
    del page  # only which pages have run matters
    gc.collect()
    gc.freeze()
