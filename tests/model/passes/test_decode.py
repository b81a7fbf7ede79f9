"""Decode steps and inter-token latency: worked values and limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.handoff import transfer_delay_ms
from aisim_model.passes import decode, prefill

POOL_TOKENS = 16_384 * 64
MODEL: dict[str, Any] = {
    "active_parameters": 32.8e9,
    "total_parameters": 32.8e9,
    "layers": 64,
    "attention_heads": 64,
    "head_dim": 128,
    "weight_bytes_per_parameter": 2.0,
    "peak_tflops": 989.0,
    "hbm_tb_s": 4.8,
    "tensor_parallel": 4,
}


@pytest.mark.parametrize(
    ("tokens", "transfer_ms", "ttft_ms"),
    [
        (128, 0.262144, 24.460535),
        (1024, 2.097152, 40.380584),
        (8192, 16.777216, 192.074516),
        (16_384, 33.554432, 378.40589),
    ],
)
def test_reference_engine_adds_up_prefill_transfer_and_first_step(
    tokens: int, transfer_ms: float, ttft_ms: float
) -> None:
    # 64 GB/s, 131,072 B a token, pool of 16,384 blocks of 64 tokens, one request
    wire = transfer_delay_ms(float(tokens), 131_072.0, 0.0, 64.0)
    step = decode.polynomial_ms(tokens / POOL_TOKENS)
    assert wire == pytest.approx(transfer_ms, abs=1e-9)
    assert prefill.polynomial_ms(float(tokens)) + wire + step == pytest.approx(ttft_ms, abs=1e-6)


def test_polynomial_at_both_ends_of_the_pool() -> None:
    # p = 0: 5.74; p = 1: -25.74 + 54.01 + 5.74 = 34.01
    assert decode.polynomial_ms(0.0) == 5.74
    assert decode.polynomial_ms(1.0) == 34.01


def test_polynomial_is_at_least_a_millisecond() -> None:
    # p = 3: -231.66 + 162.03 + 5.74 < 0
    assert decode.polynomial_ms(3.0) == 1.0


def test_roofline_reads_weights_and_cache_once() -> None:
    # (65.6e9 + 12,000 x 262,144) B / (4.8e12 x 0.5 x 4) = 7.161 ms
    expected = (65.6e9 + 12_000 * 262_144) / 9.6e12 * 1000
    assert decode.roofline_ms(12_000.0, 12_000 * 262_144.0, **MODEL) == pytest.approx(expected)


def test_a_batch_shares_the_weights_and_not_the_cache() -> None:
    one = decode.roofline_ms(12_000.0, 3e9, batch=1.0, **MODEL)
    nine = decode.roofline_ms(12_000.0, 3e9, batch=9.0, **MODEL)
    assert nine - one == pytest.approx(8 * 3e9 / 9.6e12 * 1000)


def test_a_large_batch_is_bound_by_arithmetic() -> None:
    # 1,000 sequences of one token: 1,000 x (2 x 32.8e9 + 4 x 64 x 64 x 128) FLOPs / (989e12 x 0.55 x 4)
    expected = 1000 * (65.6e9 + 4 * 64 * 64 * 128) / (989e12 * 0.55 * 4) * 1000
    assert decode.roofline_ms(1.0, 262_144.0, batch=1000.0, **MODEL) == pytest.approx(expected)


def test_inter_token_latency_where_prefill_comes_between() -> None:
    # prefill takes 60% of the time: a step of 10 ms comes every 25
    assert decode.aggregated_itl_ms(10.0, 0.6) == pytest.approx(25.0)
    assert decode.aggregated_itl_ms(10.0, 0.0) == 10.0
    assert decode.aggregated_itl_ms(10.0, 1.5) == float("inf")
    assert decode.aggregated_itl_ms(np.array([10.0, 20.0]), np.array([0.5, 1.0])).tolist() == [20.0, np.inf]


def test_tail_is_one_mixed_pass() -> None:
    assert decode.mixed_pass_ms(5.74, 169.136918) == pytest.approx(174.876918)


@given(share=st.floats(0, 1))
def test_one_formula_serves_floats_and_arrays(share: float) -> None:
    assert decode.polynomial_ms(np.array([share]))[0] == decode.polynomial_ms(share)
    assert type(decode.polynomial_ms(share)) is float
    assert decode.fixed_ms(np.array([1.0, 2.0]), 7.5).tolist() == [7.5, 7.5]
