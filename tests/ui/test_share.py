"""A scenario as a link and back: the same to the bit, and a sentence for whatever else a URL holds."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model import MODEL_VERSION
from aisim_model.models.spec import ModelSpec
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.scenario.explore import Ends, Explore, Ranges
from aisim_model.scenario.presets import SCENARIOS
from aisim_model.scenario.sides import Sides
from aisim_ui.share import MAX_PACKED, MAX_UNPACKED, link, packed, read, repaired

MARKUP = "<script>alert(1)</script> ![x](http://192.0.2.1/x.png) **bold** :material/home:"


def packed_raw(data: object) -> str:
    """Pack what is no scenario as a scenario is packed."""
    return packed_text(json.dumps(data))


def packed_text(text: str) -> str:
    return base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip("=")


def edited(**fields: Any) -> dict[str, Any]:
    data: dict[str, Any] = Scenario().model_dump(mode="json")
    return {**data, **fields}


@given(data=st.data())
def test_a_link_rebuilds_the_scenario(any_scenario: Any, data: st.DataObject) -> None:
    scenario = data.draw(any_scenario)
    url = urlsplit(link("http://localhost:8501/deployments?old=1#part", scenario))
    parameters = {name: values[0] for name, values in parse_qs(url.query).items()}
    assert url.path == "/deployments"
    assert parameters["v"] == MODEL_VERSION
    assert read(parameters) == (scenario, [])


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_link_of_a_worked_scenario_is_short_enough_to_send(name: str) -> None:
    assert len(link("http://localhost:8501/", SCENARIOS[name])) < 2000


def test_six_rows_that_differ_in_much_are_short_enough_to_send() -> None:
    rows = tuple(
        Deployment(
            id=f"row-{n}",
            name=f"Choice {n}: {link_id} and {engine_id}",
            color=n,
            gpu=gpu,
            prefill_tp=2**n,
            decode_workers=n + 1,
            kv_dtype=dtype,
            link=link_id,
            nics_per_gpu=0.25 * (n + 1),
            engine=engine_id,
            bandwidth_gb_s=12.345 * (n + 1),
            usd_per_gpu_hour=1.23 + n,
        )
        for n, (gpu, link_id, engine_id, dtype) in enumerate(
            [
                ("h200", "ib-ndr-400", "vllm", "bf16"),
                ("h100-sxm", "nvlink4", "sglang", "fp8"),
                ("b200", "roce-100", "trtllm", "bf16"),
                ("h200", "eth-100", "vllm", "int8"),
                ("h100-sxm", "pcie5-x16", "sglang", "fp16"),
                ("b200", "eth-25", "reference", "fp8"),
            ]
        )
    )
    explore = Explore(x="mfu", y=None, ranges=Ranges(mfu=Ends(0.123, 0.789, "log")))
    scenario = Scenario(deployments=rows, selected_id="row-1", baseline_id="row-0", explore=explore)
    assert len(link("https://planner.example.com/deployments", scenario)) <= 2000


def test_ones_own_model_is_in_the_link() -> None:
    config = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100}
    scenario = Scenario(workload=Workload(model=ModelSpec.from_config(config, "tiny <b>")))
    assert read({"s": packed(scenario)}) == (scenario, [])


def test_every_value_is_written_out() -> None:
    text = packed(Scenario())
    data = json.loads(zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))))
    assert set(data["workload"]) == set(Workload.model_fields)
    left_open = {name for name, spec in Sides.model_fields.items() if spec.default is None}
    assert all(set(row) == set(Deployment.model_fields) - left_open for row in data["deployments"])


@given(at=st.integers(0, 10_000), sign=st.characters(), data=st.data())
def test_a_link_with_another_sign_never_raises(at: int, sign: str, data: st.DataObject) -> None:
    text = packed(Scenario())
    at %= len(text)
    mutated = text[:at] + sign + text[at + data.draw(st.integers(0, 3)) :]
    scenario, said = read({"s": mutated})
    assert scenario == Scenario() or said


@given(cut=st.integers(0, 5000))
def test_a_cut_link_is_said_to_be_cut(cut: int) -> None:
    text = packed(Scenario())
    scenario, said = read({"s": text[: cut % len(text)]})
    assert scenario is None
    assert "link can't be read" in said[0]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(data=st.data(), junk=JSON)
def test_any_value_in_any_place_is_a_sentence_and_the_rest_stays(data: st.DataObject, junk: Any) -> None:
    given_data = edited()
    where = data.draw(st.sampled_from(["top", "workload", "row"]))
    if where == "workload":
        part = given_data["workload"]
    elif where == "row":
        part = given_data["deployments"][data.draw(st.integers(0, 4))]
    else:
        part = given_data
    part[data.draw(st.sampled_from(sorted(part)) | st.text())] = junk
    scenario, said = read({"s": packed_raw(given_data)})
    assert isinstance(scenario, Scenario)
    assert said or scenario == Scenario.model_validate(given_data)


@given(junk=JSON)
def test_any_json_is_a_sentence(junk: Any) -> None:
    scenario, said = read({"s": packed_raw(junk)})
    assert scenario == Scenario()
    assert said or junk == {}


def test_one_wrong_field_costs_that_field_only() -> None:
    data = edited()
    data["workload"] |= {"prompt_tokens": -5, "output_tokens": 77}
    data["deployments"][3] |= {"link": "carrier-pigeon", "nics_per_gpu": 0.5}
    scenario, said = repaired(data)
    assert scenario.workload.prompt_tokens == 12_000
    assert scenario.workload.output_tokens == 77
    assert (scenario.deployments[3].link, scenario.deployments[3].nics_per_gpu) == ("ib-ndr-400", 0.5)
    assert len(said) == 2
    assert "workload.prompt_tokens = -5" in said[0]
    assert "carrier-pigeon" in said[1]


def test_rows_without_a_name_go_and_the_others_stay() -> None:
    data = edited()
    for at in (1, 2):
        del data["deployments"][at]["name"]
        del data["deployments"][at]["id"]
    scenario, said = repaired(data)
    assert [row.id for row in scenario.deployments] == ["aggregated", "split-100g", "split-tcp"]
    assert scenario.selected_id == "aggregated"  # the row that was selected is gone
    assert len(said) == 5


@pytest.mark.parametrize("field", ["selected_id", "baseline_id"])
def test_an_id_without_a_row_is_the_first_rows(field: str) -> None:
    data = edited(**{field: "gone"})
    data["deployments"] = data["deployments"][2:]
    data["workload"]["prompt_tokens"] = 500
    scenario, said = repaired(data)
    assert getattr(scenario, field) == "split-fp8"
    assert scenario.workload.prompt_tokens == 500
    assert len(scenario.deployments) == 3
    assert any(field in line for line in said)


def test_a_time_without_its_number_falls_back_to_the_default_and_the_row_stays() -> None:
    data = edited()
    data["deployments"][2] |= {"prefill_model": "rate", "decode_model": "fixed", "kv_dtype": "int8"}
    scenario, said = repaired(data)
    row = scenario.deployments[2]
    assert (row.prefill_model, row.decode_model, row.kv_dtype) == ("roofline", "roofline", "int8")
    assert len(said) == 2


def test_a_wrong_part_of_ones_own_model_costs_the_model_whole() -> None:
    config = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100}
    data = Scenario(
        workload=Workload(model=ModelSpec.from_config(config, "tiny"), prompt_tokens=9)
    ).model_dump(mode="json")
    data["workload"]["model"]["layers"] = -1
    scenario, said = repaired(data)
    assert scenario.workload == Workload(prompt_tokens=9)
    assert "layers = -1" in said[0]


def test_the_same_id_twice_costs_the_rows_and_not_the_workload() -> None:
    data = edited()
    data["deployments"][1]["id"] = "aggregated"
    data["workload"]["prompt_tokens"] = 500
    scenario, said = repaired(data)
    assert scenario.workload.prompt_tokens == 500
    assert said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x" * (MAX_PACKED + 1), "longer than 30,000 characters"),
        ("A" * 10_000, "no scenario"),
        ("%%%", "no scenario"),
        (packed_text("[" * 100_000), "no scenario"),
        (packed_text("1" * 5_000), "no scenario"),
        (packed_text(" " * (MAX_UNPACKED + 1)), "more than a scenario"),
        (packed_text("{")[:-3], "cut"),
        ("é", "no scenario"),
        (MARKUP, "no scenario"),
    ],
)
def test_what_is_no_scenario_is_a_sentence(text: str, says: str) -> None:
    scenario, said = read({"s": text})
    assert scenario is None
    assert says in said[0]
    assert len(said[0]) < 300


def test_thousands_of_wrong_values_are_answered_at_once() -> None:
    scenario, said = read({"s": packed_raw(edited(**{f"x{n}": 0 for n in range(5_000)}))})
    assert scenario == Scenario()
    assert len(said) == 5_000


@pytest.mark.parametrize(
    ("name", "text", "field"),
    [
        ("prompt_tokens", "8192", lambda scenario: scenario.workload.prompt_tokens == 8192),
        ("model_id", "llama-3.1-8b", lambda scenario: scenario.workload.model_id == "llama-3.1-8b"),
        ("bandwidth_gb_s", "50", lambda scenario: scenario.selected.bandwidth_gb_s == 50),
        ("bandwidth_gb_s", "", lambda scenario: scenario.selected.bandwidth_gb_s is None),
        ("timing_mode", "destination_missing", lambda s: s.selected.timing_mode == "destination_missing"),
        ("selected_id", "split-tcp", lambda scenario: scenario.selected.name == "Split, one 100G TCP"),
    ],
)
def test_a_single_field_by_its_name(name: str, text: str, field: Any) -> None:
    scenario, said = read({name: text})
    assert not said
    assert field(scenario)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("prompt_tokens", "0"),
        ("prompt_tokens", "-1"),
        ("prompt_tokens", "1.5"),
        ("prompt_tokens", "1e400"),
        ("prompt_tokens", ""),
        ("prompt_tokens", "9" * 5000),
        ("prompt_tokens", MARKUP),
        ("bandwidth_gb_s", "nan"),
        ("bandwidth_gb_s", "1e400"),
        ("kv_bytes_per_token", str(2**63)),
        ("ttft_slo_ms", "inf"),
        ("model_id", MARKUP),
        ("model", "{}"),
        ("id", "x"),
        ("no_such_field", "1"),
        ("x" * 10_000, "1"),
        ("link", "x" * 10_000),
        ("selected_id", "gone"),
        ("__class__", "1"),
    ],
)
def test_a_wrong_single_field_is_a_sentence_and_the_rest_is_taken(name: str, text: str) -> None:
    scenario, said = read({name: text, "output_tokens": "77"})
    assert scenario == Scenario().with_workload(output_tokens=77)
    assert len(said) == 1
    assert said[0].startswith("In the link, ")
    assert len(said[0]) < 700


def test_a_link_of_another_model_version_says_so() -> None:
    scenario, said = read({"s": packed(Scenario()), "v": "0.0.1"})
    assert scenario == Scenario()
    assert "model '0.0.1'" in said[0]


def test_an_empty_url_asks_for_nothing() -> None:
    assert read({}) == (None, [])


@pytest.mark.parametrize(
    ("wrong", "left"),
    [
        ({"x": "nothing", "count": 99}, Explore(count=99)),
        ({"x": "bandwidth_gb_s", "count": 99}, Explore()),  # twice the same field: neither is taken
        ({"count": 10**12, "share": 0.2}, Explore(share=0.2)),
        ({"ranges": {"mfu": [0.8, 0.2, "lin"]}, "share": 0.2}, Explore(share=0.2)),
        ({"ranges": {"mfu": [0, 0.2, "log"]}, "share": 0.2}, Explore(share=0.2)),
        ({"ranges": {"mfu": ["<b>", None]}, "share": 0.2}, Explore(share=0.2)),
    ],
)
def test_what_is_wrong_of_what_is_explored_costs_that_field(wrong: dict[str, Any], left: Explore) -> None:
    scenario, said = repaired(edited(explore=wrong))
    assert scenario == Scenario.model_validate(edited()).changed(explore=left)
    assert said


def test_a_link_cut_behind_its_version_says_so() -> None:
    scenario, said = read({"v": MODEL_VERSION})
    assert scenario is None
    assert "was cut" in said[0]
