"""What a scenario accepts and refuses, and how it is changed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from aisim_model.errors import sentences
from aisim_model.models.spec import ModelSpec
from aisim_model.scenario import Deployment, Scenario, Workload

TINY = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100}


def row(**values: Any) -> Deployment:
    return Deployment.model_validate({"id": "row", "name": "Row", **values})


def refusal(kind: Any, **values: Any) -> str:
    with pytest.raises(ValidationError) as refused:
        kind(**values)
    return " ".join(sentences(refused.value))


def test_the_example_is_the_published_workload() -> None:
    workload = Scenario().workload
    assert (workload.model_id, workload.prompt_tokens, workload.output_tokens) == ("qwen3-32b", 12_000, 340)
    assert (workload.ttft_slo_ms, workload.itl_slo_ms) == (2000, 25)
    assert [(row.gpu, row.kind, row.gpus) for row in Scenario().deployments] == [
        ("h200", "aggregated", 8),
        *[("h200", "split", 8)] * 4,
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("prompt_tokens", 0),
        ("prompt_tokens", -5),
        ("prompt_tokens", 1.5),
        ("prompt_tokens", 2**63),
        ("prompt_tokens", "many"),
        ("prompt_tokens", float("nan")),
        ("output_tokens", 0),
        ("prefill_cached_tokens", -1),
        ("decode_cached_tokens", 12_001),
        ("prefill_cached_tokens", 12_001),
        ("kv_bytes_per_token", -1),
        ("kv_bytes_per_token", 2**63),
        ("ttft_slo_ms", 0),
        ("ttft_slo_ms", float("inf")),
        ("itl_slo_ms", float("nan")),
        ("prompt", 5),
    ],
)
def test_a_wrong_value_of_the_workload_is_named(field: str, value: object) -> None:
    assert field in refusal(Workload, **{field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bandwidth_gb_s", float("nan")),
        ("bandwidth_gb_s", float("inf")),
        ("bandwidth_gb_s", 1e7),
        ("kv_bytes_per_token", 2**63),
        ("kv_bytes_per_token", 0.5),
        ("prefill_tp", 0),
        ("nics_per_gpu", 0),
        ("link_efficiency", 1.01),
        ("mfu", 0),
        ("overlap", "all"),
        ("color", -1),
        ("id", "Not An Id"),
        ("name", ""),
    ],
)
def test_a_wrong_value_of_a_row_is_named(field: str, value: object) -> None:
    assert field in refusal(row, **{field: value})


@pytest.mark.parametrize(
    ("field", "value", "near"),
    [
        ("gpu", "h20", "h200"),
        ("link", "ib-ndr", "ib-ndr-400"),
        ("engine", "vlm", "vllm"),
        ("kv_dtype", "f8", "fp8"),
    ],
)
def test_an_unknown_name_is_answered_with_known_ones(field: str, value: str, near: str) -> None:
    said = refusal(row, **{field: value})
    assert repr(value) in said
    assert near in said


@pytest.mark.parametrize(
    ("chooser", "choice", "field"),
    [
        ("prefill_model", "rate", "prefill_tokens_per_s"),
        ("prefill_model", "fixed", "prefill_pass_ms"),
        ("prefill_model", "table", "prefill_table"),
        ("decode_model", "fixed", "decode_step_ms"),
    ],
)
def test_a_model_without_its_number_is_refused(chooser: str, choice: str, field: str) -> None:
    said = refusal(row, **{chooser: choice})
    assert field in said
    assert choice in said


def test_a_table_that_falls_back_is_refused_whichever_model_is_chosen() -> None:
    assert "table" in refusal(row, prefill_table=((8192, 170), (128, 20)))


def test_weights_are_stored_in_any_format_on_any_gpu() -> None:
    assert row(weight_format="nvfp4", gpu="h200").weight_format == "nvfp4"
    assert row(weight_format="AWQ").weight_format == "int4"
    said = refusal(row, weight_format="fp2")
    assert "weight_format = 'fp2': is no format that engines serve weights in" in said
    assert "Choose checkpoint" in said


def test_an_older_precision_opens_with_its_meaning() -> None:
    assert row(weight_dtype="fp4").weight_format == "nvfp4"
    assert row(weight_dtype="fp8").weight_format == "fp8"
    assert row(weight_dtype="bf16").weight_format == "checkpoint"
    assert "weight_dtype = 'fp6': must be one of bf16, fp8, fp4" in refusal(row, weight_dtype="fp6")
    assert "Keep weight_format." in refusal(row, weight_dtype="fp8", weight_format="fp8")
    # gpt-oss is published in mxfp4 alone: what an engine loads whatever its dtype
    data = {"workload": {"model_id": "gpt-oss-120b"}, "selected_id": "a", "baseline_id": "a"}
    rows = [{"id": "a", "name": "a", "weight_dtype": precision} for precision in ("fp8",)]
    assert Scenario.model_validate({**data, "deployments": rows}).selected.weight_format == "checkpoint"


def test_a_bandwidth_is_none_or_enough_for_a_time_in_floats() -> None:
    assert "bandwidth_gb_s = 5e-324" in refusal(row, bandwidth_gb_s=5e-324)
    assert row(bandwidth_gb_s=1e-6).bandwidth_gb_s == 1e-6


def test_an_unknown_model_or_kind_is_refused() -> None:
    assert "qwen3-32b" in refusal(Workload, model_id="no-such-model")
    with pytest.raises(ValidationError, match="aggregated"):
        row(kind="both")


@pytest.mark.parametrize("table", [(), ((1, 2),), ((128, float("nan")), (8192, 1))])
def test_a_table_that_is_none_is_refused(table: Any) -> None:
    assert "table" in refusal(row, prefill_table=table)


def test_bandwidth_of_0_and_below_is_accepted_as_none() -> None:
    assert row(bandwidth_gb_s=0).bandwidth_gb_s == 0
    assert row(bandwidth_gb_s=-1).bandwidth_gb_s == -1


def test_names_are_taken_as_their_ids_and_dtypes_by_their_aliases() -> None:
    assert row(kv_dtype="bfloat16").kv_dtype == "bf16"


def test_gpus_count_both_sides_of_a_split_row_only() -> None:
    sizes = {"prefill_tp": 2, "prefill_workers": 3, "decode_tp": 8, "decode_workers": 4}
    assert row(**sizes).gpus == 2 * 3 + 8 * 4
    assert row(kind="aggregated", **sizes).gpus == 2 * 3


def test_an_open_field_is_the_engines_and_a_given_one_its_own() -> None:
    assert row(engine="sglang").profile.overlap == "chunk"
    assert row(engine="sglang", overlap="none", block_size=64).profile.overlap == "none"
    assert row(engine="sglang", block_size=64).profile.block_size == 64


def test_ones_own_model_is_served_in_place_of_the_catalogues() -> None:
    spec = ModelSpec.from_config(TINY, "tiny")
    assert Workload(model=spec).served.name == "tiny"
    assert Workload(model_id="llama-3.1-8b").served.name == "Llama-3.1-8B"


@pytest.mark.parametrize("field", ["selected_id", "baseline_id"])
def test_an_id_without_a_row_is_refused(field: str) -> None:
    assert field in refusal(Scenario, **{field: "gone"})


def test_ids_are_rows_own_and_rows_are_counted() -> None:
    assert "own" in refusal(Scenario, deployments=(row(), row()), selected_id="row", baseline_id="row")
    assert "deployments" in refusal(Scenario, deployments=())
    many = tuple(row(id=f"row-{n}") for n in range(41))
    assert "40" in refusal(Scenario, deployments=many, selected_id="row-0", baseline_id="row-0")


def test_a_change_is_validated_and_leaves_the_rest() -> None:
    before = Scenario()
    after = before.with_row("split-tcp", link="eth-25").with_workload(prompt_tokens=500)
    assert after.row("split-tcp").link == "eth-25"
    assert after.row("split-400g") == before.row("split-400g")
    assert (after.workload.prompt_tokens, before.workload.prompt_tokens) == (500, 12_000)
    with pytest.raises(ValidationError):
        before.with_row("split-tcp", nics_per_gpu=-1)


def test_a_scenario_can_not_be_changed_in_place() -> None:
    with pytest.raises(ValidationError):
        Scenario().workload.prompt_tokens = 5


@given(data=st.data())
def test_json_is_the_scenario(any_scenario: Any, data: st.DataObject) -> None:
    scenario = data.draw(any_scenario)
    assert Scenario.model_validate_json(scenario.model_dump_json()) == scenario
    assert hash(Scenario.model_validate_json(scenario.model_dump_json())) == hash(scenario)
