"""What a row's names come to: bandwidth, curves, pools, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.errors import InputError
from aisim_model.models.spec import ModelSpec
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Workload


def row(**values: Any) -> Deployment:
    return Deployment.model_validate({"id": "row", "name": "Row", **values})


@pytest.mark.parametrize(
    ("choices", "gb_s"),
    [
        ({}, 200.0),  # 4 ranks, a NIC of 50 each
        ({"nics_per_gpu": 0.25}, 50.0),
        ({"prefill_tp": 1}, 50.0),
        ({"decode_tp": 8}, 200.0),
        ({"link": "nvlink4"}, 4 * 450.0),  # rated per GPU
        ({"link": "nvlink4", "nics_per_gpu": 0.25}, 4 * 450.0),
        ({"link": "node-8x400", "prefill_tp": 8, "decode_tp": 8}, 400.0),  # one node
        ({"link": "node-8x400", "prefill_tp": 16, "decode_tp": 16}, 800.0),  # two
        ({"bandwidth_gb_s": 7.0}, 7.0),
        ({"bandwidth_gb_s": 0.0}, 0.0),
    ],
)
def test_what_one_handoff_gets_in_all(choices: dict[str, Any], gb_s: float) -> None:
    assert resolve(Workload(), row(**choices)).bandwidth_gb_s == gb_s


def test_the_lowest_measured_bandwidth_has_the_same_lanes() -> None:
    # TCP over 100G Ethernet was seen at 1 GB/s a NIC
    assert resolve(Workload(), row(link="eth-100")).measured_low_gb_s == pytest.approx(4.0)
    assert resolve(Workload(), row(link="eth-100", nics_per_gpu=0.25)).measured_low_gb_s == pytest.approx(1.0)


def test_bandwidth_by_hand_has_no_measured_low() -> None:
    assert resolve(Workload(), row(link="eth-100", bandwidth_gb_s=3)).measured_low_gb_s is None


def test_bytes_by_hand_the_rows_before_the_workloads() -> None:
    workload = Workload(kv_bytes_per_token=1000)
    assert resolve(workload, row()).wire.bytes(10) == 10_000
    assert resolve(workload, row(kv_bytes_per_token=7)).wire.bytes(10) == 70
    assert resolve(workload, row(kv_bytes_per_token=0)).wire.bytes(10) == 0


def test_one_broadcast_copy_is_timed_as_if_sent_by_every_lane() -> None:
    workload = Workload(model_id="deepseek-v3")
    x = resolve(workload, row(prefill_tp=8, decode_tp=8, weight_format="fp8", mla_copies="once"))
    assert x.wire.bytes(1) == x.unique.bytes(1) == 70_272
    assert x.timed.bytes(1) == 8 * 70_272
    by_hand = resolve(workload, row(weight_format="fp8", mla_copies="once", bandwidth_gb_s=50))
    assert by_hand.timed.bytes(1) == 70_272


def test_an_aggregated_row_puts_nothing_else_than_it_keeps_on_a_wire() -> None:
    x = resolve(Workload(model_id="qwen3-235b-a22b"), row(kind="aggregated", prefill_tp=8))
    assert x.wire == x.unique


def test_the_pool_is_what_weights_leave_of_the_memory() -> None:
    # 143,771 MiB x 0.92 of vLLM - 0.8 - 0.4 GB - 26 B x 1,024 x 151,936 on each, less 2 B x parameters
    x = resolve(Workload(), row())
    each = 143_771 * 2**20 * 0.92 - 1.2e9 - 26 * 1024 * 151_936
    left = 4 * each - 2 * x.spec.total_parameters
    assert x.pool_tokens == left // 262_144
    assert resolve(Workload(), row(pool_tokens=5)).pool_tokens == 5


def test_the_pool_of_an_aggregated_row_is_its_own_workers() -> None:
    wide = resolve(Workload(), row(kind="aggregated", prefill_tp=8, decode_tp=1))
    assert wide.pool_tokens == resolve(Workload(), row(decode_tp=8)).pool_tokens


def test_a_model_too_large_has_no_pool() -> None:
    assert resolve(Workload(model_id="deepseek-v3"), row(prefill_tp=1, decode_tp=1)).pool_tokens == 0


def test_a_roofline_of_unknown_size_is_refused_and_a_measurement_is_not() -> None:
    spec = resolve(Workload(), row()).spec
    unknown = ModelSpec.model_validate(
        {
            **dict(spec),
            "total_parameters": None,
            "active_parameters": None,
            "parameters_from": "no vocabulary",
        }
    )
    workload = Workload(model=unknown)
    with pytest.raises(InputError, match="no vocabulary"):
        resolve(workload, row())
    half_known = Workload(model=spec.model_copy(update={"active_parameters": None}))
    with pytest.raises(InputError, match="parameters are not known"):
        resolve(half_known, row())
    measured = {"prefill_model": "rate", "prefill_tokens_per_s": 1e4}
    steps = {"decode_model": "fixed", "decode_step_ms": 5}
    assert resolve(workload, row(**measured, **steps)).bandwidth_gb_s == 200
