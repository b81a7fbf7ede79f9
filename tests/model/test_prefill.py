"""Prefill time: the reference engine's values, the roofline's limits, and tables that don't extrapolate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model import decode, prefill, roofline
from aisim_model.errors import InputError

QWEN3_32B: dict[str, Any] = {
    "active_parameters": 32.8e9,
    "total_parameters": 32.8e9,
    "layers": 64,
    "attention_heads": 64,
    "head_dim": 128,
}
QWEN3_235B: dict[str, Any] = {**QWEN3_32B, "active_parameters": 22e9, "total_parameters": 235e9, "layers": 94}
H200: dict[str, Any] = {
    "weight_bytes_per_parameter": 2.0,
    "peak_tflops": 989.0,
    "hbm_tb_s": 4.8,
    "tensor_parallel": 4,
}


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (1, 16.516604),
        (128, 18.451798),
        (1024, 32.490712),
        (8192, 169.136918),
        (16_384, 338.273836),
        (8193, 169.136918 + 16.516604),  # a full pass and one of a single token
        (0, 0.0),
    ],
)
def test_polynomial_of_the_reference_engine(tokens: int, expected: float) -> None:
    assert prefill.polynomial_ms(float(tokens)) == pytest.approx(expected, abs=5e-10)


def test_polynomial_rounds_each_pass_to_whole_nanoseconds() -> None:
    one_pass = prefill.polynomial_pass_ns(8192.0)
    assert one_pass == int(one_pass) == 169_136_918
    # three passes are three times the rounded one, not the rounded sum
    assert prefill.polynomial_ms(3 * 8192.0) == 3 * 169_136_918 / 1e6


def test_rate_and_fixed() -> None:
    assert prefill.rate_ms(12_000.0, 24_000.0) == 500.0
    assert [prefill.fixed_ms(t, 100.0) for t in (0.0, 1.0, 8192.0, 8193.0)] == [0.0, 100.0, 100.0, 200.0]


def test_roofline_of_qwen3_32b_by_hand() -> None:
    # weights 2 x 32.8e9 x 12,000 = 787.2e12; attention 4 x 64 x 64 x 128 x 12,000 x 12,001 / 2 = 151.008e12
    # 938.208e12 / (989e12 x 0.55 x 4) = 431.20 ms
    flops = 2 * 32.8e9 * 12_000 + 4 * 64 * 64 * 128 * 12_000 * 12_001 / 2
    expected = flops / (989e12 * 0.55 * 4) * 1000
    assert prefill.roofline_ms(12_000.0, **QWEN3_32B, **H200) == pytest.approx(expected)
    assert expected == pytest.approx(431.2, abs=0.05)


def test_a_cached_prefix_saves_its_own_work_only() -> None:
    whole = prefill.roofline_ms(12_000.0, **QWEN3_32B, **H200)
    prefix = prefill.roofline_ms(8000.0, **QWEN3_32B, **H200)
    rest = prefill.roofline_ms(12_000.0, 8000.0, **QWEN3_32B, **H200)
    assert prefix + rest == pytest.approx(whole)
    assert rest > prefill.roofline_ms(4000.0, **QWEN3_32B, **H200)  # it attends to the prefix


def test_few_tokens_are_bound_by_reading_the_weights() -> None:
    # 65.6e9 B / (4.8e12 x 0.5 x 4) = 6.8333 ms
    assert prefill.roofline_ms(1.0, **QWEN3_32B, **H200) == pytest.approx(65.6e9 / 9.6e12 * 1000)


def test_nothing_left_to_compute_takes_no_time() -> None:
    assert prefill.roofline_ms(12_000.0, 12_000.0, kv_bytes_per_token=262_144.0, **QWEN3_32B, **H200) == 0.0


def test_one_new_token_after_a_prefix_costs_a_decode_step() -> None:
    one = prefill.roofline_ms(12_000.0, 11_999.0, kv_bytes_per_token=262_144.0, **QWEN3_32B, **H200)
    step = decode.roofline_ms(12_000.0, 12_000 * 262_144.0, **QWEN3_32B, **H200)
    assert one == pytest.approx(step)


def test_a_sparse_model_reads_the_experts_that_a_pass_touches() -> None:
    assert roofline.touched_parameters(1.0, 22e9, 235e9) == pytest.approx(22e9)
    assert roofline.touched_parameters(8192.0, 22e9, 235e9) == pytest.approx(235e9)
    # two tokens: 235e9 x (1 - (213 / 235)^2) = 41.94e9
    assert roofline.touched_parameters(2.0, 22e9, 235e9) == pytest.approx(41.94e9, rel=1e-4)


def test_experts_touched_are_the_same_alone_and_in_an_array() -> None:
    tokens = np.array([1.0, 2.0, 3.0, 7.0, 93.0, 8192.0])
    for active in np.linspace(1e9, 234e9, 50):
        together = roofline.touched_parameters(tokens, float(active), 235e9)
        alone = [roofline.touched_parameters(float(one), float(active), 235e9) for one in tokens]
        assert together.tolist() == alone
    # more active weights than there are: all of them
    assert roofline.touched_parameters(3.0, 2e9, 1e9) == 1e9
    one = prefill.roofline_ms(1.0, **QWEN3_235B, **H200)
    assert one == pytest.approx(2 * 22e9 / 9.6e12 * 1000)


@given(tokens=st.integers(1, 400_000), more=st.integers(1, 10_000), cached=st.integers(0, 400_000))
def test_roofline_grows_with_the_prompt_and_shrinks_with_the_cache(
    tokens: int, more: int, cached: int
) -> None:
    cached = min(cached, tokens)
    time = prefill.roofline_ms(float(tokens), float(cached), **QWEN3_235B, **H200)
    assert prefill.roofline_ms(float(tokens + more), float(cached), **QWEN3_235B, **H200) >= time
    # a cached token can move the end of the full passes, which then attend to a token more
    assert prefill.roofline_ms(float(tokens), **QWEN3_235B, **H200) >= time * 0.999


def test_a_short_last_pass_is_bound_by_memory() -> None:
    # 8,192 tokens take what they take alone; the one more reads the weights of its experts and 8,193 tokens
    full = prefill.roofline_ms(8192.0, **QWEN3_235B, **H200)
    one = prefill.roofline_ms(8193.0, 8192.0, **QWEN3_235B, **H200)
    assert prefill.roofline_ms(8193.0, **QWEN3_235B, **H200) == pytest.approx(full + one, rel=1e-12)


@given(tokens=st.integers(0, 1_000_000), more=st.integers(1, 10_000))
def test_polynomial_never_falls(tokens: int, more: int) -> None:
    assert prefill.polynomial_ms(float(tokens + more)) >= prefill.polynomial_ms(float(tokens))


def test_table_interpolates_between_its_rows() -> None:
    tokens, times = [2048, 4096, 8192], [85.0, 125.0, 212.0]
    # halfway from 2,048 to 4,096; the rows themselves
    assert prefill.table_ms(3072.0, tokens, times) == pytest.approx(105.0)
    assert prefill.table_ms(np.array([2048.0, 4096.0, 8192.0]), tokens, times).tolist() == times


@pytest.mark.parametrize("tokens", [1.0, 2047.0, 8193.0, 1e6])
def test_table_is_never_extrapolated_in_silence(tokens: float) -> None:
    table = [2048, 4096, 8192], [85.0, 125.0, 212.0]
    assert prefill.outside_table(tokens, table[0]) is True
    with pytest.raises(InputError, match=r"tokens = .*from 2,048 to 8,192 tokens.*extend"):
        prefill.table_ms(tokens, *table)
    # 8,193: 212 + 87 / 4,096 of the last line; 1: 85 - 40 / 2,048 x 2,047 of the first
    by_hand = 212 + (tokens - 8192) * 87 / 4096 if tokens > 8192 else 85 - (2048 - tokens) * 40 / 2048
    assert prefill.table_ms(tokens, *table, outside="extend") == pytest.approx(by_hand)


def test_an_extended_table_never_goes_below_0() -> None:
    assert prefill.table_ms(1.0, [1000, 2000], [10.0, 100.0], outside="extend") == 0.0


@pytest.mark.parametrize(
    ("tokens", "times", "says"),
    [
        ([128], [1.0], "two rows"),
        ([128, 256], [1.0], "two rows"),
        ([256, 128], [1.0, 2.0], "rise"),
        ([128, 128], [1.0, 2.0], "rise"),
        ([-1, 128], [1.0, 2.0], "rise"),
        ([128, float("nan")], [1.0, 2.0], "rise"),
        ([128, 256], [1.0, 0.0], "above 0"),
        ([128, 256], [1.0, float("inf")], "above 0"),
    ],
)
def test_a_table_that_is_none_is_refused(tokens: list[float], times: list[float], says: str) -> None:
    with pytest.raises(InputError, match=says):
        prefill.table_ms(200.0, tokens, times)


def test_one_formula_serves_floats_and_arrays() -> None:
    tokens = np.array([1.0, 128.0, 8192.0, 8193.0, 100_000.0])
    for by in (
        prefill.polynomial_ms,
        lambda t: prefill.fixed_ms(t, 10.0),
        lambda t: prefill.rate_ms(t, 20_000.0),
        lambda t: prefill.roofline_ms(t, kv_bytes_per_token=1e5, **QWEN3_235B, **H200),
        lambda t: prefill.table_ms(t, [64, 4096], [10.0, 100.0], outside="extend"),
    ):
        one_by_one = [by(t) for t in tokens.tolist()]
        assert by(tokens) == pytest.approx(one_by_one, rel=1e-15)
        assert all(type(value) is float for value in one_by_one)
