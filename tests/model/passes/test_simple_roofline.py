"""The simple roofline by hand: arithmetic, memory, experts, and passes of both prompts and sequences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.models.kv_cache import KvCurve, KvWindow
from aisim_model.models.shape import Shape
from aisim_model.models.weights.formats import StoredWeights
from aisim_model.passes.pass_time import PassTime, pass_time
from aisim_model.passes.simple_roofline import touched_parameters
from aisim_model.passes.speeds import speeds
from aisim_model.passes.worker import Worker

# Qwen3-32B in bf16 on four H200
DENSE_SHAPE = Shape(
    layers=64.0,
    attention_layers=64.0,
    window_layers=0.0,
    expert_layers=0.0,
    hidden_size=5120.0,
    attention_heads=64.0,
    head_dim=128.0,
    dense_parameters=32.8e9,
    expert_parameters=0.0,
    routed_share=1.0,
    decode_flops_per_token=64 * 2 * 64 * 2 * 128.0,
)
DENSE = Worker(
    active_parameters=32.8e9,
    total_parameters=32.8e9,
    shape=DENSE_SHAPE,
    kv=KvCurve(growing_bytes_per_token=262_144),
    speeds=speeds("h200", StoredWeights()),
    tensor_parallel=4,
    engine="vllm",
    mfu=0.55,
    memory_efficiency=0.5,
    pool_tokens=1e6,
)
SPARSE = replace(
    DENSE,
    active_parameters=22e9,
    total_parameters=235e9,
    shape=DENSE_SHAPE._replace(layers=94.0, attention_layers=94.0),
)
BYTES_PER_S, FLOPS_PER_S = 4.8e12 * 0.5 * 4, 989e12 * 0.55 * 4


def times(worker: Worker) -> PassTime:
    return pass_time(worker, "simple_roofline", "simple_roofline")


def prompt_ms(worker: Worker, tokens: float, cached: float = 0.0) -> float:
    return float(times(worker).prompt_ms(tokens, cached, 8192.0))


def test_a_prompt_of_qwen3_32b_by_hand() -> None:
    # weights 2 x 32.8e9 x 12,000 = 787.2e12; attention 4 x 64 x 64 x 128 x 12,000 x 12,001 / 2 = 151.008e12
    # 938.208e12 / (989e12 x 0.55 x 4) = 431.20 ms
    flops = 2 * 32.8e9 * 12_000 + 4 * 64 * 64 * 128 * 12_000 * 12_001 / 2
    assert prompt_ms(DENSE, 12_000.0) == pytest.approx(flops / FLOPS_PER_S * 1000)
    assert flops / FLOPS_PER_S * 1000 == pytest.approx(431.2, abs=0.05)


def test_a_cached_prefix_saves_its_own_work_only() -> None:
    whole, prefix = prompt_ms(DENSE, 12_000.0), prompt_ms(DENSE, 8000.0)
    rest = prompt_ms(DENSE, 12_000.0, 8000.0)
    assert prefix + rest == pytest.approx(whole)
    assert rest > prompt_ms(DENSE, 4000.0)  # it attends to the prefix


def test_few_tokens_are_bound_by_reading_weights_and_cache() -> None:
    assert prompt_ms(DENSE, 1.0) == pytest.approx((65.6e9 + 262_144) / BYTES_PER_S * 1000)
    # one token after a long prefix reads what a decode step reads
    assert prompt_ms(DENSE, 12_000.0, 11_999.0) == pytest.approx(times(DENSE).step_ms(1.0, 12_000.0))


def test_nothing_to_do_takes_no_time() -> None:
    assert prompt_ms(DENSE, 12_000.0, 12_000.0) == 0.0
    assert times(DENSE).pass_ms(0.0) == 0.0


def test_a_sparse_model_reads_the_experts_that_a_pass_touches() -> None:
    assert touched_parameters(1.0, 22e9, 235e9) == pytest.approx(22e9)
    assert touched_parameters(8192.0, 22e9, 235e9) == pytest.approx(235e9)
    # two tokens: 235e9 x (1 - (213 / 235)^2) = 41.94e9
    assert touched_parameters(2.0, 22e9, 235e9) == pytest.approx(41.94e9, rel=1e-4)
    # more active weights than there are: all of them
    assert touched_parameters(3.0, 2e9, 1e9) == 1e9


def test_experts_touched_are_the_same_alone_and_in_an_array() -> None:
    tokens = np.array([1.0, 2.0, 3.0, 7.0, 93.0, 8192.0])
    for active in np.linspace(1e9, 234e9, 50):
        together = np.asarray(touched_parameters(tokens, float(active), 235e9))
        assert together.tolist() == [touched_parameters(float(one), float(active), 235e9) for one in tokens]


def test_a_step_reads_weights_once_and_each_sequence_its_own_cache() -> None:
    # (65.6e9 + 12,000 x 262,144) B / (4.8e12 x 0.5 x 4) = 7.161 ms
    one, nine = (times(DENSE).step_ms(sequences, 12_000.0) for sequences in (1.0, 9.0))
    assert one == pytest.approx((65.6e9 + 12_000 * 262_144) / BYTES_PER_S * 1000)
    assert nine - one == pytest.approx(8 * 12_000 * 262_144 / BYTES_PER_S * 1000)


def test_windows_and_state_are_read_as_far_as_they_are_filled() -> None:
    windowed = KvCurve(
        growing_bytes_per_token=1000,
        windowed=(KvWindow(bytes_per_token=500, window_tokens=128),),
        constant_bytes=7000,
    )
    found = times(replace(DENSE, kv=windowed)).step_ms(2.0, 300.0)
    # two sequences of 300 x 1,000 + 128 x 500 + 7,000 B
    assert found == pytest.approx((65.6e9 + 2 * (300_000 + 64_000 + 7000)) / BYTES_PER_S * 1000)


def test_a_large_batch_is_bound_by_arithmetic() -> None:
    # 1,000 sequences of one token: 1,000 x (2 x 32.8e9 + 4 x 64 x 64 x 128) FLOPs
    flops = 1000 * (65.6e9 + 4 * 64 * 64 * 128)
    assert times(DENSE).step_ms(1000.0, 1.0) == pytest.approx(flops / FLOPS_PER_S * 1000)


def test_a_mixed_pass_reads_the_weights_once() -> None:
    # 10 new tokens and 8 sequences of 1,000: bound by memory, (65.6e9 + 8,010 x 262,144) B
    mixed = times(DENSE).pass_ms(10.0, 0.0, 8.0, 1000.0)
    assert mixed == pytest.approx((65.6e9 + 8010 * 262_144) / BYTES_PER_S * 1000)
    assert mixed < times(DENSE).pass_ms(10.0) + times(DENSE).step_ms(8.0, 1000.0)


@given(tokens=st.integers(1, 400_000), more=st.integers(1, 10_000), cached=st.integers(0, 400_000))
def test_time_grows_with_the_prompt_and_shrinks_with_the_cache(tokens: int, more: int, cached: int) -> None:
    cached = min(cached, tokens)
    time_ms = prompt_ms(SPARSE, float(tokens), float(cached))
    assert prompt_ms(SPARSE, float(tokens + more), float(cached)) >= time_ms
    # in one pass: a hit moves the cuts between passes, which can cost the last one a little
    new = min(tokens, 8192)
    assert prompt_ms(SPARSE, float(new)) >= prompt_ms(SPARSE, float(new), float(min(cached, new)))
