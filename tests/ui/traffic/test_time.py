"""Use and queues over time, by hand and by property."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, ReplayResult, replay
from aisim_model.traces import Trace
from aisim_ui.traffic.time import active, merged_intervals, over_time


def four_at_once(contention: str) -> ReplayResult:
    """Return four prompts on four prefill workers whose transfers of 128 ms meet on one link."""
    trace = Trace(np.zeros(4), np.full(4, 128), np.full(4, 1))
    config = ReplayConfig.model_validate(
        {
            "prefill_workers": 4,
            "decode_workers": 1,
            "bandwidth_gb_s": 1.0,
            "kv_bytes_per_token": 1_000_000,
            "prefill": fixed(0.0),
            "decode": fixed(1e-6),
            "contention": contention,
            "scope": "shared",
        }
    )
    return replay(trace, config)


@given(st.lists(st.tuples(st.floats(0, 1000), st.floats(0, 1000)), max_size=20))
def test_open_time_is_the_sum_of_lengths(intervals: list[tuple[float, float]]) -> None:
    start = np.array([min(pair) for pair in intervals])
    end = np.array([max(pair) for pair in intervals])
    edges = np.linspace(0.0, 1000.0, 11)
    assert (active(start, end, edges) * 100.0).sum() == pytest.approx((end - start).sum(), abs=1e-6)


@given(st.lists(st.tuples(st.floats(0, 1000), st.floats(0, 1000), st.integers(0, 2)), max_size=20))
def test_merged_intervals_never_overlap_and_cover_the_same(rows: list[tuple[float, float, int]]) -> None:
    start = np.array([min(a, b) for a, b, _ in rows])
    end = np.array([max(a, b) for a, b, _ in rows])
    server = np.array([one for *_, one in rows], dtype=np.int64)
    first, last = merged_intervals(start, end, server)
    assert (last >= first - 1e-6).all()
    # no server is open for longer than from its first to its last moment
    spans = sum(end[server == one].max() - start[server == one].min() for one in set(server.tolist()))
    assert (last - first).sum() <= spans + 1e-6
    assert (last - first).sum() <= (end - start).sum() + 1e-6


@pytest.mark.parametrize("contention", ["fifo", "fair"])
def test_a_shared_link_is_full_until_the_last_transfer_ends(contention: str) -> None:
    # 4 x 128 ms on one link: all is sent at 512 ms
    found = over_time(four_at_once(contention), bins=4)
    assert found["time_s"].tolist() == pytest.approx([0.064, 0.192, 0.32, 0.448])
    assert found["link_busy"].tolist() == pytest.approx([1.0] * 4, abs=1e-6)


def test_transfers_one_at_a_time_leave_the_others_waiting() -> None:
    found = over_time(four_at_once("fifo"), bins=4)
    assert found["on_the_wire"].tolist() == pytest.approx([1.0] * 4, abs=1e-6)
    assert found["waiting_for_link"].tolist() == pytest.approx([3.0, 2.0, 1.0, 0.0], abs=1e-6)


def test_transfers_that_share_are_all_on_the_wire() -> None:
    assert over_time(four_at_once("fair"), bins=4)["on_the_wire"].tolist() == pytest.approx(
        [4.0] * 4, abs=1e-6
    )


def test_a_link_without_contention_can_be_used_above_what_it_carries() -> None:
    # all four end at 128 ms: one link's worth four times over
    assert over_time(four_at_once("none"), bins=1)["link_busy"].tolist() == pytest.approx([4.0], abs=1e-6)


def test_aggregated_workers_have_neither_link_nor_room() -> None:
    trace = Trace(np.array([0.0, 10.0]), np.array([100, 100]), np.array([5, 5]))
    found = over_time(replay(trace, ReplayConfig(aggregated_workers=1)), bins=2)
    assert list(found) == ["time_s", "prefill_busy", "waiting_for_prefill"]
    assert found["prefill_busy"].max() <= 1.0 + 1e-9
