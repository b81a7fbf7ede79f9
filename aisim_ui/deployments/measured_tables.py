"""A row's own times: tables of prompts and of decode steps, uploaded or pasted, that then time it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from aisim_model.calibration import read_decode_table, read_prefill_table
from aisim_model.compare.outcome import outcome
from aisim_model.scenario import Deployment, Scenario
from aisim_ui.inputs import follow, refusal
from aisim_ui.place import Place
from aisim_ui.state import attempt, state


class MeasuredTable(NamedTuple):
    """A field that holds a table, the field that says what is timed by it, and how it is asked for."""

    field: str
    model_field: str
    read: Callable[[str | bytes], Any]
    header: tuple[str, ...]
    example: str
    label: str
    help: str


TABLES = (
    MeasuredTable(
        "prefill_table",
        "prefill_model",
        read_prefill_table,
        ("tokens", "milliseconds"),
        "1024,32.5\n8192,169",
        "Prefill table: tokens and milliseconds",
        "Measured on one idle prefill worker; straight lines between the rows.",
    ),
    MeasuredTable(
        "decode_table",
        "decode_model",
        read_decode_table,
        ("sequences", "context_tokens", "milliseconds"),
        "1,1000,7.1\n1,8000,7.4\n32,1000,9.8\n32,8000,14.2",
        "Decode table: sequences, context tokens and milliseconds of a step",
        "Measured on one decode worker, every number of sequences at every context; straight lines between.",
    ),
)


def table_text(row: Deployment, table: MeasuredTable) -> str:
    """Write a row's table as it is pasted; empty where it has none."""
    entries = getattr(row, table.field)
    if not entries:
        return ""
    return "\n".join((",".join(table.header), *(",".join(f"{cell:.15g}" for cell in one) for one in entries)))


def with_table(scenario: Scenario, row_id: str, table: MeasuredTable, source: str | bytes) -> Scenario:
    """Return a scenario with one row timed by a table; with none of it, by the roofline again.

    Raises
    ------
    InputError, pydantic.ValidationError
        For a table that can't be read, or a row that can't be timed without it.
    """
    values: dict[str, object] = {table.field: None}
    if source.strip():
        values = {table.field: table.read(source), table.model_field: "table"}
    elif getattr(scenario.row(row_id), table.model_field) == "table":
        values[table.model_field] = Deployment.model_fields[table.model_field].default
    changed = scenario.with_row(row_id, **values)
    outcome(changed.workload, changed.row(row_id))
    return changed


def table_inputs(row: Deployment, spot: str) -> None:
    """Draw the box and the upload for each of a row's tables, and say what was wrong with the last one."""
    for place, table in enumerate(TABLES):
        _inputs(row, spot, place, table)


def _inputs(row: Deployment, spot: str, number: int, table: MeasuredTable) -> None:
    place = Place.of_row(row.id, table.field)
    paste, upload = f"{spot}.box.{place.key}", f"{spot}.upload.{place.key}"
    problem = state().problems.get(place.key)
    follow(paste, problem.text if problem else table_text(row, table))
    left, right = st.columns([3, 2])
    left.text_area(
        table.label,
        key=paste,
        height=120,
        placeholder=",".join(table.header) + "\n" + table.example,
        on_change=_given,
        args=(row.id, number, paste),
        help=f"{table.help} It times the row at once; an empty box takes it back. Field `{table.field}`.",
    )
    right.file_uploader(
        "Or upload it as CSV",
        key=upload,
        type=["csv", "tsv", "txt"],
        max_upload_size=1,
        on_change=_uploaded,
        args=(row.id, number, upload),
    )
    refusal(place.key)


def _given(row_id: str, number: int, key: str) -> None:
    _take(row_id, TABLES[number], st.session_state[key])


def _uploaded(row_id: str, number: int, key: str) -> None:
    if (file := st.session_state[key]) is not None:
        _take(row_id, TABLES[number], file.getvalue())


def _take(row_id: str, table: MeasuredTable, source: str | bytes) -> None:
    text = source if isinstance(source, str) else source.decode(errors="replace")
    attempt(
        Place.of_row(row_id, table.field).key,
        text,
        lambda scenario: with_table(scenario, row_id, table, source),
    )
