"""The most load within both service levels, the best division of GPUs, and where splitting pays."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aisim_model.row.load import Service, service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.targets import met
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.solve import aggregated_for, best_division, break_even, most_within
from aisim_model.solve.carried import divisions

FIXED = {
    "prefill_model": "fixed",
    "prefill_pass_ms": 100.0,
    "chunk_tokens": 100_000,
    "decode_model": "fixed",
    "decode_step_ms": 10.0,
    "kv_bytes_per_token": 0,
    "pool_tokens": 1_100_000,  # a hundred sequences of 11,000 tokens
}
ASKED = Workload(prompt_tokens=10_000, output_tokens=1000, ttft_slo_ms=1e6, itl_slo_ms=1e6)
slow = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def served(workload: Workload = ASKED, **values: Any) -> Service:
    row = Deployment(**{"id": "a", "name": "a", **FIXED, **values})
    return service(resolve(workload, row), workload.output_tokens)


def test_with_loose_service_levels_the_slower_side_is_the_most() -> None:
    # prefill: 1 worker, 10 prompts a second; decode: 100 sequences of 1,000 steps of 10 ms, 10 a second
    assert most_within(served(decode_workers=2), ASKED) == pytest.approx(10.0, rel=1e-4)
    assert most_within(served(prefill_workers=2), ASKED) == pytest.approx(10.0, rel=1e-4)


def test_a_ttft_slo_bounds_the_queue_by_hand() -> None:
    # M/D/1 at half load waits half a service: TTFT = 50 + 100 + the decode step and half of one, 15 ms;
    # the half is a little less, e^-12.5 of the time none of 12.5 sequences is there
    slo = ASKED.changed(ttft_slo_ms=165.0)
    assert most_within(served(slo, decode_workers=4), slo) == pytest.approx(5.0, rel=1e-6)


def test_nothing_is_carried_where_one_request_alone_misses() -> None:
    slo = ASKED.changed(itl_slo_ms=9.0)
    assert most_within(served(slo), slo) == 0.0
    assert best_division(served(slo), slo) is None


def test_nothing_is_carried_by_a_row_that_doesnt_fit() -> None:
    assert most_within(served(pool_tokens=10_000), ASKED) == 0.0


@slow
@given(data=st.data())
def test_the_most_load_meets_both_service_levels_and_a_little_more_doesnt(data: Any, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    one = service(resolve(workload, row), workload.output_tokens)
    most = most_within(one, workload)
    if most == 0 or not math.isfinite(most):
        return
    # a polynomial's steps are whole nanoseconds, a ten-millionth of a step
    exact = 1e-6 if row.decode_model == "polynomial" else 1e-9
    assert met(one, under_load(one, most * (1 - exact)), workload)
    assert not met(one, under_load(one, most * (1 + 1e-6)), workload)


def test_divisions_use_all_gpus() -> None:
    one = served(prefill_tp=2, decode_tp=4, prefill_workers=4, decode_workers=2)
    assert list(divisions(one)) == [(2, 3), (4, 2), (6, 1)]


def test_the_best_division_balances_both_sides() -> None:
    # prefill carries 10 a worker, decode 10 a worker: two of each of four
    found = best_division(served(prefill_workers=1, decode_workers=3), ASKED)
    assert found is not None
    assert (found.prefill_workers, found.decode_workers) == (2, 2)
    assert found.requests_per_s == pytest.approx(20.0, rel=1e-3)


def test_a_long_answer_takes_more_decode_workers() -> None:
    # 3,000 steps: a decode worker holds 1,100,000 // 13,000 = 84 sequences, 84 / 30 s = 2.8 a second
    longer = ASKED.changed(output_tokens=3000)
    found = best_division(served(longer, prefill_workers=2, decode_workers=3), longer)
    assert found is not None
    assert (found.prefill_workers, found.decode_workers) == (1, 4)


def test_of_many_divisions_the_best_is_found_as_if_all_were_tried() -> None:
    # prefill carries 10 a worker, decode 10 a worker, over 300 workers
    found = best_division(served(prefill_tp=1, decode_tp=1, prefill_workers=100, decode_workers=200), ASKED)
    assert found is not None
    assert abs(found.prefill_workers - 150) <= 1


def test_an_aggregated_row_has_nothing_to_divide() -> None:
    assert best_division(served(kind="aggregated"), ASKED) is None


def test_the_aggregated_row_to_beat_has_as_many_gpus() -> None:
    example = Scenario()
    assert aggregated_for(example, example.selected) == example.deployments[0]
    bigger = example.with_row("split-400g", prefill_workers=2)
    other = aggregated_for(bigger, bigger.selected)
    assert other is not None
    assert (other.gpus, other.kind, other.name) == (12, "aggregated", "Aggregated 3 x TP4")
    uneven = example.with_row("split-400g", prefill_tp=8, decode_tp=2)
    assert aggregated_for(uneven, uneven.selected) is None


def test_splitting_wins_on_itl_at_every_load_where_a_step_is_the_same() -> None:
    # aggregated: 10 / (1 - u) ms with u > 0; split: 10 ms, until it is overloaded at 10 a second
    found = break_even(served(), served(kind="aggregated", prefill_workers=2), "itl")
    assert found.answer == "always"
    assert found.until_per_s == pytest.approx(10.0, rel=1e-9)


def test_splitting_never_wins_on_ttft_with_half_the_prefill_workers() -> None:
    found = break_even(served(), served(kind="aggregated", prefill_workers=2), "ttft")
    # both carry 10 a second: two workers, each 100 ms of prefill and 100 of decode a request
    assert (found.answer, found.from_per_s) == ("never", None)


def test_splitting_wins_on_ttft_from_where_the_aggregated_queue_is_longer() -> None:
    # as many prefill workers on both sides: aggregated ones decode too, and fill at half the load
    split, together = served(decode_workers=4), served(kind="aggregated")
    found = break_even(split, together, "ttft")
    assert found.answer == "found"
    assert found.from_per_s is not None
    at = [under_load(one, found.from_per_s).ttft_ms for one in (split, together)]
    assert at[0] == pytest.approx(at[1], rel=1e-9)
    assert (
        under_load(split, found.from_per_s * 1.01).ttft_ms
        < under_load(together, found.from_per_s * 1.01).ttft_ms
    )


def test_rows_that_carry_nothing_beat_nothing() -> None:
    neither = served(gpu="l40s", prefill_tp=1, decode_tp=1, pool_tokens=None, kv_bytes_per_token=None)
    assert neither.most_sequences == 0
    assert break_even(neither, neither, "itl").answer == "never"


def test_more_workers_than_a_row_may_have_are_no_row_to_beat() -> None:
    row = Deployment(id="a", name="a", prefill_workers=100_000, decode_workers=100_000)
    alone = Scenario(deployments=(row,), selected_id="a", baseline_id="a")
    assert aggregated_for(alone, row) is None
    half = row.changed(decode_workers=1, prefill_workers=99_999)
    assert aggregated_for(alone, half).prefill_workers == 100_000


def test_splitting_that_wins_only_once_the_other_is_overloaded_is_found() -> None:
    # 100 ms of prefill and no decoding: 10 workers carry 100 a second, 11 prefill workers 110. A handover of
    # 1,000 s loses until the aggregated queue has no end
    split = served(prefill_workers=11, decode_workers=1, decode_step_ms=0.0, orchestration_ms=1e6)
    together = served(kind="aggregated", prefill_workers=10, decode_step_ms=0.0)
    found = break_even(split, together, "ttft")
    assert found.answer == "found"
    assert found.from_per_s == pytest.approx(100.0, rel=1e-4)
    assert found.until_per_s == pytest.approx(110.0, rel=1e-4)
