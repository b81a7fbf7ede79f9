"""The editable table of deployments: a cell a field, each refused in a sentence, the last good value kept.

A refused value stays in its cell with its sentence beneath the table. The editor keeps its own edits, so it
begins anew once rows change by another way: Undo, a preset, the Advanced drawer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from aisim_model import catalog
from aisim_model.compare.outcome import outcome
from aisim_model.models.kv_cache import KV_DTYPES
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.engines import ENGINES
from aisim_ui.fields import field
from aisim_ui.modes import SENT
from aisim_ui.place import Place
from aisim_ui.state import attempt, state
from aisim_ui.words import escape_markdown

COLUMNS = (
    "name",
    "kind",
    "gpu",
    "prefill_tp",
    "prefill_workers",
    "decode_tp",
    "decode_workers",
    "kv_dtype",
    "weight_format",
    "link",
    "nics_per_gpu",
    "engine",
    "timing_mode",
    "link_model",
    "overlap",
    "prefill_model",
    "decode_model",
    "first_token_from",
    "usd_per_gpu_hour",
)
NUMBERS = ("prefill_tp", "prefill_workers", "decode_tp", "decode_workers", "nics_per_gpu", "usd_per_gpu_hour")
OPTIONAL = ("overlap", "first_token_from", "usd_per_gpu_hour")
BUILT = "built"
OWN = "default"  # of the engine or the catalogue
VERSION, SHOWN_ROWS = "rows.table.version", "rows.table.shown"


NAMED: Mapping[str, Mapping[Any, str]] = MappingProxyType(
    {
        "kind": {"split": "Split", "aggregated": "Aggregated"},
        "kv_dtype": {name: name for name in KV_DTYPES},
        "timing_mode": {mode.value: name for mode, name in SENT.items()},
        "engine": {profile.id: profile.name for profile in ENGINES.values()},
    }
)


@cache
def choices(column: str) -> Mapping[Any, str]:
    """Return what may be chosen in a column, and how each is called; empty where it is typed."""
    if column == "gpu":
        return {gpu.id: gpu.name for gpu in catalog.gpus()}
    if column == "link":
        return {link.id: link.name for link in catalog.links()}
    return NAMED.get(column) or {option: option for option in field(Deployment, column).options}


def cells(rows: tuple[Deployment, ...]) -> pd.DataFrame:
    """Lay rows out as the table's cells: plain texts and numbers, empty where a field is left open."""
    found: dict[str, Any] = {}
    for column in COLUMNS:
        values = [getattr(row, column) for row in rows]
        if column in NUMBERS:
            found[column] = [math.nan if value is None else value for value in values]
        else:
            found[column] = pd.array([None if v is None else str(v) for v in values], dtype="str")
    found["gpus"] = [row.gpus for row in rows]
    found[BUILT] = pd.array([built(row) for row in rows], dtype="str")
    return pd.DataFrame(found)


def built(row: Deployment) -> str:
    """Say how a row's workers are built, with the GPU of decode workers where it is another.

    Examples
    --------
    >>> built(Deployment(id="a", name="a", decode_tp=1, decode_attention_dp=16, decode_expert_parallel=16))
    'TP4 to DEP16'
    """
    one, other = row.side("prefill"), row.side("decode")
    if not row.split:
        return one.shape
    return f"{one.shape} to {other.shape}" + (f" on {catalog.gpu(other.gpu).name}" if row.decode_gpu else "")


@cache
def column_config(own_dtypes: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return how each column is shown: its label and help from the scenario, and what may be chosen.

    Parameters
    ----------
    own_dtypes : tuple of str
        KV dtypes that rows spell themselves.
    """
    found: dict[str, Any] = {
        "gpus": st.column_config.NumberColumn("GPUs", disabled=True, width=70),
        BUILT: st.column_config.TextColumn(
            "Built as", disabled=True, width=190, help="Workers of each side; set under Advanced."
        ),
    }
    for column in COLUMNS:
        spec, options = field(Deployment, column), choices(column)
        if column == "kv_dtype":
            options = {**options, **{name: name for name in own_dtypes}}
        common = {"help": spec.help, "required": column not in OPTIONAL}
        if options:
            found[column] = st.column_config.SelectboxColumn(
                spec.label, options=list(options), format_func=_names(options), **common
            )
        elif column in NUMBERS:
            found[column] = st.column_config.NumberColumn(spec.titled, width=140, **common)
        else:
            found[column] = st.column_config.TextColumn("Deployment", pinned=True, width=190, **common)
    return found


def _names(options: Mapping[Any, str]) -> Any:
    return lambda option: options.get(option, str(option))


def with_cell(scenario: Scenario, row_id: str, column: str, value: Any) -> Scenario:
    """Return a scenario with another value in one cell.

    Raises
    ------
    InputError, pydantic.ValidationError
        For a value out of its range, or a row that the model can't time; they name the field.
    """
    if column in NUMBERS:
        spec = field(Deployment, column)
        empty = value is None or (isinstance(value, float) and math.isnan(value))
        value = spec.parse("") if empty else spec.checked(value)
    changed = scenario.with_row(row_id, **{column: value})
    outcome(changed.workload, changed.row(row_id))  # what can't be timed is refused here, not on every page
    return changed


def edited(edits: Mapping[Any, Mapping[str, Any]], rows: tuple[Deployment, ...]) -> None:
    """Take the editor's edits: its own record of each changed cell, by the row's place."""
    for index, changed in edits.items():
        row_id = rows[int(index)].id
        for column, value in changed.items():
            _take(row_id, column, value)


def _take(row_id: str, column: str, value: Any) -> None:
    text = "" if value is None else str(value)
    attempt(
        Place.of_row(row_id, column).key, text, lambda scenario: with_cell(scenario, row_id, column, value)
    )


def row_table(scenario: Scenario) -> None:
    """Draw the table, and beneath it a sentence for each cell that is refused."""
    kept = st.session_state
    if kept.get(SHOWN_ROWS) != scenario.deployments:
        kept[VERSION] = kept.get(VERSION, 0) + 1
        kept[SHOWN_ROWS] = scenario.deployments
    key = f"rows.table.{kept[VERSION]}"
    simple = all(row.simple for row in scenario.deployments)
    st.data_editor(
        cells(scenario.deployments),
        key=key,
        hide_index=True,
        column_config=column_config(
            tuple(sorted({row.kv_dtype for row in scenario.deployments} - KV_DTYPES.keys()))
        ),
        column_order=("name", "gpus", *(() if simple else (BUILT,)), *COLUMNS[1:]),
        placeholder=OWN,
        on_change=_changed,
        args=(key,),
        alt="Deployments, a row each; cells can be edited",
    )
    for sentence in refused(scenario):
        st.error(sentence, icon=":material/error:")


def _changed(key: str) -> None:
    edited(st.session_state[key]["edited_rows"], state().scenario.deployments)
    st.session_state[SHOWN_ROWS] = state().scenario.deployments


def refused(scenario: Scenario) -> list[str]:
    """Return a sentence for each cell of the table whose value is refused."""
    problems = state().problems
    if not problems:
        return []
    return [
        f"{escape_markdown(row.name)}, {escape_markdown(problem.sentence)}"
        for row in scenario.deployments
        for column in COLUMNS
        if (problem := problems.get(Place.of_row(row.id, column).key))
    ]
