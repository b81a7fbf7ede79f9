"""The Calibrate page's own inputs: measurements pasted or uploaded, and what a file doesn't say."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from aisim_model.calibration import CalibrationFit
from aisim_ui.calibrate.calibration import example, use, users
from aisim_ui.exports import file_name
from aisim_ui.state import GivenMeasurements, attempt, state
from aisim_ui.words import escape_markdown

UPLOAD, PASTE = "calibrate.upload", "calibrate.paste"
BYTES, RANKS, LANES = "calibrate.bytes", "calibrate.ranks", "calibrate.lanes"
PLAIN = "%.12g"  # no digits after a whole number
PLACEHOLDER = "bytes,milliseconds\n18874368,0.54\n37748736,0.61"


def given() -> GivenMeasurements | None:
    """Return the measurements of this visit, None where there are none."""
    rows = state().measurements
    return rows if rows.source.strip() else None


def measurements() -> None:
    """Draw the inputs."""
    rows = state().measurements
    left, right = st.columns([3, 2])
    if st.session_state.get(PASTE) is None:
        st.session_state[PASTE] = rows.source.decode(errors="replace")
    with left:
        st.text_area(
            "Measured transfers, or runs of a benchmark",
            key=PASTE,
            height=220,
            placeholder=PLACEHOLDER,
            on_change=_pasted,
            help="A table with a header: `bytes` or `tokens`, `milliseconds`, `descriptors` where counted. "
            "Or the KV-transfer metric lines of a vLLM log. Or what `vllm bench serve`, SGLang's benchmark, "
            "AIPerf or GuideLLM write, or a table of prompt, output, concurrency, ttft_ms and tpot_ms.",
        )
        st.button("Try nine published transfers", on_click=_example, icon=":material/science:")
    with right:
        st.file_uploader("Or upload a file", key=UPLOAD, on_change=_uploaded, max_upload_size=20)
        st.number_input(
            "KV bytes per token [bytes/token]",
            min_value=1.0,
            format=PLAIN,
            value=rows.kv_bytes_per_token,
            key=BYTES,
            placeholder="needed where sizes are tokens",
            on_change=_said,
            help="On the wire. Of the selected row: " + _wire_bytes(),
        )
        st.number_input(
            "Ranks of a handoff",
            min_value=1,
            max_value=512,
            value=rows.tensor_parallel,
            key=RANKS,
            placeholder="needed for a log",
            on_change=_said,
            help="Tensor parallelism of a handoff: the figures in vLLM's log are of one rank.",
        )
        st.number_input(
            "Links that a transfer used side by side",
            min_value=0.01,
            format=PLAIN,
            max_value=512.0,
            value=rows.lanes,
            key=LANES,
            on_change=_said,
            help="Only to question a bandwidth that is above any link of the catalogue.",
        )


def _wire_bytes() -> str:
    scenario = state().scenario
    row, layout = scenario.selected, scenario.workload.served.kv
    ranks = row.decode_tp if row.split else row.prefill_tp
    curve = layout.wire_curve(row.kv_dtype, ranks, row.window_layers, row.mla_copies)
    return f"{curve.per_token_bytes:,}."


def _keep(source: bytes) -> None:
    state().measurements = replace(state().measurements, source=source)


def _pasted() -> None:
    _keep(st.session_state[PASTE].encode())


def _uploaded() -> None:
    if (file := st.session_state[UPLOAD]) is not None:
        _keep(file.getvalue())
        st.session_state[PASTE] = None


def _example() -> None:
    _keep(example().encode())
    st.session_state[PASTE] = None


def _said() -> None:
    state().measurements = replace(
        state().measurements,
        kv_bytes_per_token=st.session_state[BYTES],
        tensor_parallel=st.session_state[RANKS],
        lanes=st.session_state[LANES] or 1.0,
    )


def use_buttons(fit: CalibrationFit) -> None:
    """Draw what can be done with a fit: use it in the selected row, in every split one, or take it along."""
    scenario, told = state().scenario, fit.calibration
    used = users(scenario, told)
    split = [row.id for row in scenario.deployments if row.split]
    chosen = [scenario.selected_id] if scenario.selected.split else []
    with st.container(horizontal=True):
        for label, ids in ((f"Use in {scenario.selected.name}", chosen), ("Use in every split row", split)):
            st.button(
                label,
                disabled=set(ids) <= set(used),
                type="primary" if ids == chosen else "secondary",
                on_click=attempt,
                args=("calibration", label, lambda now, ids=ids: use(now, told, ids)),
            )
        st.download_button(
            "The fit as JSON",
            told.model_dump_json(indent=2),
            file_name=file_name("calibration", "json"),
            mime="application/json",
            on_click="ignore",
            type="tertiary",
            icon=":material/download:",
        )
    if used:
        names = ", ".join(escape_markdown(scenario.row(row_id).name) for row_id in used)
        st.success(
            f"Used in {names}, on every page and in the link. Undo takes it back.", icon=":material/check:"
        )
