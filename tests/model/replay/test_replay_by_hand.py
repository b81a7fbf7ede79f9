"""Replays worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, replay
from aisim_model.traces.trace import Trace
from aisim_model.ttft_parts import PART_NAMES

TIMES = {"prefill": fixed(10.0), "decode": fixed(5.0)}
LINK = {"bandwidth_gb_s": 1.0, "kv_bytes_per_token": 1e6}  # 1 ms a token


def trace(arrivals: list[float], prompts: list[int], outputs: int = 3) -> Trace:
    return Trace(np.array(arrivals), np.array(prompts), np.full(len(prompts), outputs))


def test_one_request_at_a_time():
    # prefill 10, transfer 128 / 256 / 64, one step of 5
    requests = trace([0.0, 1000.0, 2000.0], [128, 256, 64])
    result = replay(requests, ReplayConfig(prefill_workers=1, decode_workers=1, **TIMES, **LINK))
    assert result.column("transfer_ms").tolist() == [128.0, 256.0, 64.0]
    assert result.column("ttft_ms").tolist() == [143.0, 271.0, 79.0]
    assert result.column("last_token_ms").tolist() == [153.0, 1281.0, 2089.0]


def test_activations_wait_for_the_running_pass():
    # held every 7 ms from 10 on; after the first, passes run back to back on the grid 11, 16, 21, ...; each
    # reservation is granted at the end of a pass, its 1 ms transfer ends in the next one
    requests = trace([7.0 * k for k in range(6)], [1] * 6, outputs=1000)
    result = replay(requests, ReplayConfig(prefill_workers=6, decode_workers=1, **TIMES, **LINK))
    assert result.column("ttft_ms").tolist() == [16.0, 24.0, 22.0, 20.0, 23.0, 21.0]


@pytest.mark.parametrize(
    ("cancellations", "reserved"),
    [
        # both are held at 10; the first is on the wire until 20 and decodes until 35, when the other has room
        ((), [10.0, 35.0]),
        # cancelled in the pass from 20 to 25, or on the wire, it leaves its room to the other
        (((0, 22.0),), [10.0, 25.0]),
        (((0, 12.0),), [10.0, 12.0]),
    ],
)
def test_a_decode_worker_has_room_for_no_more_sequences(cancellations, reserved):
    config = ReplayConfig(
        prefill_workers=2, decode_workers=1, max_sequences=1, cancellations=cancellations, **TIMES, **LINK
    )
    result = replay(trace([0.0, 0.0], [10, 10], outputs=3), config)
    assert result.column("destination_reserved_ms").tolist() == reserved
    # 10 ms on the wire, then one step
    assert result.column("first_token_ms")[1] == reserved[1] + 15.0


def test_room_is_reserved_before_prefill_where_that_is_the_order():
    # room until 35 as above, though the second prefill worker is idle
    config = ReplayConfig(
        prefill_workers=2,
        decode_workers=1,
        max_sequences=1,
        order="destination_first",
        **TIMES,
        **LINK,
    )
    result = replay(trace([0.0, 0.0], [10, 10], outputs=3), config)
    assert result.column("destination_reserved_ms").tolist() == [0.0, 35.0]
    assert result.column("prefill_start_ms").tolist() == [0.0, 35.0]


def test_sequences_without_limit_run_at_once_at_level_fifo():
    config = ReplayConfig(prefill_workers=2, decode_workers=1, **TIMES, **LINK)
    assert config.max_sequences is None
    result = replay(trace([0.0] * 300, [10] * 300, outputs=1000), config)
    assert (result.column("destination_reserved_ms") < result.column("last_token_ms").min()).all()


@pytest.mark.parametrize("sequences", [2, 256])
def test_a_pass_of_the_engine_has_so_many_sequences(sequences: int):
    # 300 prompts of a token at once on one worker: so many in the first pass of 10 ms
    config = ReplayConfig(
        aggregated_workers=1,
        prefill=fixed(10.0),
        decode=fixed(5.0),
        max_sequences=None if sequences == 256 else sequences,
    )
    result = replay(trace([0.0] * 300, [1] * 300, outputs=2), config)
    assert int((result.column("first_token_ms") == 10.0).sum()) == sequences


@pytest.mark.parametrize(
    ("order", "prefill_ms", "reserved", "first_tokens"),
    [
        # passes run at 4, 5, 6, ...; what arrives at 15 finds the one from 15 to 16 begun and is granted at
        # 16; prefilled at once it is on the wire from 16 to 18, and its first step is that from 18 to 19
        ("source_first", 0.0, [0.0, 16.0], [5.0, 19.0]),
        # 3 + 4 = 7, so passes run at 7, 8, ...; granted at 16, prefilled until 19, on the wire until 21
        ("destination_first", 3.0, [0.0, 16.0], [8.0, 22.0]),
    ],
)
def test_a_pass_that_ends_as_a_request_arrives_is_followed_by_the_next(
    order: str, prefill_ms: float, reserved: list[float], first_tokens: list[float]
):
    config = ReplayConfig(
        prefill_workers=1,
        decode_workers=1,
        prefill=fixed(prefill_ms),
        decode=fixed(1.0),
        order=order,
        **LINK,
    )
    result = replay(trace([0.0, 15.0], [4, 2], outputs=20), config)
    assert result.column("destination_reserved_ms").tolist() == reserved
    assert result.column("first_token_ms").tolist() == first_tokens


def test_steps_of_no_time_are_not_taken_one_by_one():
    # held at 10 and 20, on the wire for 128 and 4 ms: a billion tokens each leave as they are activated
    config = ReplayConfig(
        prefill_workers=1, decode_workers=1, prefill=TIMES["prefill"], decode=fixed(0.0), **LINK
    )
    result = replay(trace([0.0, 0.0], [128, 4], outputs=10**9), config)
    assert result.column("first_token_ms").tolist() == [138.0, 24.0]
    assert result.column("last_token_ms").tolist() == [138.0, 24.0]


@pytest.mark.parametrize(("prefill_workers", "second_start"), [(2, 0.0), (1, 74.0)])
def test_small_pools_hold_back(prefill_workers: int, second_start: float):
    # 64 tokens are 4 of 5 blocks: the second reservation waits until the first request is done at 89, and on
    # one prefill worker the second prompt waits until the first source is released at its activation
    config = ReplayConfig(
        prefill_workers=prefill_workers,
        decode_workers=1,
        level="engine",
        block_size=16,
        pool_blocks=5,
        **TIMES,
        **LINK,
    )
    result = replay(trace([0.0, 0.0], [64, 64]), config)
    assert result.column("transfer_end_ms").tolist() == [74.0, 153.0]
    assert result.column("ttft_ms").tolist() == [79.0, 158.0]
    assert result.column("prefill_start_ms").tolist() == [0.0, second_start]


@pytest.mark.parametrize(
    ("contention", "ends"),
    [("none", [128.0] * 4), ("fifo", [128.0, 256.0, 384.0, 512.0]), ("fair", [512.0] * 4)],
)
def test_four_transfers_on_one_link(contention: str, ends: list[float]):
    config = ReplayConfig(
        prefill_workers=4, decode_workers=4, contention=contention, scope="shared", **TIMES, **LINK
    )
    result = replay(trace([0.0] * 4, [128] * 4), config)
    assert (result.column("wire_end_ms") - 10.0).tolist() == ends


def test_a_fair_link_shares_at_every_moment():
    # 100 MB at 0 and 50 MB at 50 ms on 1 GB/s: half of the first is left when the second comes; 100 more each
    config = ReplayConfig(
        prefill_workers=2, decode_workers=2, contention="fair", scope="shared", **TIMES, **LINK
    )
    result = replay(trace([0.0, 50.0], [100, 50]), config)
    assert (result.column("wire_end_ms") - 10.0).tolist() == [150.0, 150.0]


@pytest.mark.parametrize("scope", ["source", "destination"])
def test_transfers_of_other_workers_do_not_share(scope: str):
    config = ReplayConfig(
        prefill_workers=2, decode_workers=2, contention="fifo", scope=scope, **TIMES, **LINK
    )
    result = replay(trace([0.0] * 2, [128] * 2), config)
    assert result.column("wire_end_ms").tolist() == [138.0, 138.0]


def test_worked_polynomial_with_the_first_decode_step():
    # pool of 16,384 blocks of 64; 64 GB/s and 131,072 B a token; MODEL.md section 4
    config = ReplayConfig(
        prefill_workers=1,
        decode_workers=1,
        level="engine",
        block_size=64,
        pool_blocks=16_384,
        bandwidth_gb_s=64.0,
        kv_bytes_per_token=131_072,
    )
    requests = trace([0.0, 1e4, 2e4, 3e4], [128, 1024, 8192, 16384])
    result = replay(requests, config)
    assert result.column("transfer_ms") == pytest.approx([0.262144, 2.097152, 16.777216, 33.554432], abs=1e-9)
    assert result.column("ttft_ms") == pytest.approx([24.460535, 40.380584, 192.074516, 378.40589], abs=1e-6)


def test_nothing_to_send_is_sent_at_once():
    # the second prompt's blocks are all on the decode worker: nothing is missing
    requests = Trace(
        np.array([0.0, 1000.0]),
        np.array([128, 128]),
        np.array([3, 3]),
        np.array([1, 2] * 2),
        np.array([0, 2, 4]),
        64,
    )
    config = ReplayConfig(
        prefill_workers=1,
        decode_workers=1,
        mode="destination_missing",
        prefix_caching=True,
        block_size=64,
        **TIMES,
        **LINK,
    )
    result = replay(requests, config)
    assert result.column("tokens_moved").tolist() == [128, 0]
    assert result.column("destination_reused_tokens").tolist() == [0, 128]
    assert result.column("prefill_reused_tokens").tolist() == [0, 64]  # the last block is computed again
    assert result.column("ttft_ms").tolist() == [143.0, 15.0]


def test_missing_tokens_are_whole_blocks():
    config = ReplayConfig(
        prefill_workers=1, decode_workers=1, mode="destination_missing", block_size=16, **TIMES, **LINK
    )
    result = replay(trace([0.0], [130]), config)
    assert result.column("tokens_moved").tolist() == [144]
    assert result.column("bytes_moved").tolist() == [144e6]


def test_destination_first_reserves_before_it_prefills():
    # the one sequence of 100 tokens keeps the decode worker busy from 79 on: the reservation asked at 80 is
    # granted at the end of the pass at 84, and only then does the prompt queue for prefill
    config = ReplayConfig(prefill_workers=1, decode_workers=1, order="destination_first", **TIMES, **LINK)
    result = replay(trace([0.0, 80.0], [64, 64], outputs=100), config)
    assert result.column("destination_reserved_ms").tolist() == [0.0, 84.0]
    assert result.column("prefill_start_ms").tolist() == [0.0, 84.0]
    assert result.column("reservation_ms").tolist() == [0.0, 4.0]
    assert result.column("ttft_ms").tolist() == [79.0, 84.0 + 10.0 + 64.0 + 1.0 + 5.0 - 80.0]


@pytest.mark.parametrize(
    ("first_token_from", "first", "second", "last"),
    # held at 10, activated at 74, steps of 5; three tokens
    [("decode_step", 79.0, None, 89.0), ("shipped", 74.0, 79.0, 84.0), ("prefill", 10.0, 79.0, 84.0)],
)
def test_where_the_first_token_comes_from(
    first_token_from: str, first: float, second: float | None, last: float
):
    config = ReplayConfig(
        prefill_workers=1, decode_workers=1, first_token_from=first_token_from, **TIMES, **LINK
    )
    result = replay(trace([0.0], [64]), config)
    assert result.column("ttft_ms")[0] == first
    assert result.column("last_token_ms")[0] == last
    assert result.column("second_token_ms")[0] == second or second is None
    assert sum(result.column(part)[0] for part in PART_NAMES) == first


def test_orchestration_lies_between_held_and_reserved():
    config = ReplayConfig(prefill_workers=1, decode_workers=1, orchestration_ms=7.0, **TIMES, **LINK)
    result = replay(trace([0.0], [64]), config)
    assert result.column("orchestration_ms").tolist() == [7.0]
    assert result.column("ttft_ms").tolist() == [10.0 + 7.0 + 64.0 + 5.0]


def test_fallback_where_bytes_are_unknown():
    config = ReplayConfig(prefill_workers=1, decode_workers=1, fallback_delay_ms=3.0, **TIMES)
    result = replay(trace([0.0], [64]), config)
    assert result.column("ttft_ms").tolist() == [10.0 + 3.0 + 5.0]
    assert np.isnan(result.column("bytes_moved")).all()


def test_windows_and_state_are_sent_beside_what_grows():
    # 100 tokens at 1 MB, a window of 40 tokens at 0.5 MB, 30 MB of state: 150 MB
    config = ReplayConfig(
        prefill_workers=1,
        decode_workers=1,
        windows=({"bytes_per_token": 5e5, "window_tokens": 40},),
        state_bytes=30e6,
        **TIMES,
        **LINK,
    )
    result = replay(trace([0.0], [100]), config)
    assert result.column("transfer_ms").tolist() == [150.0]
    assert result.column("bytes_moved").tolist() == [150e6]


def test_zero_prefill_is_legal():
    config = ReplayConfig(
        prefill_workers=2,
        decode_workers=1,
        prefill=fixed(0.0),
        decode=fixed(5.0),
        **LINK,
    )
    result = replay(trace([0.0] * 3, [64] * 3), config)
    assert result.column("source_held_ms").tolist() == [0.0, 0.0, 0.0]
