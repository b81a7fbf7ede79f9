"""A row's own prefill times: a table of tokens and milliseconds, uploaded or pasted, that then times it."""

from __future__ import annotations

import streamlit as st

from aisim_model.calibration import read_prefill_table
from aisim_model.compare.outcome import outcome
from aisim_model.scenario import Deployment, Scenario
from aisim_ui.inputs import follow, refusal
from aisim_ui.place import Place
from aisim_ui.state import attempt, state

FIELD = "prefill_table"
PLACEHOLDER = "tokens,milliseconds\n1024,32.5\n8192,169"


def table_text(row: Deployment) -> str:
    """Write a row's table as it is pasted; empty where it has none."""
    if not row.prefill_table:
        return ""
    lines = (f"{tokens:.15g},{time_ms:.15g}" for tokens, time_ms in row.prefill_table)
    return "\n".join(("tokens,milliseconds", *lines))


def with_table(scenario: Scenario, row_id: str, source: str | bytes) -> Scenario:
    """Return a scenario with one row timed by a table; with none of it, by the roofline again.

    Raises
    ------
    InputError, pydantic.ValidationError
        For a table that can't be read, or a row that can't be timed without it.
    """
    values: dict[str, object] = {FIELD: None}
    if source.strip():
        values = {FIELD: read_prefill_table(source), "prefill_model": "table"}
    elif scenario.row(row_id).prefill_model == "table":
        values["prefill_model"] = Deployment.model_fields["prefill_model"].default
    changed = scenario.with_row(row_id, **values)
    outcome(changed.workload, changed.row(row_id))
    return changed


def table_inputs(row: Deployment, spot: str) -> None:
    """Draw the box and the upload for a row's table, and say what was wrong with the last one."""
    place = Place.of_row(row.id, FIELD)
    paste, upload = f"{spot}.box.{place.key}", f"{spot}.upload.{place.key}"
    problem = state().problems.get(place.key)
    text = problem.text if problem else table_text(row)
    follow(paste, text)
    left, right = st.columns([3, 2])
    left.text_area(
        "Prefill table: tokens and milliseconds",
        key=paste,
        height=120,
        placeholder=PLACEHOLDER,
        on_change=_given,
        args=(row.id, paste),
        help="Measured on one idle prefill worker; straight lines between the rows. It times the row at "
        "once; an empty box takes it back. Field `prefill_table`.",
    )
    right.file_uploader(
        "Or upload it as CSV",
        key=upload,
        type=["csv", "tsv", "txt"],
        max_upload_size=1,
        on_change=_uploaded,
        args=(row.id, upload),
    )
    refusal(place.key)


def _given(row_id: str, key: str) -> None:
    _take(row_id, st.session_state[key])


def _uploaded(row_id: str, key: str) -> None:
    if (file := st.session_state[key]) is not None:
        _take(row_id, file.getvalue())


def _take(row_id: str, source: str | bytes) -> None:
    text = source if isinstance(source, str) else source.decode(errors="replace")
    attempt(Place.of_row(row_id, FIELD).key, text, lambda scenario: with_table(scenario, row_id, source))
