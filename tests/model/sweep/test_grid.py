"""A sweep says of each point what the scalar model says, to the last bit where the reference applies."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from aisim_model.errors import InputError, sentences
from aisim_model.handoff import HandoffTransferTiming
from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.scenario.presets import SCENARIOS
from aisim_model.sweep import COLUMNS, frame, swept, values
from aisim_model.sweep.changed import changed
from aisim_model.sweep.columns import Columns

FIXED = {"prefill_model": "fixed", "prefill_pass_ms": 10.0, "decode_model": "fixed", "decode_step_ms": 5.0}
BY_HAND = Scenario(
    workload=Workload(kv_bytes_per_token=1_000_000),
    deployments=(Deployment.model_validate({"id": "a", "name": "a", "bandwidth_gb_s": 1.0, **FIXED}),),
    selected_id="a",
    baseline_id="a",
)


def scalar(scenario: Scenario, row: Deployment, point: dict[str, Any]) -> Columns:
    """Return the columns of one point, by the scalar model alone."""
    workload, changed_row = changed(scenario.workload, row, point)
    return Columns(resolve(workload, changed_row), workload.ttft_slo_ms, workload.output_tokens)


def assert_as_scalar(scenario: Scenario, vary: list[str], exact: tuple[str, ...] = ()) -> pd.DataFrame:
    """Compare each row of a sweep to the scalar model."""
    sweep = swept(scenario, vary)
    found = frame(sweep)
    assert len(found) == sweep.points
    fields = [axis.field for axis in sweep.axes]
    for record in found.to_dict("records"):
        row = scenario.row(record["deployment_id"])
        alone = scalar(scenario, row, {field: record[field] for field in fields})
        assert record["fits"] == (row_memory(alone.x, alone.output_tokens).problem is None)
        for name in COLUMNS:
            wanted = np.asarray(getattr(alone, name)).item()
            if name in exact:
                assert record[name] == wanted, (name, record)
            else:
                np.testing.assert_allclose(record[name], wanted, rtol=1e-12)
    return found


def test_worked_by_hand() -> None:
    # 128 tokens x 1,000,000 B at 1 GB/s = 128 ms; 10 ms prefill and 5 ms step beside it: 143
    found = frame(swept(BY_HAND, ["prompt_tokens=64,128", "bandwidth_gb_s=1,2"]))
    assert found["handoff_ms"].tolist() == [64.0, 32.0, 128.0, 64.0]
    assert found["ttft_ms"].tolist() == [79.0, 47.0, 143.0, 79.0]
    assert found["sent_tokens"].tolist() == [64, 64, 128, 128]
    assert found["wire_bytes"].tolist() == [64e6, 64e6, 128e6, 128e6]
    assert found["handoff_share"].tolist() == [64 / 79, 32 / 47, 128 / 143, 64 / 79]


@settings(max_examples=60)
@given(
    st.lists(st.integers(1, 10_000_000), min_size=1, max_size=5, unique=True),
    st.lists(st.floats(1e-3, 1e5), min_size=1, max_size=5, unique=True),
    st.lists(st.integers(0, 1_000_000_000), min_size=1, max_size=4, unique=True),
)
def test_equal_to_the_reference_to_the_last_bit(
    tokens: list[int], bandwidths: list[float], sizes: list[int]
) -> None:
    vary = [
        f"{field}={','.join(map(repr, some))}"
        for field, some in (
            ("kv_bytes_per_token", sizes),
            ("prompt_tokens", tokens),
            ("bandwidth_gb_s", bandwidths),
        )
    ]
    found = values(swept(BY_HAND, vary), ["transfer_ms", "handoff_ms"])
    for i, (size, prompt, bandwidth) in enumerate(itertools.product(sizes, tokens, bandwidths)):
        timing = HandoffTransferTiming(
            full_prompt_tokens=prompt, kv_bytes_per_token=size, bandwidth_gb_s=bandwidth
        )
        assert found["transfer_ms"].flat[i] == timing.full_prompt_delay_ms()
        assert found["handoff_ms"].flat[i] == timing.full_prompt_delay_ms()


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_worked_scenario_point_by_point(name: str) -> None:
    exact = ("sent_tokens", "wire_bytes", "transfer_ms", "handoff_ms", "meets_ttft_slo")
    vary = ["bandwidth_gb_s=0.5:400:log:4", "prompt_tokens=100:200000:log:5"]
    assert_as_scalar(SCENARIOS[name], vary, exact)


@pytest.mark.parametrize(
    "vary",
    [
        ["kv_dtype=bf16,fp8", "prompt_tokens=100:20000:log:3"],
        ["prefill_tp=1,2,4", "decode_tp=1,2,8", "prompt_tokens=100,12000"],
        ["timing_mode=full_prompt,destination_missing", "decode_cached_tokens=0:12000:lin:4"],
        ["prefill_cached_tokens=0:12000:lin:7"],
        ["overlap=none,layer,chunk", "prompt_tokens=100:200000:log:4", "bandwidth_gb_s=1,200"],
        ["alpha_ms=0:3:lin:3", "orchestration_ms=0:200:lin:3"],
        ["mfu=0.2:0.8:lin:3", "memory_efficiency=0.2:0.8:lin:3"],
        ["kv_bytes_per_token=1000:1000000:log:4", "prompt_tokens=100,12000"],
        ["link=ib-ndr-400,roce-100", "nics_per_gpu=0.25,1"],
        ["engine=vllm,sglang,trtllm", "prompt_tokens=130,12000"],
        ["first_token_from=decode_step,shipped,prefill", "bandwidth_gb_s=1,200"],
        ["ttft_slo_ms=10:2000:log:4", "prompt_tokens=100,12000"],
        ["decode_model=roofline,polynomial", "kv_bytes_per_token=1000,262144"],
        ["prefill_model=roofline,polynomial", "prompt_tokens=1,128,8192,8193"],
        ["model_id=qwen3-32b,deepseek-v3,gpt-oss-120b", "prompt_tokens=100,12000"],
        ["output_tokens=1,340,1000000"],
        ["gpu=h200,l40s", "prefill_tp=1,2,4", "prompt_tokens=100:10000000:log:5"],
        ["pool_tokens=100,13000", "prompt_tokens=100,12000"],
        ["kv_pool_share=0.1:0.9:lin:5", "kv_bytes_per_token=0:1000000:lin:3"],
    ],
)
def test_any_field_point_by_point(vary: list[str]) -> None:
    assert_as_scalar(Scenario(), vary, ("sent_tokens", "wire_bytes", "handoff_ms"))


def test_calibrated_link_point_by_point() -> None:
    rows = tuple(
        row.changed(link_model="calibrated", alpha_ms=0.4, per_descriptor_us=2.0)
        for row in Scenario().deployments
    )
    scenario = Scenario(deployments=rows)
    assert_as_scalar(scenario, ["link_efficiency=0.3:1:lin:3", "prompt_tokens=100,12000"], ("handoff_ms",))


def test_order_is_deployment_then_looked_up_then_the_rest_and_columns_as_given() -> None:
    found = frame(swept(Scenario(), ["prompt_tokens=10,20", "kv_dtype=bf16,fp8"]))
    assert found.columns[:4].tolist() == ["deployment_id", "deployment", "prompt_tokens", "kv_dtype"]
    assert found["deployment_id"].tolist()[:5] == ["aggregated"] * 4 + ["split-400g"]
    assert found["kv_dtype"].tolist()[:4] == ["bf16", "bf16", "fp8", "fp8"]
    assert found["prompt_tokens"].tolist()[:4] == [10, 20, 10, 20]
    assert found["prompt_tokens"].dtype == np.int64


def test_values_have_a_dimension_for_deployments_and_each_axis() -> None:
    sweep = swept(Scenario(), ["kv_dtype=bf16,fp8,int8", "prompt_tokens=10:100:lin:4"])
    found = values(sweep, ["ttft_ms", "meets_ttft_slo"])
    assert found["ttft_ms"].shape == (5, 3, 4)
    np.testing.assert_array_equal(found["ttft_ms"].ravel(), frame(sweep)["ttft_ms"])
    assert found["meets_ttft_slo"].dtype == np.bool_


def test_a_varied_decode_step_and_the_one_in_ttft_are_two_columns() -> None:
    # 128 ms of transfer and 10 of prefill; the token that is shipped takes no step
    shipped = BY_HAND.with_workload(prompt_tokens=128).with_row("a", first_token_from="shipped")
    found = frame(swept(shipped, ["decode_step_ms=5,7"]))
    assert found.columns.is_unique
    assert found["decode_step_ms"].tolist() == [5, 7]
    assert found["ttft_decode_step_ms"].tolist() == [0, 0]
    assert found["ttft_ms"].tolist() == [138, 138]


def test_blocks_leave_no_seam() -> None:
    # 40,000 points an axis is more than a block: values on both sides of the seam are the scalar's
    sweep = swept(BY_HAND, ["bandwidth_gb_s=1:400:log:40000"])
    found = frame(sweep)
    bandwidth = sweep.axes[0].at(0, 40_000)
    np.testing.assert_array_equal(found["bandwidth_gb_s"], bandwidth)
    np.testing.assert_array_equal(found["handoff_ms"], 12_000 * 1e6 / (bandwidth * 1e9) * 1000)


def test_a_prompt_shorter_than_what_is_cached_is_cached_whole() -> None:
    scenario = Scenario().with_workload(prefill_cached_tokens=6000, decode_cached_tokens=6000)
    scenario = scenario.with_row("split-400g", timing_mode="destination_missing", prefix_credit="tokens")
    found = frame(swept(scenario, ["prompt_tokens=1000,8000"]))
    split = found[found["deployment_id"] == "split-400g"]
    assert split["sent_tokens"].tolist() == [0, 2000]
    assert split["prefill_ms"].iloc[0] == 0


def test_no_bandwidth_is_no_delay_and_no_number() -> None:
    found = frame(swept(BY_HAND, ["bandwidth_gb_s=-1,0,1"]))
    assert found["handoff_ms"].isna().tolist() == [True, True, False]
    assert found["ttft_ms"].isna().tolist() == [True, True, False]
    assert found["meets_ttft_slo"].tolist() == [False, False, False]


def test_a_row_that_does_not_fit_has_no_times_but_the_links() -> None:
    # 4 x 48 GB x 0.9 less 65.5 GB of weights hold 107 GB: 12,000 tokens of 1 MB fit, 120,000 don't
    scenario = BY_HAND.with_row("a", gpu="l40s")
    found = frame(swept(scenario, ["prompt_tokens=12000,120000"]))
    assert found["fits"].tolist() == [True, False]
    assert found["ttft_ms"].isna().tolist() == [False, True]
    assert found["prefill_ms"].isna().tolist() == [False, True]
    assert found["meets_ttft_slo"].tolist()[1] is False
    assert found["handoff_ms"].tolist() == [12_000.0, 120_000.0]


def test_more_bandwidth_is_never_slower_nor_a_longer_prompt_faster() -> None:
    found = values(
        swept(Scenario(), ["bandwidth_gb_s=0.1:3200:log:60", "prompt_tokens=1:1000000:log:60"]), ["ttft_ms"]
    )["ttft_ms"]
    assert (np.diff(found, axis=1) <= 0).all()
    assert (np.diff(found, axis=2) >= 0).all()


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ([], "one, two or three"),
        ([f"{name}=1,2" for name in ("alpha_ms", "prompt_tokens", "prefill_tp", "decode_tp")], "three"),
        (["alpha_ms=1,2", "alpha_ms=3,4"], "twice"),
        (["prompt_tokens=0:100:lin:3"], "prompt_tokens = 0"),
        (["prompt_tokens=1:20000000:log:3"], "prompt_tokens = 20000000"),
        (["bandwidth_gb_s=1:2e6:log:3"], "bandwidth_gb_s = 2000000"),
        (["decode_cached_tokens=0,20000"], "at most the prompt's 12,000"),
        (["gpu=h200,h2000"], "h2000"),
        (["kv_dtype=bf16,fp9"], "fp9"),
        (["weight_dtype=bf16,fp6"], "weight_dtype"),
        (["bandwidth_gb_s=1e-310,1"], "bandwidth_gb_s = 1e-310"),
        (["bandwidth_gb_s=1:2:lin:1000000000"], "5,000,000,000 points"),
        (["chunk_tokens=1:10000:lin:10000"], "50,000 cases"),
    ],
)
def test_refused_before_any_work(vary: list[str], words: str) -> None:
    with pytest.raises((InputError, ValidationError)) as refused:
        swept(Scenario(), vary)
    error = refused.value
    assert words in (" ".join(sentences(error)) if isinstance(error, ValidationError) else str(error))


def test_a_table_in_memory_is_bounded() -> None:
    with pytest.raises(InputError, match="in pieces"):
        frame(swept(Scenario(), ["bandwidth_gb_s=1:2:lin:5000000"]))
