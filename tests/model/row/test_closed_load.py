"""A row in a closed loop: by hand, Little's law, one in flight is one alone, and near a replay."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aisim_model.compare.outcome import outcome
from aisim_model.row.closed_load import asked_load, in_flight
from aisim_model.row.load import Load, service
from aisim_model.row.resolved import resolve
from aisim_model.row.stacked import stacked
from aisim_model.row.ttft import breakdown
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve.carried import most_in_flight
from aisim_model.traffic.equal_requests import equal_requests
from aisim_model.traffic.row_replay import replay_row
from tests.model.row.test_load import ASKED, served

slow = settings(
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], deadline=None, max_examples=25
)


def test_an_aggregated_row_by_hand() -> None:
    # pass of a prompt 100 ms beside steps of 10: with 4 a worker 10 + 3 / 100 x 100 = 13 ms a token;
    # TTFT 100 + 10 beside the others, x 1.15 at the start, half a step
    found = in_flight(served(kind="aggregated", prefill_workers=2), 8.0)
    assert found.itl_ms == pytest.approx(13.0)
    assert found.ttft_ms == pytest.approx(110 * 1.15 + 5)
    assert found.arrivals_per_s == pytest.approx(8 / (0.1315 + 99 * 0.013))
    assert (found.bottleneck, found.overloaded) == ("workers", False)


def test_a_split_row_whose_prefill_is_full_by_hand() -> None:
    # one prompt in 100 ms: 10 requests/s, so 60 in flight take 6 s, of which 1.11 are theirs (100 + 10 + 100
    # steps of 10) and all else waits for prefill
    found = in_flight(served(), 60.0)
    assert found.arrivals_per_s == pytest.approx(10.0)
    assert found.itl_ms == 10.0
    assert found.ttft_ms == pytest.approx(6000 - 99 * 10)
    assert found.prefill_utilisation == pytest.approx(1.0)
    assert (found.bottleneck, found.overloaded) == ("prefill", False)


def test_what_has_no_room_waits_for_it() -> None:
    # room for 3 sequences of 10 ms of transfer and 100 steps of 10 ms
    found = in_flight(served(max_sequences=3, prefill_pass_ms=1.0), 30.0)
    assert found.batch == pytest.approx(3.0, rel=0.02)
    assert found.arrivals_per_s == pytest.approx(3 / 1.015, rel=0.02)
    assert found.parts.reservation_ms == pytest.approx(30 / found.arrivals_per_s * 1000 - 1000, rel=0.03)


@pytest.mark.no_cover
@slow
@given(data=st.data(), concurrency=st.integers(1, 100_000))
def test_littles_law_holds_and_every_figure_is_finite(data: Any, concurrency: int, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    x = resolve(workload, row)
    one = service(x, workload.mean_output_tokens)
    found = in_flight(one, float(concurrency))
    if one.most_sequences == 0 or (row.split and not math.isfinite(one.transfer_ms)):
        assert found.arrivals_per_s == 0.0
        return
    figures = (found.arrivals_per_s, found.ttft_ms, found.itl_ms, found.tail_itl_ms, found.batch)
    if not all(map(math.isfinite, figures)):  # requests that take no time at all
        assert breakdown(x).ttft_ms == 0.0 or math.isinf(found.arrivals_per_s)
        return
    assert min(figures) >= 0.0
    assert not found.overloaded
    assert all(0 <= share <= 1 + 1e-9 for share in shares(found))
    if x.profile.first_token_from != "prefill" or not row.split:
        end_ms = found.ttft_ms + (workload.mean_output_tokens - 1) * found.itl_ms
        assert found.arrivals_per_s * end_ms / 1000 == pytest.approx(concurrency, rel=1e-12)


def shares(found: Load) -> tuple[float, ...]:
    return found.prefill_utilisation, found.link_utilisation, found.decode_utilisation


@slow
@given(data=st.data())
def test_one_in_flight_on_one_worker_is_one_request_alone(data: Any, any_asked: Any) -> None:
    workload, row = data.draw(any_asked)
    row = row.changed(prefill_workers=1, decode_workers=1)
    asked = workload.changed(requests_in_flight=1)
    found = outcome(asked, row)
    if found.memory.problem is None and math.isfinite(found.load.ttft_ms):
        assert found.load.ttft_ms == pytest.approx(float(found.parts.ttft_ms), rel=1e-9, abs=1e-9)
        assert found.load.itl_ms == pytest.approx(found.itl_ms, rel=1e-9)


@pytest.mark.parametrize("kind", ["split", "aggregated"])
def test_many_rows_at_once_are_each_by_itself(kind: Any) -> None:
    rows = [
        Deployment(
            id="a", name="a", kind=kind, prefill_tp=tp, prefill_workers=count, decode_workers=count + 1
        )
        for tp, count in ((2, 1), (4, 3), (8, 2))
    ]
    ones = [service(resolve(Workload(), row), 340) for row in rows]
    first, second = (
        np.array([getattr(one, f"{side}_workers") for one in ones]) for side in ("prefill", "decode")
    )
    together = stacked(ones, np.arange(3), first, second)
    for concurrency in (1.0, 20.0, 3000.0):
        found = in_flight(together, concurrency)
        for place, one in enumerate(ones):
            alone = in_flight(one, concurrency)
            assert found.ttft_ms[place] == pytest.approx(alone.ttft_ms, rel=1e-9)
            assert found.itl_ms[place] == pytest.approx(alone.itl_ms, rel=1e-9)
            assert found.arrivals_per_s[place] == pytest.approx(alone.arrivals_per_s, rel=1e-9)


@pytest.mark.parametrize(
    ("level", "values", "concurrency"),
    [
        ("fifo", {"prefill_workers": 3, "decode_workers": 2}, 16),
        ("fifo", {}, 16),
        ("engine", {}, 2),
        ("engine", {"kind": "aggregated", "prefill_tp": 8}, 8),
        ("engine", {"kind": "aggregated", "prefill_workers": 2}, 64),
    ],
)
def test_it_is_near_a_replay_of_ten_requests_each(
    level: Any, values: dict[str, Any], concurrency: int
) -> None:
    asked = Workload(
        prompt_tokens=6000, output_tokens=400, least_length_share=0.8, requests_in_flight=concurrency
    )
    row = Deployment(id="a", name="a", **values)
    found = asked_load(service(resolve(asked, row), asked.mean_output_tokens), asked)
    trace = equal_requests(asked, 1.0, max(10 * concurrency, 100), seed=1)
    result = replay_row(asked, row, trace, level=level, concurrency=concurrency)
    per_s = len(trace) / result.end_ms * 1000
    assert found.arrivals_per_s == pytest.approx(per_s, rel=0.06)
    assert found.itl_ms == pytest.approx(float(result.column("itl_ms").mean()), rel=0.05)
    # prompts wait less in a loop of nearly equal requests than at random
    assert 0.9 <= found.ttft_ms / float(result.column("ttft_ms").mean()) <= 1.35


def test_lengths_that_vary_are_judged_at_their_mean() -> None:
    asked = Workload(prompt_tokens=1000, output_tokens=100, least_length_share=0.8)
    row = Deployment(id="a", name="a")
    assert outcome(asked, row).parts == outcome(Workload(prompt_tokens=900, output_tokens=90), row).parts
    trace = equal_requests(asked, 1.0, 4000, seed=0)
    assert trace.input_tokens.min() >= 800
    assert trace.input_tokens.max() <= 1000
    assert trace.output_tokens.mean() == pytest.approx(90, rel=0.01)


def test_the_most_in_flight_is_the_last_that_meets() -> None:
    row = Deployment(id="a", name="a", kind="aggregated")
    asked = Workload(ttft_percentile="p90")
    most = most_in_flight(service(resolve(asked, row), asked.output_tokens), asked)
    assert most > 1
    verdicts = [outcome(asked.changed(requests_in_flight=most + more), row).reached.meets for more in (0, 1)]
    assert verdicts == [True, False]
    assert most_in_flight(service(resolve(ASKED, row), 100), ASKED.changed(ttft_slo_ms=1.0)) == 0
