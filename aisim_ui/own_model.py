"""One's own model: a config.json, uploaded or pasted, read into a curve that then serves every page."""

from __future__ import annotations

import streamlit as st

from aisim_model.errors import InputError
from aisim_model.model_spec import ModelSpec
from aisim_model.scenario import Scenario
from aisim_ui.state import attempt, state

MAX_CONFIG_BYTES = 5_000_000
UPLOAD, PASTE, KEY = "side.config.upload", "side.config.paste", "own model"


def own_model() -> None:
    """Draw the upload and the paste box, and say what was wrong with the last one."""
    st.markdown("**Your own config.json**")
    st.file_uploader("Upload", type=["json"], key=UPLOAD, on_change=_uploaded, max_upload_size=5)
    st.text_area(
        "Or paste it", key=PASTE, on_change=_pasted, height=90, placeholder='{"num_hidden_layers": …}'
    )
    if problem := state().problems.get(KEY):
        st.error(problem.sentence, icon=":material/error:")


def _uploaded() -> None:
    if (file := st.session_state[UPLOAD]) is not None:
        _use(file.getvalue(), file.name.removesuffix(".json") or "config")


def _pasted() -> None:
    if text := st.session_state[PASTE].strip():
        _use(text.encode(), "pasted config")


def _use(content: bytes, name: str) -> None:
    def change(scenario: Scenario) -> Scenario:
        if len(content) > MAX_CONFIG_BYTES:
            raise InputError(
                name, f"{len(content):,} bytes", "is more than a config.json holds", "Choose another file."
            )
        spec = ModelSpec.from_config(content, name=name[:60], source="your config.json")
        return scenario.with_workload(model=spec, kv_bytes_per_token=None)

    attempt(KEY, name, change)
