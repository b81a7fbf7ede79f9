"""Requests a second by resource, by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.row.capacity import MAX_SEQUENCES, capacity, decode_sequences
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.scenario import Deployment, Workload


def small(**values: Any) -> ResolvedRow:
    """Return 100 tokens: a pass of 100 ms, steps of 10, 100 MB at 1 GB/s in 100 ms, a pool of 1,000."""
    by_hand = {
        "prefill_model": "fixed",
        "prefill_pass_ms": 100,
        "decode_model": "fixed",
        "decode_step_ms": 10,
        "pool_tokens": 1000,
        "bandwidth_gb_s": 1,
        "kv_bytes_per_token": 1_000_000,
    }
    row = Deployment.model_validate({"id": "row", "name": "Row", **by_hand, **values})
    return resolve(Workload(prompt_tokens=100), row)


def test_each_resource_by_hand() -> None:
    # 200 tokens a sequence: 5 in the pool; 100 steps of 10 ms shared by 5 are 200 ms of worker a request
    found = capacity(small(), itl_slo_ms=25, output_tokens=100)
    assert found.decode_sequences == 5
    assert (found.prefill_per_s, found.link_per_s, found.decode_per_s) == pytest.approx((10, 10, 5))
    assert found.busiest == "decode"
    assert found.requests_per_s == pytest.approx(5)


def test_workers_carry_side_by_side_and_the_smaller_side_has_the_links() -> None:
    found = capacity(small(prefill_workers=3, decode_workers=2), 25, 100)
    assert (found.prefill_per_s, found.link_per_s, found.decode_per_s) == pytest.approx((30, 20, 10))


def test_aggregated_workers_do_both_and_use_no_link() -> None:
    # 100 + 200 ms of worker a request, two workers
    found = capacity(small(kind="aggregated", prefill_workers=2), 25, 100)
    assert (found.prefill_per_s, found.decode_per_s) == pytest.approx((20 / 3, 20 / 3))
    assert found.link_per_s == math.inf


def test_a_pool_too_small_carries_nothing() -> None:
    found = capacity(small(pool_tokens=199), 25, 100)
    assert (found.decode_sequences, found.decode_per_s, found.busiest) == (0, 0, "decode")


def test_no_bandwidth_carries_nothing() -> None:
    found = capacity(small(bandwidth_gb_s=0), 25, 100)
    assert (found.link_per_s, found.busiest) == (0, "link")


def test_what_takes_no_time_carries_any_number() -> None:
    found = capacity(small(prefill_pass_ms=0, kv_bytes_per_token=0), 25, 100)
    assert (found.prefill_per_s, found.link_per_s) == (math.inf, math.inf)


@pytest.mark.parametrize(
    ("slo_ms", "sequences"),
    # used shares 0.2, 0.4, 0.6 take 15.51, 23.23, 28.88 ms a step
    [(10, 1), (15.6, 1), (23.1, 1), (23.3, 2), (28.8, 2), (28.9, 3), (1000, 5)],
)
def test_sequences_stay_within_the_service_level(slo_ms: float, sequences: int) -> None:
    assert decode_sequences(small(decode_model="polynomial"), slo_ms, 100) == sequences


def test_a_pool_without_end_is_bounded_by_what_an_engine_schedules() -> None:
    assert decode_sequences(small(pool_tokens=10**12), 25, 100) == MAX_SEQUENCES


@given(slo_ms=st.floats(0.1, 100), more_ms=st.floats(0, 100))
def test_a_looser_service_level_never_holds_fewer(slo_ms: float, more_ms: float) -> None:
    x = small(decode_model="roofline", pool_tokens=10**6)
    assert decode_sequences(x, slo_ms, 100) <= decode_sequences(x, slo_ms + more_ms, 100)
