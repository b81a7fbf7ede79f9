"""Offered load of a replay, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, replay
from aisim_model.replay.offered import offered_loads
from aisim_model.traces import Trace

ARRIVALS = np.array([0.0, 500.0, 1000.0])


def trace(prompts: list[int], answers: list[int]) -> Trace:
    return Trace(ARRIVALS, np.array(prompts), np.array(answers))


def test_prefill_and_link_are_offered_their_own_times() -> None:
    # 3 prompts x 400 ms on 2 workers over 1 s: 0.6; 3 x 100 tokens x 1 MB at 1 GB/s, 300 ms on 2 links: 0.15
    config = ReplayConfig(
        prefill_workers=2,
        decode_workers=1,
        bandwidth_gb_s=1.0,
        kv_bytes_per_token=1_000_000,
        prefill=fixed(400.0),
        decode=fixed(5.0),
    )
    loads = offered_loads(replay(trace([100] * 3, [2] * 3), config))
    assert loads == pytest.approx({"prefill": 0.6, "link": 0.15, "decode": 0.0})


def test_decode_is_offered_its_tokens_in_full_passes() -> None:
    # a pool of 300 tokens holds two contexts of 100 + 20 / 2 = 110: 60 tokens x 10 ms / 2 over 1 s
    config = ReplayConfig(
        prefill_workers=1,
        decode_workers=1,
        level="engine",
        bandwidth_gb_s=1000.0,
        kv_bytes_per_token=1,
        prefill=fixed(1.0),
        decode=fixed(10.0),
        block_size=10,
        pool_blocks=30,
    )
    assert offered_loads(replay(trace([100] * 3, [20] * 3), config))["decode"] == pytest.approx(0.3)


def test_aggregated_workers_are_offered_prompts_and_tokens() -> None:
    # prompts of 2,500 in passes of 1,000 are three of 50 ms: 450 ms; 60 tokens x 10 ms in passes of all three
    # sequences (and 253 more, if there were): 60 x 10 / 256 = 2.34 ms; over two workers and 1 s
    config = ReplayConfig(
        aggregated_workers=2,
        prefill=fixed(50.0),
        decode=fixed(10.0),
        prefill_chunk_tokens=1000,
    )
    loads = offered_loads(replay(trace([2500] * 3, [20] * 3), config))
    assert loads == pytest.approx({"workers": (450 + 600 / 256) / 2000})


def test_requests_that_come_at_once_offer_no_load() -> None:
    alone = Trace(np.array([0.0]), np.array([100]), np.array([2]))
    assert offered_loads(replay(alone, ReplayConfig(aggregated_workers=1))) == {}
