"""TTFT by part: the reference engine's table, worked answers, the three first tokens, what always holds."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aisim_model.handoff import TransferTimingMode
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.row.ttft import (
    TtftBreakdown,
    breakdown,
    decode_step_ms,
    handoff,
    prefill_ms,
    second_token_ms,
    sent_tokens,
    transfer_ms,
    wire_bytes,
)
from aisim_model.scenario import Deployment, Scenario, Workload

LLAMA = Workload(model_id="llama-3.1-70b", prompt_tokens=8192, decode_cached_tokens=6144)


def row(**values: Any) -> Deployment:
    return Deployment.model_validate({"id": "row", "name": "Row", **values})


def timed(tokens: int = 12_000, **values: Any) -> ResolvedRow:
    """Return a row with times that a hand can add: 100 ms of prefill a pass, steps of 5 ms."""
    by_hand = {"prefill_model": "fixed", "prefill_pass_ms": 100, "decode_model": "fixed", "decode_step_ms": 5}
    return resolve(Workload(prompt_tokens=tokens), row(**{**by_hand, **values}))


@pytest.mark.parametrize(
    ("tokens", "sent_ms", "expected_ms"),
    [
        (128, 0.262144, 24.460535),
        (1024, 2.097152, 40.380584),
        (8192, 16.777216, 192.074516),
        (16384, 33.554432, 378.40589),
    ],
)
def test_reference_engine_one_request(tokens: int, sent_ms: float, expected_ms: float) -> None:
    x = resolve(
        Workload(prompt_tokens=tokens),
        row(
            engine="reference",
            bandwidth_gb_s=64,
            kv_bytes_per_token=131_072,
            prefill_model="polynomial",
            decode_model="polynomial",
            pool_tokens=16_384 * 64,
        ),
    )
    assert breakdown(x).transfer_ms == pytest.approx(sent_ms, abs=1e-9)
    assert breakdown(x).ttft_ms == pytest.approx(expected_ms, abs=1e-6)


def test_the_example_by_hand() -> None:
    # 64 layers x 8 KV heads x 128 x 2 (K and V) x 2 B = 262,144 B a token; x 12,000 tokens
    # over 4 NICs of 50 GB/s: 3,145,728,000 / 200e9 s
    x = resolve(Workload(), Scenario().selected)
    assert wire_bytes(x) == 3_145_728_000
    assert transfer_ms(x) == pytest.approx(15.72864)
    assert transfer_ms(resolve(Workload(), row(nics_per_gpu=0.25))) == pytest.approx(62.91456)


@pytest.mark.parametrize(
    ("choices", "expected_ms"),
    [
        # 80 layers x 8 heads x 128 x 2 x 2 B = 327,680 B a token: 2,684,354,560 B
        ({"nics_per_gpu": 0.25}, 53.6870912),  # one 400G NIC for four GPUs: 50 GB/s
        ({"prefill_tp": 8, "decode_tp": 8}, 6.7108864),  # eight of them: 400 GB/s
        ({"prefill_tp": 1, "decode_tp": 4}, 53.6870912),  # one rank sends
        ({"nics_per_gpu": 0.25, "link": "roce-100"}, 214.7483648),  # 12.5 GB/s
        ({"nics_per_gpu": 0.25, "timing_mode": "destination_missing"}, 13.4217728),  # 2,048 tokens
    ],
)
def test_llama_70b_by_hand(choices: dict[str, Any], expected_ms: float) -> None:
    assert transfer_ms(resolve(LLAMA, row(**choices))) == pytest.approx(expected_ms)


def test_deepseek_v3_one_latent_copy_by_hand() -> None:
    # 61 layers x (512 + 64) x 2 B = 70,272 B a token; one copy has one NIC of 50 GB/s, however many ranks
    workload = Workload(model_id="deepseek-v3", prompt_tokens=8192)
    once = resolve(workload, row(prefill_tp=8, decode_tp=8, weight_format="fp8", mla_copies="once"))
    each = resolve(workload, row(prefill_tp=8, decode_tp=8, weight_format="fp8"))
    assert wire_bytes(once) == 575_668_224
    assert wire_bytes(each) == 8 * 575_668_224
    assert transfer_ms(once) == pytest.approx(11.51336448)
    assert transfer_ms(each) == pytest.approx(11.51336448)


def test_heads_are_replicated_beyond_their_number() -> None:
    # Qwen3-235B has 4 KV heads: on 8 decode ranks each is kept twice
    workload = Workload(model_id="qwen3-235b-a22b", prompt_tokens=1000)
    four, eight = (resolve(workload, row(decode_tp=ranks)) for ranks in (4, 8))
    assert wire_bytes(eight) == 2 * wire_bytes(four)


def test_first_token_from_the_decode_step() -> None:
    # two passes of 100; 15.72864 on the wire; 3 of orchestration; a step of 5
    parts = breakdown(timed(orchestration_ms=3))
    assert parts == TtftBreakdown(
        prefill_ms=200.0, orchestration_ms=3.0, transfer_ms=pytest.approx(15.72864), decode_step_ms=5.0
    )
    assert parts.ttft_ms == pytest.approx(223.72864)
    assert second_token_ms(timed(orchestration_ms=3)) == pytest.approx(228.72864)


def test_first_token_shipped_takes_no_step() -> None:
    x = timed(first_token_from="shipped")
    assert breakdown(x).ttft_ms == pytest.approx(215.72864)
    assert breakdown(x).decode_step_ms == 0
    assert second_token_ms(x) == pytest.approx(220.72864)


def test_first_token_from_prefill_puts_the_handoff_before_the_second() -> None:
    x = timed(first_token_from="prefill", orchestration_ms=3)
    assert breakdown(x) == TtftBreakdown(prefill_ms=200.0)
    assert second_token_ms(x) == pytest.approx(223.72864)
    assert handoff(x).handoff_ms == pytest.approx(18.72864)


@pytest.mark.parametrize("first", ["decode_step", "shipped", "prefill"])
def test_aggregated_is_its_prefill_whichever_token_is_first(first: str) -> None:
    x = timed(kind="aggregated", first_token_from=first, orchestration_ms=3)
    assert breakdown(x) == TtftBreakdown(prefill_ms=200.0)
    assert second_token_ms(x) == 205.0
    assert (sent_tokens(x), wire_bytes(x), transfer_ms(x), handoff(x).ttft_ms) == (0, 0, 0, 0)


@pytest.mark.parametrize("bandwidth", [0.0, -1.0])
def test_no_bandwidth_is_no_delay(bandwidth: float) -> None:
    x = timed(bandwidth_gb_s=bandwidth)
    assert np.isnan(transfer_ms(x))
    assert np.isnan(breakdown(x).ttft_ms)
    assert wire_bytes(x) == 3_145_728_000


def test_an_array_with_no_bandwidth_somewhere_knows_no_delay_there_only() -> None:
    x = replace(timed(), bandwidth_gb_s=np.array([0.0, 200.0]))
    assert np.isnan(transfer_ms(x)).tolist() == [True, False]


def test_calibrated_link_adds_start_up_and_descriptors() -> None:
    # 750 blocks of 16 x 64 layers x 2 = 96,000 descriptors of 0.5 us are 48 ms; half of 200 GB/s: 31.45728 ms
    x = timed(link_model="calibrated", alpha_ms=2, per_descriptor_us=0.5, link_efficiency=0.5)
    assert transfer_ms(x) == pytest.approx(2 + 48 + 31.45728)


def test_a_latent_is_one_descriptor_a_block_and_layer() -> None:
    # DeepSeek-V3: 61 layers, one tensor each; 128 tokens are 8 blocks of 16: 488 descriptors of 10 us
    workload = Workload(model_id="deepseek-v3", prompt_tokens=128)
    plain, priced = (
        transfer_ms(resolve(workload, row(link_model="calibrated", per_descriptor_us=cost)))
        for cost in (0, 10)
    )
    assert priced - plain == pytest.approx(4.88)


def test_overlap_by_layer_leaves_the_last_layer_and_fixed_costs_whole() -> None:
    x = timed(overlap="layer", link_model="calibrated", alpha_ms=2)
    assert breakdown(x).transfer_ms == pytest.approx(2 + 15.72864 / 64)


def test_overlap_by_chunk_leaves_the_last_chunk() -> None:
    # the second chunk's 3,808 of 12,000 tokens; its share of prefill is longer than the first one's transfer
    assert breakdown(timed(overlap="chunk")).transfer_ms == pytest.approx(15.72864 * 3808 / 12_000)


@pytest.mark.parametrize(
    ("model", "choices", "expected_ms"),
    [
        ("rate", {"prefill_tokens_per_s": 24_000}, 250.0),  # 6,000 uncached tokens
        ("fixed", {"prefill_pass_ms": 100}, 100.0),
        ("polynomial", {}, 122.75802),  # 15.15596 (T^2) + 91.10064 (T) + 16.50142
        ("table", {"prefill_table": ((1000, 10), (11_000, 110))}, 60.0),
    ],
)
def test_prefill_takes_the_uncached_tokens(model: str, choices: dict[str, Any], expected_ms: float) -> None:
    workload = Workload(prompt_tokens=12_000, prefill_cached_tokens=6_000)
    x = resolve(workload, row(prefill_model=model, **choices))
    assert prefill_ms(x) == pytest.approx(expected_ms, abs=1e-6)


def test_a_hit_on_the_prefill_worker_shortens_prefill_and_not_the_transfer() -> None:
    cold, warm = (resolve(Workload(prefill_cached_tokens=hit), row()) for hit in (0, 6000))
    assert prefill_ms(warm) < prefill_ms(cold)
    assert transfer_ms(warm) == transfer_ms(cold)


def test_a_hit_on_the_decode_worker_shortens_the_transfer_and_not_prefill() -> None:
    mode = TransferTimingMode.DESTINATION_MISSING
    cold, warm = (resolve(Workload(decode_cached_tokens=hit), row(timing_mode=mode)) for hit in (0, 6000))
    assert prefill_ms(warm) == prefill_ms(cold)
    assert transfer_ms(warm) == pytest.approx(transfer_ms(cold) / 2)


def test_engines_round_what_decode_lacks_to_blocks() -> None:
    workload = Workload(prompt_tokens=130, decode_cached_tokens=40)
    mode = TransferTimingMode.DESTINATION_MISSING
    sent = {
        name: sent_tokens(resolve(workload, row(engine=name, timing_mode=mode)))
        for name in ("vllm", "sglang", "trtllm", "reference")
    }
    # ceil(130 / 16) - floor(40 / 16) = 7 blocks of 16; exact; ceil(130 / 32) = 5 blocks of 32; exact
    assert sent == {"vllm": 112, "sglang": 90, "trtllm": 160, "reference": 90}


def test_a_window_stops_growing_on_the_wire() -> None:
    workload = Workload(model_id="qwen3-32b", prompt_tokens=5000)
    x = resolve(workload, row())
    longer = replace(x, prompt_tokens=10_000.0)
    assert wire_bytes(longer) == 2 * wire_bytes(x)


@given(data=st.data())
def test_parts_are_never_negative_and_add_up(any_asked: Any, data: st.DataObject) -> None:
    x = resolve(*data.draw(any_asked))
    parts = breakdown(x)
    values = [getattr(parts, part.name) for part in fields(parts)]
    assert not any(value < 0 for value in values)
    whole = parts.queue_ms + parts.prefill_ms + parts.handoff_ms + parts.decode_step_ms
    assert whole == pytest.approx(parts.ttft_ms, nan_ok=True)


@given(data=st.data(), low=st.floats(0.01, 1000), factor=st.floats(1, 100))
def test_more_bandwidth_is_never_slower(
    any_asked: Any, data: st.DataObject, low: float, factor: float
) -> None:
    x = resolve(*data.draw(any_asked))
    slow, fast = (replace(x, bandwidth_gb_s=speed) for speed in (low, low * factor))
    assert transfer_ms(fast) <= transfer_ms(slow)
    assert breakdown(fast).ttft_ms <= breakdown(slow).ttft_ms * (1 + 1e-12)


@given(data=st.data())
def test_the_first_token_is_never_after_the_second(any_asked: Any, data: st.DataObject) -> None:
    x = resolve(*data.draw(any_asked))
    first, second = breakdown(x).ttft_ms, second_token_ms(x)
    assert np.isnan(first) or np.isnan(second) or first <= second


@given(data=st.data())
def test_a_split_row_is_never_faster_than_its_prefill(any_asked: Any, data: st.DataObject) -> None:
    x = resolve(*data.draw(any_asked))
    assert not breakdown(x).ttft_ms < prefill_ms(x)


@given(data=st.data())
def test_what_is_sent_at_a_bandwidth_takes_its_bytes(any_asked: Any, data: st.DataObject) -> None:
    workload, asked = data.draw(any_asked)
    x = resolve(workload, asked.changed(kind="split", link_model="reference", mla_copies="per_rank"))
    x = replace(x, bandwidth_gb_s=7.0)
    assert transfer_ms(x) * 7e6 == pytest.approx(wire_bytes(x))


@given(data=st.data(), more=st.lists(st.integers(1, 100_000), max_size=4))
def test_arrays_equal_single_numbers_to_the_last_bit(
    any_asked: Any, data: st.DataObject, more: list[int]
) -> None:
    x = resolve(*data.draw(any_asked))
    tokens = np.array([x.prompt_tokens, *more], dtype=np.float64)
    held = {
        name: np.minimum(getattr(x, name), tokens)
        for name in ("prefill_cached_tokens", "decode_cached_tokens")
    }
    together = replace(x, prompt_tokens=tokens, **held)
    for i, count in enumerate(tokens.tolist()):
        one = replace(x, prompt_tokens=count, **{name: float(values[i]) for name, values in held.items()})
        for ask in (breakdown, handoff):
            many = np.broadcast_to(ask(together).ttft_ms, tokens.shape)[i]
            assert np.array_equal(many, ask(one).ttft_ms, equal_nan=True)
        assert np.broadcast_to(wire_bytes(together), tokens.shape)[i] == wire_bytes(one)


@given(data=st.data())
def test_the_same_input_gives_the_same_output_to_the_bit(any_asked: Any, data: st.DataObject) -> None:
    workload, asked = data.draw(any_asked)
    first, second = (breakdown(resolve(workload, asked)) for _ in range(2))
    assume(not np.isnan(first.ttft_ms))
    assert first == second


def test_a_decode_step_reads_the_weights_once_for_a_batch() -> None:
    x = resolve(Workload(), row(decode_model="simple_roofline"))
    # weights of 32.76e9 x 2 B and 64 KV caches of 3.1 GB over 4 x 4.8 TB/s x 0.5
    kept = 12_000 * 262_144
    one, many = decode_step_ms(x, 12_000.0, 1.0), decode_step_ms(x, 12_000.0, 64.0)
    assert many - one == pytest.approx(63 * kept / (4 * 4.8e12 * 0.5) * 1000)


@pytest.mark.parametrize("tensor_parallel", [4, 8])
def test_every_rank_reads_a_latent_whole_in_a_decode_step(tensor_parallel: int) -> None:
    ranks = {"prefill_tp": tensor_parallel, "decode_tp": tensor_parallel}
    asked = row(weight_format="fp8", decode_model="simple_roofline", **ranks)
    x = resolve(Workload(model_id="deepseek-v3"), asked)
    # 61 layers x 576 elements x 2 B a token at 4.8 TB/s x 0.5, however many GPUs share the heads
    longer = decode_step_ms(x, 20_000.0) - decode_step_ms(x, 10_000.0)
    assert longer == pytest.approx(10_000 * 70_272 / (4.8e12 * 0.5) * 1000)
