"""Tables for people: every column from the registry, with its unit, in digits that matter."""

from __future__ import annotations

import math
from typing import Any, get_args

import pandas as pd
import pytest

from aisim_model.compare.columns import (
    BREAK_EVEN,
    COMPARISON,
    COST,
    HANDOFF,
    MEMORY,
    ONE_REQUEST,
    OTHERS,
    SOLVED,
    UNDER_LOAD,
    columns_of,
)
from aisim_model.compare.table import compare
from aisim_model.scenario import Scenario, Workload
from aisim_model.solve.answers import Question, answers
from aisim_ui.deployments.results import SAYS, VIEWS
from aisim_ui.sentences.ranking import compared
from aisim_ui.sentences.solve import PER, record, said
from aisim_ui.tables import readable

LEFT_OUT = {"deployment_id", "kind", "timing_mode"}  # names of names, and what is the same in every row
EXAMPLE = Scenario()
UNITS = (("_ms", "ms"), ("_gb_s", "GB/s"), ("_per_s", "requests/s"), ("_gb_per_gpu", "GB"), ("_s", "s"))


def asked(scenario: Scenario, question: Question) -> pd.DataFrame:
    return pd.DataFrame([record(one) for one in answers(scenario, question)])


def table(scenario: Scenario) -> pd.DataFrame:
    return pd.DataFrame(compared(scenario, compare(scenario)))


def form(settings: Any) -> str:
    return str(settings["type_config"]["format"])


@pytest.mark.parametrize("column", [*COMPARISON, *OTHERS], ids=lambda column: column.name)
def test_a_column_that_is_shown_has_a_label_and_the_unit_of_its_name(column: Any) -> None:
    assert bool(column.label) >= bool(column.tables)
    unit = next((unit for ending, unit in UNITS if column.name.endswith(ending)), column.unit)
    assert not column.tables or column.unit == unit


def test_a_table_has_a_column_once() -> None:
    pairs = [(name, one.name) for one in (*COMPARISON, *OTHERS) for name in one.tables]
    assert len(pairs) == len(set(pairs))


def test_the_registry_is_the_header() -> None:
    assert list(table(EXAMPLE)) == [column.name for column in COMPARISON]


@pytest.mark.parametrize("question", get_args(Question))
def test_every_answer_has_a_column(question: Question) -> None:
    found = asked(EXAMPLE, question)
    which = BREAK_EVEN if question == "break-even" else SOLVED
    shown = {column.name for column in columns_of(which, found)}
    assert set(found) - LEFT_OUT - ({"answer"} if question == "break-even" else set()) <= shown


def test_the_last_prompt_is_told_from_the_first_beyond() -> None:
    (answer, *_) = answers(EXAMPLE, "prompt")
    one = record(answer)
    assert one["time_ms"] <= one["target_ms"] < one["one_more_ms"]
    _, settings = readable(pd.DataFrame([one]), SOLVED)
    digits = form(settings["time_ms"])
    assert digits % one["time_ms"] != digits % one["one_more_ms"]
    assert "within a TTFT of 2 s (1.9999" in said(answer)


def test_what_no_row_answers_is_no_column() -> None:
    assert "fit_problem" not in readable(asked(EXAMPLE, "bandwidth"), SOLVED)[0]
    misfit = EXAMPLE.with_row("split-fp8", gpu="l40s", decode_tp=1)
    assert "fit_problem" in readable(asked(misfit, "bandwidth"), SOLVED)[0]


def test_codes_are_words_and_counts_are_whole() -> None:
    scenario = Scenario(workload=Workload(handoff_budget_ms=10.0))
    cells, settings = readable(asked(scenario, "bandwidth"), SOLVED, {"link_is_per": PER})
    # the first row is aggregated and has no link
    assert cells["link_is_per"] == [None, "NIC", "NIC", "NIC", "NIC"]
    assert form(settings["links"]) == "localized"
    assert form(settings["needed_gb_s"]) == "%.5g"
    assert settings["needed_gb_s"]["label"] == "Needed [GB/s]"


@pytest.mark.parametrize("view", [HANDOFF, *VIEWS.values()])
def test_a_view_shows_columns_that_there_are(view: str) -> None:
    cells, settings = readable(table(EXAMPLE), view)
    assert list(cells) == list(settings)
    assert all(len(values) == 5 for values in cells.values())
    assert set(SAYS) == set(VIEWS)


def test_a_view_scales_shares_and_bytes() -> None:
    found = table(EXAMPLE)
    cells, settings = readable(found, ONE_REQUEST)
    assert cells["handoff_share"][1] == pytest.approx(found["handoff_share"].iloc[1] * 100)
    assert form(settings["handoff_share"]) == "%.2g%%"
    assert cells["wire_bytes"][1] == pytest.approx(3.145728)
    assert form(settings["ttft_difference_ms"]).startswith("%+")
    assert sorted(readable(found, COST)[0]["rank"]) == [1, 2, 3, 4, 5]
    assert "fit_problem" not in readable(found, MEMORY)[0]


def test_a_queue_without_end_is_an_empty_cell() -> None:
    flooded = EXAMPLE.with_workload(arrivals_per_s=50.0)
    cells, _ = readable(table(flooded), UNDER_LOAD)
    assert cells["overloaded"] == [True] * 5
    assert "loaded_ttft_ms" not in cells


def test_a_number_is_no_power_of_ten() -> None:
    cells, settings = readable({"ttft_ms": [304_618.4, 0.0642749, math.nan]}, "slowest")
    assert cells == {"ttft_ms": [304_600.0, 0.06427, None]}
    assert form(settings["ttft_ms"]) == "localized"
    cells, settings = readable({"ttft_difference_ms": [-12_345.6, 0.0]}, ONE_REQUEST)
    assert [form(settings["ttft_difference_ms"]) % one for one in cells["ttft_difference_ms"]] == [
        "-12350",
        "+0",
    ]
