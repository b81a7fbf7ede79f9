"""The editable table: its cells, what an edit makes of a scenario, and what is refused and kept."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from aisim_model.errors import InputError
from aisim_model.scenario import Deployment, Scenario
from aisim_ui.deployments import row_table
from aisim_ui.deployments.row_table import (
    COLUMNS,
    OPTIONAL,
    cells,
    choices,
    column_config,
    edited,
    refused,
    with_cell,
)
from aisim_ui.state import State


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> State:
    """A visit's state without a server."""
    found = State(scenario=Scenario())
    for module in ("aisim_ui.state", "aisim_ui.deployments.row_table"):
        monkeypatch.setattr(f"{module}.state", lambda: found)
    return found


def test_cells_are_the_rows_as_plain_values() -> None:
    found = cells(Scenario().deployments)
    assert list(found.columns) == [*COLUMNS, "gpus", "built"]
    first = found.iloc[0]
    assert (first["name"], first["kind"], first["prefill_workers"], first["gpus"]) == (
        "Aggregated 2 x TP4",
        "aggregated",
        2,
        8,
    )
    assert first["timing_mode"] == "full_prompt"
    assert found[["overlap", "first_token_from", "usd_per_gpu_hour"]].isna().all(axis=None)


def test_every_choice_of_a_column_is_one_that_the_scenario_takes() -> None:
    scenario = Scenario().with_row(
        "split-400g",
        prefill_tokens_per_s=1000.0,
        prefill_pass_ms=100.0,
        prefill_table=((1.0, 1.0), (2.0, 2.0)),
        decode_step_ms=10.0,
        decode_table=((1.0, 1e3, 10.0), (8.0, 1e3, 12.0), (1.0, 9e3, 11.0), (8.0, 9e3, 15.0)),
    )
    for column in COLUMNS:
        for option in choices(column):
            if option in ("fp4", *(name for name in choices("kv_dtype") if "mla" in name)):
                continue  # what this GPU or this model hasn't: refused below
            changed = with_cell(scenario, "split-400g", column, option)
            assert str(getattr(changed.row("split-400g"), column)) == str(option)


def test_every_column_has_settings_with_a_label_and_help() -> None:
    assert set(column_config()) == {*COLUMNS, "gpus", "built"}
    assert all(column_config()[column]["help"] for column in COLUMNS)
    assert [column for column in COLUMNS if not column_config()[column]["required"]] == list(OPTIONAL)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("prefill_tp", 0, "Prefill TP = 0: must be a whole number from 1 to 512"),
        ("prefill_tp", 513, "must be a whole number from 1 to 512"),
        ("decode_workers", None, "is empty; it must be a whole number from 1 to 100,000"),
        ("nics_per_gpu", -0.25, "NICs per GPU = -0.25: must be a number from 0.01 to 16"),
        ("nics_per_gpu", math.nan, "is empty"),
        ("usd_per_gpu_hour", -1.0, "must be a number from 0 to 10,000"),
        ("usd_per_gpu_hour", math.inf, "must be a number from 0 to 10,000"),
    ],
)
def test_a_number_out_of_range_is_a_sentence(column: str, value: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        with_cell(Scenario(), "split-400g", column, value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("name", ""),
        ("name", "x" * 61),
        ("kind", "both"),
        ("gpu", None),
        ("link", "none"),
        ("prefill_tp", 1.5),
    ],
)
def test_what_the_scenario_refuses_is_refused(column: str, value: Any) -> None:
    with pytest.raises((InputError, ValidationError)):
        with_cell(Scenario(), "split-400g", column, value)


def test_an_optional_cell_may_be_emptied() -> None:
    priced = with_cell(Scenario(), "split-400g", "usd_per_gpu_hour", 2.5)
    assert priced.selected.usd_per_gpu_hour == 2.5
    assert with_cell(priced, "split-400g", "usd_per_gpu_hour", None) == Scenario()
    assert with_cell(Scenario(), "split-400g", "overlap", "layer").selected.profile.overlap == "layer"


@pytest.mark.parametrize(("column", "value"), [("weight_format", "fp2"), ("kv_dtype", "fp8_ds_mla")])
def test_what_its_gpu_or_its_model_hasnt_is_refused_in_its_cell(column: str, value: str) -> None:
    with pytest.raises((InputError, ValidationError)) as caught:
        with_cell(Scenario(), "split-400g", column, value)
    assert value in str(caught.value)


def test_a_time_without_its_number_is_refused_in_its_cell() -> None:
    with pytest.raises((InputError, ValidationError)) as caught:
        with_cell(Scenario(), "split-400g", "prefill_model", "rate")
    assert "prefill_tokens_per_s" in str(caught.value)


def test_edits_change_the_scenario_and_can_be_undone_one_by_one(visit: State) -> None:
    edited({"1": {"prefill_workers": 2, "name": "Two"}}, visit.scenario.deployments)
    row = visit.scenario.row("split-400g")
    assert (row.prefill_workers, row.name, row.gpus) == (2, "Two", 12)
    assert len(visit.undo) == 2
    assert visit.undo[0] == Scenario()


def test_a_refused_cell_keeps_the_last_good_value_and_says_why(visit: State) -> None:
    edited({1: {"prefill_workers": 2}, 2: {"prefill_workers": -1}}, visit.scenario.deployments)
    assert visit.scenario.row("split-400g").prefill_workers == 2
    assert visit.scenario.row("split-fp8").prefill_workers == 1
    (sentence,) = refused(visit.scenario)
    assert "Split, 400G, fp8 KV" in sentence.replace("\\", "")
    assert "must be a whole number from 1 to 100,000" in sentence
    edited({1: {"prefill_workers": 2}, 2: {"prefill_workers": 3}}, visit.scenario.deployments)
    assert refused(visit.scenario) == []
    assert visit.scenario.row("split-fp8").prefill_workers == 3


def test_edits_seen_before_are_no_new_change(visit: State) -> None:
    for _ in range(2):
        edited({1: {"prefill_workers": 2}}, visit.scenario.deployments)
    assert len(visit.undo) == 1


def test_a_hostile_name_is_shown_as_it_is(visit: State) -> None:
    visit.scenario = visit.scenario.with_row("split-fp8", name="**b** <img>")
    edited({2: {"prefill_tp": 0}}, visit.scenario.deployments)
    assert r"\*\*b\*\* \<img\>" in refused(visit.scenario)[0]


def test_columns_are_fields_of_a_deployment() -> None:
    assert set(COLUMNS) <= set(Deployment.model_fields)
    assert set(row_table.NUMBERS) | set(OPTIONAL) <= set(COLUMNS)
