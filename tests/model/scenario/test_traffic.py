"""Traffic as a part of a scenario: its bounds, its rule, and what a link carries of it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from aisim_model.errors import sentences
from aisim_model.scenario import Scenario
from aisim_model.scenario.traffic import SyntheticRule, TraceFile, Traffic
from aisim_model.traces import synthetic_trace

FILE = {"name": "mine.csv", "sha256": "ab" * 32, "rows": 12}


def test_a_scenario_without_traffic_is_as_it_was() -> None:
    old = Scenario().model_dump(mode="json")
    del old["traffic"]
    assert Scenario.model_validate(old) == Scenario()


@pytest.mark.parametrize(
    "values",
    [
        {"rate_factor": 0},
        {"rate_factor": float("inf")},
        {"window_start_s": -1},
        {"window_start_s": 5, "window_end_s": 5},
        {"deployment_ids": ["a"] * 7},
        {"example_id": "<script>"},
        {"file": {**FILE, "sha256": "short"}},
        {"file": {**FILE, "columns": [["colour", "x"]]}},
        {"synthetic": {"requests": 0}},
        {"synthetic": {"requests": 10**9}},
        {"level": "both"},
    ],
)
def test_what_no_replay_takes_is_refused_by_field(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        Traffic.model_validate(values)
    assert all("=" in line for line in sentences(caught.value))


def test_a_file_is_in_json_by_its_name_rows_and_hash_alone() -> None:
    traffic = Traffic(source="file", file=TraceFile.model_validate(FILE))
    dumped = traffic.model_dump(mode="json")
    assert Traffic.model_validate(dumped) == traffic
    assert {key for key, value in dumped["file"].items() if value} == {"name", "sha256", "rows"}


def test_a_rule_makes_its_lengths() -> None:
    rule = SyntheticRule(
        requests=4,
        requests_per_s=2.0,
        arrivals="constant",
        prompt_length="fixed",
        prompt_tokens=100,
        answer_length="fixed",
        answer_tokens=7,
    )
    trace = synthetic_trace(rule.traffic())
    assert trace.arrival_ms.tolist() == [0.0, 500.0, 1000.0, 1500.0]
    assert set(trace.input_tokens.tolist()) == {100}
    assert set(trace.output_tokens.tolist()) == {7}
    assert not trace.has_hash_ids


def test_a_rule_shares_prefixes_in_front_of_prompts() -> None:
    rule = SyntheticRule(requests=50, prompt_length="fixed", prompt_tokens=100, prefix_groups=1)
    trace = synthetic_trace(rule.traffic())
    assert set(trace.input_tokens.tolist()) == {2148}  # 2,048 of prefix and 100 of prompt
    # 2,048 tokens are four whole blocks of 512, the same in every request
    assert {tuple(trace.hash_ids_of(index)[:4].tolist()) for index in range(50)} == {(0, 1, 2, 3)}


def test_lengths_of_a_trace_are_drawn_where_either_is() -> None:
    assert SyntheticRule(prompt_length="trace").draws
    assert SyntheticRule(answer_length="trace").draws
    assert not SyntheticRule().draws
