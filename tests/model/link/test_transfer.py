"""Time on the link: worked values, limits that must hold, and floats against arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model import link
from aisim_model.handoff import transfer_delay_ms

COUNTS = st.integers(1, 2_000_000)
TIMES = st.floats(1e-3, 1e5)


def llama_70b_ms(prefill_tp: int, decode_tp: int) -> float:
    bandwidth = link.effective_bandwidth_gb_s(50.0, "nic", prefill_tp, decode_tp)
    return transfer_delay_ms(8192.0, 327_680.0, 0.0, bandwidth)


def test_ranks_of_the_smaller_side_send_in_parallel() -> None:
    # 8,192 x 327,680 B = 2,684,354,560 B; over 50 GB/s 53.687 ms, over 8 x 50 an eighth
    assert llama_70b_ms(1, 4) == pytest.approx(53.6870912)
    assert llama_70b_ms(8, 8) == pytest.approx(53.6870912 / 8)
    assert llama_70b_ms(4, 8) == llama_70b_ms(8, 4) == pytest.approx(53.6870912 / 4)


@pytest.mark.parametrize(
    ("scope", "prefill_tp", "decode_tp", "nics_per_gpu", "expected"),
    [
        ("nic", 4, 4, 0.25, 1.0),  # one NIC for four GPUs
        ("nic", 4, 8, 2.0, 8.0),
        ("gpu", 4, 8, 2.0, 4.0),  # a link per GPU has no NICs to count
        ("node", 4, 8, 2.0, 1.0),
        ("node", 8, 8, 1.0, 1.0),
        ("node", 9, 16, 1.0, 2.0),  # nine ranks span two nodes of eight
        ("node", 16, 32, 1.0, 2.0),
    ],
)
def test_lanes_follow_what_the_link_is_rated_for(
    scope: link.LinkScope, prefill_tp: int, decode_tp: int, nics_per_gpu: float, expected: float
) -> None:
    assert link.lanes(scope, prefill_tp, decode_tp, nics_per_gpu) == expected


def test_gpus_per_node_is_the_rows_own() -> None:
    assert link.lanes("node", 8, 8, gpus_per_node=4) == 2.0


def test_one_latent_copy_uses_one_ranks_lanes_whatever_the_ranks() -> None:
    one_copy = link.effective_bandwidth_gb_s(50.0, "nic", 16, 16, copies=1)
    assert one_copy == 50.0
    # sixteen copies over sixteen ranks: sixteen times the bytes at sixteen times the bandwidth
    every_rank = link.effective_bandwidth_gb_s(50.0, "nic", 16, 16, copies=16)
    assert transfer_delay_ms(16.0, 1e9, 0.0, every_rank) == transfer_delay_ms(1.0, 1e9, 0.0, one_copy)


def test_calibrated_adds_start_up_and_descriptors_to_the_reference() -> None:
    # 1e9 B at 100 GB/s x 0.8 = 12.5 ms; 1,000 x 2 us = 2 ms; alpha 0.5 ms
    assert link.calibrated_ms(1e9, 100.0, 0.5, 1000.0, 2.0, 0.8) == pytest.approx(15.0)
    assert link.calibrated_ms(1e9, 100.0) == pytest.approx(transfer_delay_ms(1e9, 1.0, 0.0, 100.0))
    assert link.calibrated_ms(0.0, 100.0, 0.5) == 0.5


def test_descriptors_of_qwen3_32b() -> None:
    # ceil(12,000 / 16) = 750 blocks, ceil(12,000 / 64) = 188; x 64 layers x keys and values
    assert link.descriptors_per_rank(12_000, 16, 64) == 96_000
    assert link.descriptors_per_rank(12_000, 64, 64) == 24_064
    assert link.descriptors_per_rank(12_000, 64, 61, tensors_per_layer=1) == 188 * 61


@given(prefill_ms=TIMES, share=st.floats(0.0, 1.0), layers=st.integers(1, 200))
def test_by_layer_a_transfer_within_prefill_leaves_its_last_layer(
    prefill_ms: float, share: float, layers: int
) -> None:
    exposed = link.layer_overlap_exposed_ms(prefill_ms, prefill_ms * share, layers)
    assert exposed == pytest.approx(prefill_ms * share / layers)


@given(prefill_ms=TIMES, transfer_ms=TIMES, layers=st.integers(1, 200))
def test_by_layer_the_formula_as_it_is_written(prefill_ms: float, transfer_ms: float, layers: int) -> None:
    as_written = (
        prefill_ms / layers
        + max(prefill_ms, transfer_ms) * (layers - 1) / layers
        + transfer_ms / layers
        - prefill_ms
    )
    exposed = link.layer_overlap_exposed_ms(prefill_ms, transfer_ms, layers)
    assert exposed == pytest.approx(as_written, rel=1e-9, abs=1e-9 * (prefill_ms + transfer_ms))


def test_by_layer_a_slow_link_hides_prefill_instead() -> None:
    # t_c 100, t_x 400, L 4: 25 + 300 + 100 - 100 = 325
    assert link.layer_overlap_exposed_ms(100.0, 400.0, 4) == pytest.approx(325.0)


def test_by_chunk_the_short_last_one_is_left() -> None:
    # 12,000 in chunks of 8,192: the first has long been sent, 3,808 / 12,000 x 15.73 ms are left
    assert link.chunk_overlap_exposed_ms(12_000.0, 8192.0, 400.0, 15.73) == pytest.approx(
        15.73 * 3808 / 12_000
    )


def test_by_chunk_a_slow_link_is_busy_from_the_first_chunk_on() -> None:
    # first chunk ready at 400 x 8,192 / 12,000 = 273.07; then 1,000 ms of wire; 1,273.07 - 400 = 873.07
    assert link.chunk_overlap_exposed_ms(12_000.0, 8192.0, 400.0, 1000.0) == pytest.approx(
        400 * 8192 / 12_000 + 1000 - 400
    )


@pytest.mark.parametrize("tokens", [1.0, 100.0, 8192.0])
def test_by_chunk_one_chunk_overlaps_nothing(tokens: float) -> None:
    assert link.chunk_overlap_exposed_ms(tokens, 8192.0, 400.0, 15.73) == pytest.approx(15.73)


def test_by_chunk_whole_chunks_leave_one_of_them() -> None:
    # two full chunks of 4,000: half of the transfer is left
    assert link.chunk_overlap_exposed_ms(8000.0, 4000.0, 400.0, 20.0) == pytest.approx(10.0)


@given(tokens=COUNTS, chunk=st.integers(1, 100_000), prefill_ms=TIMES, transfer_ms=TIMES)
def test_by_chunk_the_closed_form_equals_the_chunks_one_by_one(
    tokens: int, chunk: int, prefill_ms: float, transfer_ms: float
) -> None:
    if tokens > 3000 * chunk:  # a schedule of more chunks takes long and shows no more
        chunk = -(-tokens // 3000)
    sizes = [float(min(chunk, tokens - start)) for start in range(0, tokens, chunk)]
    one_by_one = link.scheduled_overlap_exposed_ms(
        sizes, [prefill_ms * size / tokens for size in sizes], transfer_ms
    )
    closed = link.chunk_overlap_exposed_ms(float(tokens), float(chunk), prefill_ms, transfer_ms)
    assert closed == pytest.approx(one_by_one, rel=1e-9, abs=1e-9 * (prefill_ms + transfer_ms))


@given(tokens=COUNTS, chunk=st.integers(1, 100_000), prefill_ms=TIMES, transfer_ms=TIMES)
def test_overlap_hides_at_most_prefill_and_never_adds(
    tokens: int, chunk: int, prefill_ms: float, transfer_ms: float
) -> None:
    exposed = link.chunk_overlap_exposed_ms(float(tokens), float(chunk), prefill_ms, transfer_ms)
    slack = 1e-9 * (prefill_ms + transfer_ms)
    assert max(transfer_ms - prefill_ms, 0.0) - slack <= exposed <= transfer_ms + slack


def test_chunks_that_take_longer_later_are_timed_one_by_one() -> None:
    # ends of prefill 100, 300, 600; 30 ms of wire each third: sent by 130, 330, 630
    assert link.scheduled_overlap_exposed_ms(
        [100.0, 100.0, 100.0], [100.0, 200.0, 300.0], 90.0
    ) == pytest.approx(30.0)
    with pytest.raises(ValueError, match="zip"):
        link.scheduled_overlap_exposed_ms([100.0], [1.0, 2.0], 90.0)


@pytest.mark.parametrize(
    ("prompt", "cached", "block", "credit", "expected"),
    [
        (130, 0, 16, "blocks", 144),  # cold and rounded: more than the prompt
        (130, 40, 16, "blocks", 112),  # nine blocks less two whole ones that are held
        (130, 40, 1, "blocks", 90),  # SGLang's blocks of one token are exact
        (128, 128, 16, "blocks", 0),
        (130, 500, 16, "blocks", 16),  # what is held beyond the prompt doesn't count
        (130, 40, 16, "none", 144),
        (130, 0, 32, "none", 160),
        (130, 40, 16, "tokens", 90),
        (130, 500, 16, "tokens", 0),
    ],
)
def test_missing_tokens_as_engines_count_them(
    prompt: int, cached: int, block: int, credit: link.PrefixCredit, expected: int
) -> None:
    assert link.destination_missing_tokens(prompt, cached, block, credit) == expected


@given(prompt=COUNTS, cached=st.integers(0, 2_000_000), block=st.integers(1, 2048))
def test_blocks_sent_hold_what_is_missing(prompt: int, cached: int, block: int) -> None:
    missing = max(prompt - cached, 0)
    blocks = link.destination_missing_tokens(prompt, cached, block, "blocks")
    assert blocks % block == 0
    assert missing <= blocks < missing + 2 * block
    assert blocks <= link.destination_missing_tokens(prompt, cached, block, "none")


def test_one_formula_serves_floats_and_arrays() -> None:
    tokens = np.array([1.0, 100.0, 8192.0, 12_000.0, 100_000.0])
    by_array = {
        "calibrated": link.calibrated_ms(tokens * 1e5, 50.0, 0.4, tokens, 1.0, 0.9),
        "layer": link.layer_overlap_exposed_ms(tokens / 30, 16.0, 64),
        "chunk": link.chunk_overlap_exposed_ms(tokens, 8192.0, tokens / 30, tokens / 800),
        "missing": link.destination_missing_tokens(tokens, 50.0, 16, "blocks"),
        "descriptors": link.descriptors_per_rank(tokens, 16, 64),
    }
    by_float = {
        "calibrated": [link.calibrated_ms(t * 1e5, 50.0, 0.4, t, 1.0, 0.9) for t in tokens.tolist()],
        "layer": [link.layer_overlap_exposed_ms(t / 30, 16.0, 64) for t in tokens.tolist()],
        "chunk": [link.chunk_overlap_exposed_ms(t, 8192.0, t / 30, t / 800) for t in tokens.tolist()],
        "missing": [link.destination_missing_tokens(t, 50.0, 16, "blocks") for t in tokens.tolist()],
        "descriptors": [link.descriptors_per_rank(t, 16, 64) for t in tokens.tolist()],
    }
    for name, values in by_float.items():
        assert by_array[name].tolist() == values, name
        assert all(type(value) is float for value in values), name
