"""Requests a second by resource, by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aisim_model.row.capacity import Capacity, capacity
from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve import most_within

slow = settings(
    max_examples=300, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], deadline=None
)


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


def carried(x: ResolvedRow, output_tokens: int = 100) -> Capacity:
    return capacity(service(x, output_tokens))


def test_each_resource_by_hand() -> None:
    # 200 tokens a sequence: room for 5. Each has it for 100 ms of transfer, at most a step until one ends,
    # and 100 steps of 10 ms: 5 / 1.11 s
    found = carried(small())
    assert found.decode_sequences == 5
    assert (found.prefill_per_s, found.link_per_s, found.decode_per_s) == pytest.approx((10, 10, 5 / 1.11))
    assert found.busiest == "decode"
    assert found.requests_per_s == pytest.approx(5 / 1.11)


def test_room_that_is_reserved_before_prefill_is_taken_for_longer() -> None:
    # 100 ms of prefill more, 5 / 1.21 s
    found = carried(small(order="destination_first"))
    assert found.decode_per_s == pytest.approx(5 / 1.21)


def test_a_token_that_comes_with_the_transfer_is_not_decoded() -> None:
    # 99 steps: 5 sequences in 1.1 s
    assert carried(small(first_token_from="shipped")).decode_per_s == pytest.approx(5 / 1.1)


def test_answers_of_one_token_that_is_shipped_need_room_for_their_transfer_alone() -> None:
    assert carried(small(first_token_from="shipped"), output_tokens=1).decode_per_s == pytest.approx(9 / 0.1)


def test_workers_carry_side_by_side_and_the_smaller_side_has_the_links() -> None:
    found = carried(small(prefill_workers=3, decode_workers=2))
    assert (found.prefill_per_s, found.link_per_s, found.decode_per_s) == pytest.approx((30, 20, 10 / 1.11))


def test_aggregated_workers_do_both_and_use_no_link() -> None:
    # 100 + 99 x 10 / 5 ms of worker a request, two workers; the first token leaves with the prefill
    found = carried(small(kind="aggregated", prefill_workers=2))
    assert (found.prefill_per_s, found.decode_per_s) == pytest.approx((2 / 0.298, 2 / 0.298))
    assert found.link_per_s == math.inf


def test_a_pool_too_small_carries_nothing() -> None:
    found = carried(small(pool_tokens=199))
    assert (found.decode_sequences, found.decode_per_s, found.busiest) == (0, 0, "decode")


def test_no_bandwidth_carries_nothing() -> None:
    found = carried(small(bandwidth_gb_s=0))
    assert (found.link_per_s, found.busiest) == (0, "link")


def test_what_takes_no_time_carries_any_number() -> None:
    found = carried(small(prefill_pass_ms=0, kv_bytes_per_token=0))
    assert (found.prefill_per_s, found.link_per_s) == (math.inf, math.inf)


def test_a_pool_without_end_is_bounded_by_the_rows_limit_of_sequences() -> None:
    assert carried(small(pool_tokens=10**12)).decode_sequences == small().row.sequences_limit
    assert carried(small(pool_tokens=10**12, max_sequences=300)).decode_sequences == 300


@slow
@given(data=st.data())
def test_full_is_where_the_estimate_is_overloaded(data: Any, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    served = service(resolve(workload, row), workload.output_tokens)
    found = capacity(served)
    if not 0 < found.requests_per_s < math.inf:
        return
    assert under_load(served, found.requests_per_s * (1 + 1e-9)).overloaded
    assert under_load(served, found.requests_per_s * (1 - 1e-9)).utilisation < 1
    assert served.most_per_s == found.requests_per_s


@slow
@given(data=st.data())
def test_a_row_carries_no_more_within_its_slos(data: Any, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    served = service(resolve(workload, row), workload.output_tokens)
    assert most_within(served, workload) <= served.most_per_s


@slow
@given(data=st.data(), more=st.integers(1, 1000))
def test_a_higher_limit_of_sequences_carries_no_less(data: Any, more: int, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    least, most = (
        service(resolve(workload, row.changed(max_sequences=limit)), workload.output_tokens).most_per_s
        for limit in (more, more + 1)
    )
    # beside more sequences less of a prompt's arithmetic hides behind the reading of weights in a mixed pass
    hidden = 0.0 if row.split else 0.01
    assert least <= most * (1 + 1e-9 + hidden)
