"""What a row carries: the arrivals from which its estimate under load has it overloaded."""

from __future__ import annotations

import math
from typing import Any

import pytest

from aisim_model.row.capacity import Capacity, capacity
from aisim_model.row.load import under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.service import Service, service
from aisim_model.scenario import Deployment, Workload

# a prompt takes 500 ms on one worker, a token 10 ms whatever decodes; 8,192,000 bytes cross in 8.192 ms
TIMES: dict[str, Any] = {
    "prefill_model": "rate",
    "prefill_tokens_per_s": 2000,
    "decode_model": "fixed",
    "decode_step_ms": 10.0,
    "kv_bytes_per_token": 8192,
    "bandwidth_gb_s": 1.0,
}


def served(**values: Any) -> Service:
    row = Deployment(id="a", name="a", **{**TIMES, **values})
    return service(resolve(Workload(prompt_tokens=1000, output_tokens=100), row), 100)


def carried(**values: Any) -> Capacity:
    return capacity(served(**values))


def test_each_resource_by_hand() -> None:
    found = carried(prefill_workers=3, decode_workers=2, max_sequences=10)
    assert found.prefill_per_s == pytest.approx(3 / 0.5)
    assert found.link_per_s == pytest.approx(2 / 0.008192)  # a link a worker of the smaller side
    # ten have room, each for 8.192 ms of handoff and 100 steps: 10 / 1.008192 s on each of two workers
    assert found.decode_per_s == pytest.approx(2 * 10 / 1.008192)
    assert found.busiest == "prefill"
    assert found.requests_per_s == found.prefill_per_s
    assert found.decode_sequences == 10


def test_an_aggregated_worker_does_both() -> None:
    # 99 tokens after the prompt's own: eight share 990 ms of steps, and each takes 500 ms of prefill
    found = carried(kind="aggregated", prefill_workers=2, max_sequences=8)
    assert found.prefill_per_s == found.decode_per_s == pytest.approx(2 / (0.99 / 8 + 0.5))
    assert found.link_per_s == math.inf


def test_a_row_is_overloaded_from_what_it_carries_on() -> None:
    for values in ({}, {"kind": "aggregated"}, {"max_sequences": 3}, {"bandwidth_gb_s": 0.01}):
        row = served(**values)
        most = capacity(row).requests_per_s
        assert not under_load(row, most * 0.999).overloaded
        assert under_load(row, most * 1.001).overloaded


def test_nothing_is_carried_where_nothing_fits_or_is_sent() -> None:
    assert carried(pool_tokens=500).decode_per_s == 0.0
    assert carried(bandwidth_gb_s=0.0).link_per_s == 0.0
