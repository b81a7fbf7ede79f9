"""Method: why should I believe it? The equations, the assumptions and what is left out."""

import re

import streamlit as st

from aisim_ui.navigation import HOME, require_app

require_app()

TEXT = HOME / "docs" / "model.md"

text = TEXT.read_text(encoding="utf-8")
st.markdown(re.sub(r"^#", "####", text, flags=re.MULTILINE))  # headings as large as on the other pages
st.download_button(
    "This text as Markdown",
    text.encode("utf-8"),
    file_name="aisim-model.md",
    mime="text/markdown",
    on_click="ignore",
    type="tertiary",
    icon=":material/download:",
)
