"""One's own model: a config.json, uploaded or pasted, read into a curve that then serves every page."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import streamlit as st

from aisim_model.errors import InputError
from aisim_model.models.spec import ModelSpec
from aisim_model.scenario import Scenario
from aisim_ui.inputs import refusal
from aisim_ui.state import OwnConfig, attempt, state

KEY = "own model"
MAX_MB = 50


def own_model(spot: str) -> None:
    """Draw the upload and the paste box at a spot, and say what was wrong with the last one.

    Parameters
    ----------
    spot : str
        Where on the page, so that the same box may stand in two places.
    """
    upload, paste = f"{spot}.config.upload", f"{spot}.config.paste"
    st.file_uploader(
        "Your model's config.json",
        type=["json"],
        key=upload,
        on_change=_uploaded,
        args=(upload,),
        max_upload_size=MAX_MB,
        help="Read here and now; only the byte curve goes into a share link, not the file.",
    )
    st.text_area(
        "Or paste it",
        key=paste,
        on_change=_pasted,
        args=(paste,),
        height=90,
        placeholder='{"num_hidden_layers": 64, …}',
    )
    refusal(KEY)


def choices(spot: str) -> None:
    """Draw what may be said beside a config: its quantization file, and layers for multi-token prediction."""
    own = state().own_config
    if own is None or state().scenario.workload.model is None:
        return
    quant, mtp = f"{spot}.config.quant", f"{spot}.config.mtp"
    left, right = st.columns(2, vertical_alignment="center")
    left.file_uploader(
        "Its hf_quant_config.json, if there is one",
        type=["json"],
        key=quant,
        on_change=_quantized,
        args=(quant,),
        max_upload_size=1,
        help="The KV dtype that it names is shown as a suggestion, never applied by itself.",
    )
    if mtp not in st.session_state:
        st.session_state[mtp] = own.mtp_layers
    right.checkbox(
        "Count layers for multi-token prediction",
        key=mtp,
        on_change=_mtp,
        args=(mtp,),
        help="Left out unless they are served.",
    )


def serving(scenario: Scenario, **values: Any) -> Scenario:
    """Return the scenario with another model in its workload.

    Raises
    ------
    InputError
        For a model that a row can't keep in its KV dtype.
    """
    changed = scenario.with_workload(**values)
    for row in changed.deployments:
        changed.workload.served.kv.curve(row.kv_dtype)
    return changed


def _uploaded(key: str) -> None:
    if (file := st.session_state[key]) is not None:
        _use(OwnConfig(PurePath(file.name).stem[:60] or "config", file.getvalue()))


def _pasted(key: str) -> None:
    if text := st.session_state[key].strip():
        _use(OwnConfig("pasted config", text.encode()))


def _quantized(key: str) -> None:
    own, file = state().own_config, st.session_state[key]
    if own is not None:
        quant = None if file is None else file.getvalue()
        _use(OwnConfig(own.name, own.content, quant, own.mtp_layers))


def _mtp(key: str) -> None:
    if (own := state().own_config) is not None:
        _use(OwnConfig(own.name, own.content, own.quant, st.session_state[key]))


def _use(own: OwnConfig) -> None:
    """Serve the model of these files, or say why not and keep the one that is served."""

    def change(scenario: Scenario) -> Scenario:
        spec = ModelSpec.from_config(
            own.content,
            name=own.name,
            source="your config.json",
            mtp_layers=own.mtp_layers,
            kv_quant=_quant(own.quant),
        )
        return serving(scenario, model=spec, kv_bytes_per_token=None)

    attempt(KEY, own.name, change)
    if KEY not in state().problems:
        state().own_config = own


def _quant(content: bytes | None) -> dict[str, Any] | None:
    if content is None:
        return None
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        problem = "is no JSON object"
        raise InputError(
            "hf_quant_config.json", content[:40], problem, "Upload the file beside the config.json."
        )
    return found
