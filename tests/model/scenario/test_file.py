"""Scenario files: partial ones, both formats, and a sentence with line and field for every fault."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from aisim_model.scenario import Scenario
from aisim_model.scenario.file import ScenarioFileError, read_scenario

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


def refused(content: str | bytes, name: str = "a.yaml") -> str:
    with pytest.raises(ScenarioFileError) as caught:
        read_scenario(content, name)
    return str(caught.value)


@settings(max_examples=40)  # reading YAML with its lines takes a while
@given(data=st.data())
def test_a_dumped_scenario_reads_back_as_it_was(data: Any, any_scenario: Any) -> None:
    scenario = data.draw(any_scenario)
    plain = scenario.model_dump(mode="json")
    assert read_scenario(json.dumps(plain), "a.json") == scenario
    assert read_scenario(yaml.safe_dump(plain), "a.yaml") == scenario


@pytest.mark.parametrize("file", sorted(EXAMPLES.iterdir()), ids=lambda file: file.name)
def test_every_example_reads(file: Path) -> None:
    assert read_scenario(file.read_bytes(), file.name).deployments


def test_an_empty_scenario_is_what_the_app_opens_on() -> None:
    assert read_scenario("{}") == Scenario()


def test_what_is_left_out_takes_its_default() -> None:
    found = read_scenario("workload:\n  prompt_tokens: 8192\n")
    assert found == Scenario().with_workload(prompt_tokens=8192)


def test_rows_may_leave_out_id_name_and_colour() -> None:
    found = read_scenario(
        "deployments:\n- {name: TP8 to TP8}\n- {kind: aggregated}\n- {id: x, name: Three}\n"
    )
    assert [(row.id, row.name, row.color) for row in found.deployments] == [
        ("tp8-to-tp8", "TP8 to TP8", 0),
        ("row-2", "row-2", 1),
        ("x", "Three", 2),
    ]
    assert (found.selected_id, found.baseline_id) == ("tp8-to-tp8", "row-2")


def test_rows_of_one_name_get_ids_of_their_own() -> None:
    found = read_scenario("deployments:\n- {name: A}\n- {name: A}\n")
    assert len({row.id for row in found.deployments}) == 2


def test_anchors_and_merged_rows_are_read() -> None:
    text = "deployments:\n- &base {name: A, gpu: h100-sxm}\n- {<<: *base, name: B, kind: aggregated}\n"
    assert [row.gpu for row in read_scenario(text).deployments] == ["h100-sxm", "h100-sxm"]


def test_json_with_tabs_knows_its_lines() -> None:
    assert refused('{\n\t"workload": {\n\t\t"prompt_tokens": -1}}', "a.json").startswith("a.json, line 3: ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "workload:\n  promt_tokens: 1\n",
            "a.yaml, line 2: workload.promt_tokens is no field of a workload; the nearest is prompt_tokens.",
        ),
        (
            "deployments:\n- name: A\n  nics: 1\n  prefil_tp: 4\n",
            "a.yaml, line 4: deployments.0.prefil_tp is no field of a deployment; the nearest is prefill_tp.",
        ),
        (
            "workload:\n  prompt_tokens: 0\n",
            "line 2: workload.prompt_tokens = 0: must be at least 1.",
        ),
        ("workload:\n  prompt_tokens: 12.5\n", "line 2: workload.prompt_tokens = 12.5"),
        ("workload:\n  prompt_tokens: yes\n", "line 2: workload.prompt_tokens = True: must be a number"),
        ("workload:\n  ttft_slo_ms: .nan\n", "line 2: workload.ttft_slo_ms = nan"),
        ("workload:\n  ttft_slo_ms:\n", "line 2: workload.ttft_slo_ms = None"),
        (
            "workload:\n  prompt_tokens: 10\n  decode_cached_tokens: 11\n",
            "line 3: workload: decode_cached_tokens = 11: must be at most the prompt's 10 tokens.",
        ),
        (
            "deployments:\n- name: A\n- name: B\n  gpu: h20\n",
            "line 4: deployments.1.gpu: gpu = 'h20': is not in the catalogue; the nearest are",
        ),
        ("workload:\n  model_id: lama\n", "line 2: workload.model_id: model = 'lama'"),
        (
            "deployments:\n- name: A\n  prefill_model: rate\n",
            "line 3: deployments.0: prefill_model = 'rate': needs a number in prefill_tokens_per_s",
        ),
        ("deployments:\n- 3\n", "line 2: deployments.0 = 3"),
        ("deployments: []\n", "line 1: deployments = []"),
        ("deployments:\n- {id: a, name: A}\n- {id: a, name: B}\n", "must have ids of their own"),
        ("selected_id: nowhere\n", "line 1: selected_id = 'nowhere'"),
        ("schema_version: 2\n", "line 1: schema_version = 2"),
        (
            "workload:\n  prompt_tokens: 1\n  prompt_tokens: 2\n",
            "line 3: workload.prompt_tokens stands twice",
        ),
        ("", "line 1: the file is empty"),
        ("- 1\n", "line 1: the file holds [1]"),
        ("workload:\n\tprompt_tokens: 1\n", "line 2: the file is no YAML here"),
        ("a: 1\n---\nb: 2\n", "line 2: the file is no YAML here"),
        ("!!python/object/apply:os.system ['true']\n", "line 1: the file is no YAML here"),
        ("a: \x07\n", "line 1: the file holds a character that no text has"),
        ("a: &a [*a]\n", "the file holds more than a scenario does"),
        ("[" * 5000, "the file is nested too deeply"),
        ("workload: {prompt_tokens: " + "9" * 5000 + "}\n", "can't be read"),
    ],
)
def test_every_fault_names_its_line(text: str, sentence: str) -> None:
    assert sentence in refused(text)


def test_all_faults_are_said_at_once() -> None:
    said = refused(
        "workload:\n  prompt_tokens: 0\n  ttft_slo_ms: -1\ndeployments:\n- {name: A, link: none}\n"
    )
    assert [line.split(":")[0] for line in said.splitlines()] == [f"a.yaml, line {n}" for n in (2, 3, 5)]


def test_json_faults_name_their_line() -> None:
    assert refused('{"workload":\n {"prompt_tokens": 1,}}', "a.json").startswith("a.json, line 2: ")
    assert "stands twice" in refused('{"workload": {"prompt_tokens": 1, "prompt_tokens": 2}}', "a.json")
    assert "line 1: workload.ttft_slo_ms = nan" in refused('{"workload": {"ttft_slo_ms": NaN}}', "a.json")


def test_what_is_no_text_or_too_much_is_refused() -> None:
    assert refused(b"a: 1\nb: \xff").startswith("a.yaml, line 2: the file is no UTF-8 text")
    assert "larger than" in refused(b" " * 1_000_001)
    bomb = "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"{b}: &{b} [{','.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcde", "bcdef", strict=True)
    )
    assert "holds more than a scenario does" in refused(bomb)


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_whatever_a_file_holds_it_is_read_or_refused_in_a_sentence(content: str | bytes) -> None:
    try:
        assert read_scenario(content).deployments
    except ScenarioFileError as error:
        said = str(error)
    else:
        return
    assert said.startswith("scenario, line ")


def test_the_error_survives_a_way_between_processes() -> None:
    with pytest.raises(ScenarioFileError) as caught:
        read_scenario("x: 1", "a.yaml")
    # a copy goes the way that a process sends it
    assert str(copy.copy(caught.value)) == str(caught.value)


def test_a_kv_format_of_ones_own_is_read() -> None:
    found = read_scenario("deployments:\n  - {name: own, kv_dtype: 4 bit + 4 B/head}\n")
    assert found.deployments[0].kv_dtype == "4bit+4B/head"
