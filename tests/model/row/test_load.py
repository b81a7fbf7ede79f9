"""A row under load: utilisations, queues, interference and overload by hand, and what must always hold."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aisim_model.row.load import Service, service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.ttft import breakdown
from aisim_model.scenario import Deployment, Workload

FIXED = {
    "prefill_model": "fixed",
    "prefill_pass_ms": 100.0,
    "chunk_tokens": 100_000,
    "decode_model": "fixed",
    "decode_step_ms": 10.0,
    "kv_bytes_per_token": 1_000_000,
    "bandwidth_gb_s": 100.0,
    "pool_tokens": 1_100_000,
}
ASKED = Workload(prompt_tokens=1000, output_tokens=100)
slow = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def served(**values: Any) -> Service:
    row = Deployment(**{"id": "a", "name": "a", **FIXED, **values})
    return service(resolve(ASKED, row), ASKED.output_tokens)


def test_a_split_row_at_five_requests_a_second_by_hand() -> None:
    # prefill 5 x 0.1 s = 50%: M/D/1 waits half a service, 50 ms. Transfer 1,000 x 1e6 B / 100 GB/s = 10 ms:
    # the link is 5% busy and waits 0.05 / (2 x 0.95) x 10. Decode: 5 x 100 x 10 ms = 5 sequences; full at
    # 1,100,000 // 1,100 = 1,000 of them, 1,000 a second: 0.5%
    found = under_load(served(), 5.0)
    assert found.prefill_utilisation == pytest.approx(0.5)
    assert found.parts.queue_ms == pytest.approx(50.0)
    assert found.link_utilisation == pytest.approx(0.05)
    assert found.parts.link_queue_ms == pytest.approx(0.05 / (2 * 0.95) * 10)
    assert found.batch == pytest.approx(5.0)
    assert found.decode_utilisation == pytest.approx(0.005)
    assert found.parts.activation_ms == pytest.approx(5.0 * (1 - math.exp(-5)))
    assert (found.bottleneck, found.overloaded, found.itl_ms) == ("prefill", False, 10.0)
    assert found.ttft_ms == pytest.approx(
        50 + 100 + 0.05 / 1.9 * 10 + 10 + 5.0 * (1 - math.exp(-5)) + 10, rel=1e-12
    )


def test_an_aggregated_row_slows_decoding_by_its_prefill_share() -> None:
    # u = 2 x 0.1 = 20%: 10 / 0.8 = 12.5 ms, its tail one mixed pass of 100 + 10; 2 x 100 x 12.5 ms = 2.5 run
    found = under_load(served(kind="aggregated"), 2.0)
    assert found.prefill_utilisation == pytest.approx(0.2)
    assert found.itl_ms == pytest.approx(12.5)
    assert found.tail_itl_ms == pytest.approx(110.0)
    assert found.batch == pytest.approx(2.5)
    assert found.parts.handoff_ms == 0.0
    assert found.bottleneck == "workers"


@pytest.mark.parametrize(
    ("values", "arrivals_per_s", "bottleneck"),
    [
        ({}, 10.0, "prefill"),
        ({"bandwidth_gb_s": 1.0}, 1.0, "link"),  # 1,000 ms a transfer
        ({"pool_tokens": 1100}, 1.0, "decode"),  # one sequence at a time, 1,000 ms each
        ({"kind": "aggregated", "pool_tokens": 1100}, 0.91, "workers"),  # 100 + 1,000 ms each
    ],
)
def test_overloaded_is_an_answer_and_names_the_bottleneck(
    values: dict[str, Any], arrivals_per_s: float, bottleneck: str
) -> None:
    full = under_load(served(**values), arrivals_per_s)
    assert (full.overloaded, full.bottleneck, full.ttft_ms) == (True, bottleneck, math.inf)
    assert not under_load(served(**values), arrivals_per_s * 0.99).overloaded


def test_a_queue_without_end_is_overloaded_though_the_workers_had_time_left() -> None:
    # 100 passes of 1 ms a prompt, nearly each with a decode step of 10: 1,100 ms of them every 500 ms
    full = under_load(served(kind="aggregated", chunk_tokens=10, prefill_pass_ms=1.0), 2.0)
    assert full.utilisation < 1
    assert (full.overloaded, full.ttft_ms) == (True, math.inf)


def test_answers_that_take_no_time_keep_no_sequence_running() -> None:
    # 33 ms of prefill carry 30.303 a second; at the last float below it 1000 / arrivals - 33 is 0
    one = served(kind="aggregated", decode_step_ms=0.0, prefill_pass_ms=33.0)
    assert one.batch_at(math.nextafter(1000 / 33, 0.0)) == 0.0


def test_more_workers_share_the_load() -> None:
    found = under_load(served(prefill_workers=2, decode_workers=4), 10.0)
    assert found.prefill_utilisation == pytest.approx(0.5)
    assert found.link_utilisation == pytest.approx(0.05)  # two links of 10 ms a transfer
    assert found.batch == pytest.approx(2.5)


def test_a_link_that_sends_nothing_is_overloaded() -> None:
    found = under_load(served(bandwidth_gb_s=0), 1.0)
    assert (found.overloaded, found.bottleneck) == (True, "link")


def test_a_row_that_doesnt_fit_is_overloaded_by_anything() -> None:
    assert under_load(served(pool_tokens=1000), 1e-6).overloaded


def test_with_the_first_token_from_prefill_only_its_queue_counts() -> None:
    found = under_load(served(first_token_from="prefill"), 5.0)
    assert found.ttft_ms == pytest.approx(150.0)


@slow
@given(data=st.data())
def test_without_arrivals_the_estimate_is_one_request_alone(data: Any, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    x = resolve(workload, row)
    found = under_load(service(x, workload.output_tokens), 0.0)
    alone = breakdown(x)
    if math.isfinite(found.batch):
        assert found.ttft_ms == pytest.approx(float(alone.ttft_ms), rel=1e-9, nan_ok=True)


@slow
@given(data=st.data(), share=st.floats(0.01, 0.99), more=st.floats(1.0, 1.5))
def test_more_load_is_never_faster(data: Any, share: float, more: float, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    one = service(resolve(workload, row), workload.output_tokens)
    busiest = under_load(one, 1.0).utilisation
    if not 0 < busiest < math.inf:
        return
    little, much = (under_load(one, share / busiest * factor) for factor in (1.0, more))
    assert little.utilisation == pytest.approx(share, rel=1e-9)
    assert much.overloaded or much.ttft_ms >= little.ttft_ms * (1 - 1e-6) or math.isnan(much.ttft_ms)
    assert much.itl_ms >= little.itl_ms * (1 - 1e-6)


@slow
@given(data=st.data(), share=st.floats(0.01, 0.99))
def test_the_sequences_in_decode_obey_littles_law(data: Any, share: float, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    one = service(resolve(workload, row), workload.output_tokens)
    most = one.arrivals_at(one.most_sequences)
    if not 0 < most < math.inf:
        return
    arrivals = share * most
    batch = one.batch_at(arrivals)
    assert 0 <= batch <= one.most_sequences
    if batch > 1e-9:
        assert one.arrivals_at(batch) == pytest.approx(arrivals, rel=1e-6)
