"""The table of the inverse questions: each column named with its unit, and digits that matter."""

from __future__ import annotations

from typing import get_args

import pandas as pd
import pytest

from aisim_model.scenario import Scenario, Workload
from aisim_model.solve.answers import Question, answers
from aisim_ui.solve.solutions import said
from aisim_ui.solve.table import TITLES, for_people, settings

LEFT_OUT = {"deployment_id", "kind", "timing_mode"}  # names of names, and what is the same in every row


@pytest.mark.parametrize("question", get_args(Question))
def test_every_column_has_a_title_and_its_unit(question: Question) -> None:
    found = pd.DataFrame(answers(Scenario(), question))
    assert set(found) - LEFT_OUT <= set(TITLES)
    for name in set(found) - LEFT_OUT:
        for ending, unit in (("_ms", "[ms]"), ("_gb_s", "[GB/s]"), ("_per_s", "[requests/s]")):
            assert not name.endswith(ending) or unit in TITLES[name]
    shown = for_people(found)
    assert set(settings(shown)) == set(shown)


def test_an_answer_on_one_measure_alone_is_no_answer_to_the_question() -> None:
    shown = for_people(pd.DataFrame(answers(Scenario(), "break-even")))
    assert "answer" not in shown
    assert {"itl_answer", "ttft_answer"} <= set(shown)


def test_the_last_prompt_is_told_from_the_first_beyond() -> None:
    (one, *_) = answers(Scenario(), "prompt")
    assert one["time_ms"] <= one["target_ms"] < one["one_more_ms"]
    digits = settings(for_people(pd.DataFrame([one])))["time_ms"]["type_config"]["format"]
    assert digits % one["time_ms"] != digits % one["one_more_ms"]
    words = said("prompt", one)
    assert "within a TTFT of 2 s (1.9999" in words


def test_what_no_row_answers_is_no_column() -> None:
    shown = for_people(pd.DataFrame(answers(Scenario(), "bandwidth")))
    assert "fit_problem" not in shown
    misfit = Scenario().with_row("split-fp8", gpu="l40s", decode_tp=1)
    assert "fit_problem" in for_people(pd.DataFrame(answers(misfit, "bandwidth")))


def test_ids_are_words_and_counts_are_whole() -> None:
    scenario = Scenario(workload=Workload(handoff_budget_ms=10.0))
    shown = for_people(pd.DataFrame(answers(scenario, "bandwidth")))
    assert set(shown["target"]) == {"handoff"}
    # the first row is aggregated and has no link
    assert shown["link_is_per"].isna().tolist() == [True, False, False, False, False]
    assert set(shown["link_is_per"].dropna()) == {"NIC"}
    columns = settings(shown)
    assert columns["links"]["type_config"]["format"] == "localized"
    assert columns["needed_gb_s"]["type_config"]["format"] == "%.5g"
    assert columns["needed_gb_s"]["label"] == "Needed [GB/s]"
