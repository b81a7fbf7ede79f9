"""What a server does once, so that its first page comes soon and every rerun after it is quick."""

from __future__ import annotations

import ast
import gc
from importlib import import_module
from pathlib import Path

import streamlit as st


def load(*scripts: Path) -> None:
    """Import what scripts import, before anyone has asked for them."""
    for script in scripts:
        for line in ast.parse(script.read_text(encoding="utf-8")).body:
            if isinstance(line, ast.ImportFrom) and line.module:
                import_module(line.module)


@st.cache_resource(max_entries=32, show_spinner=False)
def freeze_loaded_modules(page: str) -> None:
    """Take a page's modules out of garbage collection, once a server, after the page's first run.

    Streamlit collects all garbage at the end of each run, and no message is sent meanwhile: 0.1 s over the
    objects of pandas, Plotly and our own modules, none of which ever becomes garbage.
    """
    del page  # only which pages have run matters
    gc.collect()
    gc.freeze()
