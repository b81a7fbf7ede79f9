"""Closed loops worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from aisim_model.replay import ReplayConfig, replay
from aisim_model.traces.trace import Trace
from tests.model.replay.test_replay_by_hand import LINK, TIMES, trace


def test_one_in_flight_is_followed_by_the_next_as_it_ends():
    # prefill 10, transfer 128 / 64, a step of 5 for each of 2 tokens: out at 148, then at 148 + 84
    config = ReplayConfig(prefill_workers=1, decode_workers=1, concurrency=1, **TIMES, **LINK)
    result = replay(trace([0.0, 0.0], [128, 64], outputs=2), config)
    assert result.column("arrival_ms").tolist() == [0.0, 148.0]
    assert result.column("ttft_ms").tolist() == [143.0, 79.0]
    assert result.column("last_token_ms").tolist() == [148.0, 232.0]


def test_aggregated_workers_take_the_next_into_the_pass_that_follows():
    # two at once: prompts in one pass of 10, a step of 5; the third then joins at 15, the fourth too
    config = ReplayConfig(aggregated_workers=1, concurrency=2, **TIMES)
    result = replay(trace([0.0, 7.0, 9.0, 11.0], [10, 10, 10, 10], outputs=2), config)
    assert result.column("arrival_ms").tolist() == [0.0, 0.0, 15.0, 15.0]
    assert result.column("last_token_ms").tolist() == [15.0, 15.0, 30.0, 30.0]


@pytest.mark.parametrize("workers", [{"aggregated_workers": 3}, {"prefill_workers": 2, "decode_workers": 2}])
@pytest.mark.parametrize("concurrency", [1, 4, 50])
def test_no_more_are_in_flight_than_asked_and_no_place_is_left_empty(workers, concurrency):
    rng = np.random.default_rng(concurrency)
    requests = Trace(np.zeros(40), rng.integers(1, 300, 40), rng.integers(1, 20, 40))
    result = replay(
        requests, ReplayConfig(**workers, concurrency=concurrency, level="engine", **TIMES, **LINK)
    )
    arrived, left = result.column("arrival_ms"), np.sort(result.column("last_token_ms"))
    assert (arrived[:concurrency] == 0.0).all()
    # request k comes the moment the one that frees its place has ended
    assert arrived[concurrency:].tolist() == left[: max(40 - concurrency, 0)].tolist()


def test_cancelled_requests_give_their_place_back():
    # the first is cancelled in its prefill at 4, the third before it comes: the fourth follows the second
    config = ReplayConfig(aggregated_workers=1, concurrency=1, cancellations=((0, 4.0), (2, 1.0)), **TIMES)
    result = replay(trace([0.0] * 4, [10] * 4, outputs=2), config)
    assert result.column("arrival_ms")[[1, 3]].tolist() == [4.0, result.column("last_token_ms")[1]]
