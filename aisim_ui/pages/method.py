"""Method: why should I believe it? The equations, the assumptions and what is left out."""

from pathlib import Path

import streamlit as st

TEXT = Path(__file__).parents[2] / "docs" / "model.md"

st.markdown(TEXT.read_text(encoding="utf-8"))
st.download_button(
    "This text as Markdown",
    TEXT.read_bytes(),
    file_name="aisim-model.md",
    mime="text/markdown",
    on_click="ignore",
    type="tertiary",
    icon=":material/download:",
)
