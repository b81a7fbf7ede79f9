"""A row under load: utilisations, queues, interference and overload by hand, and what must always hold."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aisim_model.compare.outcome import outcome
from aisim_model.row.load import Service, service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.ttft import breakdown, decode_step_ms
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
slow = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], deadline=None)


def served(**values: Any) -> Service:
    row = Deployment(**{"id": "a", "name": "a", **FIXED, **values})
    return service(resolve(ASKED, row), ASKED.output_tokens)


def test_a_split_row_at_five_requests_a_second_by_hand() -> None:
    # prefill 5 x 0.1 s = 50%: M/D/1 waits half a service, 50 ms. Transfer 1,000 x 1e6 B / 100 GB/s = 10 ms:
    # the link is 5% busy, and prompts that end 100 ms apart never wait for it. Decode: 5 x 100 x 10 ms = 5
    # sequences of 1,000. It is idle where a gap is over 1,000 ms: 0.5 e^(-0.005 (1,000 - 100)) of them.
    found = under_load(served(), 5.0)
    assert found.prefill_utilisation == pytest.approx(0.5)
    assert found.parts.queue_ms == pytest.approx(50.0)
    assert found.link_utilisation == pytest.approx(0.05)
    assert found.parts.link_queue_ms == 0.0
    assert found.batch == pytest.approx(5.0)
    # 1,000 sequences have room for 10 ms of transfer, at most a step, and 100 steps: 1,000 / 1.02 s
    assert found.decode_utilisation == pytest.approx(5 * 1.02 / 1000)
    # of a step that runs half is left, from then on all lasts whole steps
    assert found.parts.reservation_ms == pytest.approx(5.0, rel=0.01)
    assert found.parts.activation_ms == pytest.approx(0.0, abs=0.05)
    assert (found.bottleneck, found.overloaded, found.itl_ms) == ("prefill", False, 10.0)
    assert found.ttft_ms == pytest.approx(50 + 100 + 5 + 10 + 10, rel=1e-3)


def test_a_transfer_waits_for_the_end_of_the_step_that_it_ends_in() -> None:
    # granted as a step ends, 12.5 ms of transfer end in the second of the steps that follow: 7.5 ms are left
    found = under_load(served(bandwidth_gb_s=80.0), 5.0)
    assert found.parts.activation_ms == pytest.approx(7.5, rel=0.02)


def test_room_for_one_sequence_is_a_queue_for_one_server_by_hand() -> None:
    # room from the grant to the last token: 10 ms of transfer and 100 steps of 10 ms, 0.5 a second make it
    # 50.5% busy: M/D/1 waits 0.505 / (2 x 0.495) x 1,010 = 515.2 ms. Prefill, the same 100 ms, is 5% busy: of
    # two queues for one server each all wait is at the slower. A grant that waited found the worker idle.
    found = under_load(served(max_sequences=1), 0.5)
    prefill_ms = 0.05 / (2 * 0.95) * 100
    assert found.parts.queue_ms == pytest.approx(prefill_ms)
    whole_steps = found.parts.reservation_ms - (515.15 - prefill_ms)
    assert 0 <= whole_steps <= 5


def test_a_reservation_is_asked_before_prefill_where_the_order_says_so() -> None:
    first, after = served(order="destination_first"), served()
    waits = [under_load(one, 5.0) for one in (first, after)]
    assert waits[0].parts.reservation_ms > 0
    # none waits there for the first token where it is prefill's, unless it waits for room before
    shown = [under_load(replace_first(one), 5.0).parts.reservation_ms for one in (first, after)]
    assert shown[0] == pytest.approx(waits[0].parts.reservation_ms, rel=1e-3)
    assert shown[1] == 0.0


def replace_first(one: Service) -> Service:
    order = one.x.row.profile.order
    return served(order=order, first_token_from="prefill")


@pytest.mark.parametrize("contention", ["none", "fifo", "fair"])
def test_transfers_share_a_link_as_asked(contention: Any) -> None:
    # 1 GB in 250 ms, 3 a second: 75% busy, after prefill of 100 ms. M/D/1 waits 0.75 / 0.5 x 250 = 375 ms for
    # both, 0.3 / 1.4 x 100 = 21.43 of them for prefill
    found = under_load(served(bandwidth_gb_s=4.0), 3.0, contention=contention)
    wait_ms = 375 - 0.3 / 1.4 * 100
    in_queue, longer = {"none": (0, 0), "fifo": (wait_ms, 0), "fair": (0, 2 * wait_ms)}[contention]
    assert found.parts.link_queue_ms == pytest.approx(in_queue)
    assert found.parts.transfer_ms == pytest.approx(250 + longer)


def test_an_aggregated_row_slows_decoding_by_its_prefill_share() -> None:
    # u = 2 x 0.1 = 20%: 10 / 0.8 = 12.5 ms, and 1.5 x 0.2^2 / 0.8 prefills behind it shared by 99 steps; its
    # tail one mixed pass of 100 + 10; 2 x 99 x 10 / 0.8 = 2.475 run
    found = under_load(served(kind="aggregated"), 2.0)
    assert found.prefill_utilisation == pytest.approx(0.2)
    assert found.itl_ms == pytest.approx(12.5 + 1.5 * 0.04 / 0.8 * 100 / 99)
    assert found.tail_itl_ms == pytest.approx(110.0)
    assert found.batch == pytest.approx(2.475)
    assert found.parts.handoff_ms == 0.0
    assert found.bottleneck == "workers"


def test_sequences_that_decode_leave_a_prompt_more_passes() -> None:
    # passes of 1,001 tokens: beside 2.475 sequences a prompt of 1,000 takes two, each with a step
    one, two = (under_load(served(kind="aggregated", chunk_tokens=chunk), 2.0) for chunk in (2000, 1001))
    assert two.parts.prefill_ms - one.parts.prefill_ms == pytest.approx(10 * (1 - math.exp(-2.475)))


@pytest.mark.parametrize(
    ("values", "arrivals_per_s", "bottleneck"),
    [
        ({}, 10.0, "prefill"),
        ({"bandwidth_gb_s": 1.0}, 1.0, "link"),  # 1,000 ms a transfer
        ({"pool_tokens": 1100}, 1 / 1.02, "decode"),  # one at a time: 10 ms, at most a step, 1,000 ms
        ({"kind": "aggregated", "pool_tokens": 1100}, 0.92, "workers"),  # 100 + 990 ms each
    ],
)
def test_overloaded_is_an_answer_and_names_the_bottleneck(
    values: dict[str, Any], arrivals_per_s: float, bottleneck: str
) -> None:
    full = under_load(served(**values), arrivals_per_s)
    assert (full.overloaded, full.bottleneck, full.ttft_ms) == (True, bottleneck, math.inf)
    assert not under_load(served(**values), arrivals_per_s * 0.99).overloaded


def test_a_pass_gives_each_sequence_one_token_however_many_there_are() -> None:
    # 100 passes of 1 ms a prompt, each with a step of 10: 1.1 s of a worker, whatever decodes beside it
    one = served(kind="aggregated", chunk_tokens=10, prefill_pass_ms=1.0)
    assert one.most_per_s == pytest.approx(1 / 1.1)
    assert under_load(one, 1.0).overloaded


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
    found = under_load(service(x, workload.mean_output_tokens), 0.0)
    alone = breakdown(x)
    if math.isfinite(found.batch):
        assert found.ttft_ms == pytest.approx(float(alone.ttft_ms), rel=1e-9, nan_ok=True)
        # to the last bit
        assert found.itl_ms == outcome(workload, row).itl_ms
        assert found.itl_ms == decode_step_ms(
            x, workload.mean_prompt_tokens + workload.mean_output_tokens / 2, 1.0
        )


@pytest.mark.parametrize("arrivals_per_s", [5e-324, 2.3e-308, 1e-300, 1e-30])
@pytest.mark.parametrize("kind", ["split", "aggregated"])
def test_arrivals_next_to_none_are_as_none(kind: Any, arrivals_per_s: float) -> None:
    x = resolve(Workload(), Deployment(id="a", name="a", kind=kind, decode_workers=2))
    found, idle = (under_load(service(x, 340), each) for each in (arrivals_per_s, 0.0))
    assert found.ttft_ms == pytest.approx(idle.ttft_ms, rel=1e-12)
    assert found.itl_ms == pytest.approx(idle.itl_ms, rel=1e-12)


@slow
@given(data=st.data(), share=st.floats(0.01, 0.99), more=st.floats(1.0, 1.5))
def test_more_load_is_never_faster(data: Any, share: float, more: float, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    one = service(resolve(workload, row), workload.output_tokens)
    if not 0 < one.most_per_s < math.inf:
        return
    little, much = (under_load(one, share * one.most_per_s * factor) for factor in (1.0, more))
    assert little.utilisation == pytest.approx(share, rel=1e-9)
    assert much.itl_ms >= little.itl_ms * (1 - 1e-6)
    assert much.batch >= little.batch
    if much.overloaded or math.isnan(much.ttft_ms):
        return
    # longer steps can end nearer to the end of a transfer: by a step at most
    step_ms = one.step_ms(much.batch)
    assert much.ttft_ms >= little.ttft_ms * (1 - 1e-6) - (step_ms if row.split else 0.0)


@slow
@given(data=st.data(), share=st.floats(0.01, 0.99))
def test_the_sequences_in_decode_obey_littles_law(data: Any, share: float, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    one = service(resolve(workload, row), workload.output_tokens)
    if not 0 < one.decode_per_s < math.inf:
        return
    arrivals = share * one.decode_per_s
    batch = one.batch_at(arrivals)
    assert 0 <= batch <= one.full_batch
    if batch > 1e-9:
        assert one.arrivals_at(batch) == pytest.approx(arrivals, rel=1e-6)
