"""The reference engine's pass times: its own values, rounded as it rounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.handoff import transfer_delay_ms
from aisim_model.passes import PassTime, polynomial

POOL_TOKENS = 16_384 * 64
REFERENCE = PassTime(polynomial(POOL_TOKENS), polynomial(POOL_TOKENS))


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
def test_prefill_of_the_reference_engine(tokens: int, expected: float) -> None:
    assert REFERENCE.prompt_ms(float(tokens), 0.0, 8192.0) == pytest.approx(expected, abs=5e-10)


def test_each_pass_is_rounded_to_whole_nanoseconds() -> None:
    # three passes are three times the rounded one, not the rounded sum
    assert REFERENCE.prompt_ms(3 * 8192.0, 0.0, 8192.0) == pytest.approx(3 * 169.136918, abs=1e-10)
    # a mixed pass is the sum of two rounded times: 18.451798, and 5.74 at an empty pool
    assert REFERENCE.pass_ms(128.0, 0.0, 1.0, 0.0) == 18.451798 + 5.74


@pytest.mark.parametrize(
    ("tokens", "transfer_ms", "ttft_ms"),
    [
        (128, 0.262144, 24.460535),
        (1024, 2.097152, 40.380584),
        (8192, 16.777216, 192.074516),
        (16_384, 33.554432, 378.40589),
    ],
)
def test_prefill_transfer_and_first_step_add_up(tokens: int, transfer_ms: float, ttft_ms: float) -> None:
    # 64 GB/s, 131,072 B a token, pool of 16,384 blocks of 64 tokens, one request
    wire = transfer_delay_ms(float(tokens), 131_072.0, 0.0, 64.0)
    assert wire == pytest.approx(transfer_ms, abs=1e-9)
    computed = REFERENCE.prompt_ms(float(tokens), 0.0, 8192.0)
    assert computed + wire + REFERENCE.step_ms(1.0, float(tokens)) == pytest.approx(ttft_ms, abs=1e-6)


def test_decode_at_both_ends_of_the_pool_and_beyond() -> None:
    # p = 0: 5.74; p = 1: -25.74 + 54.01 + 5.74 = 34.01, and no more than a full pool
    steps = [REFERENCE.step_ms(1.0, share * POOL_TOKENS) for share in (0.0, 1.0, 3.0)]
    assert steps == pytest.approx([5.74, 34.01, 34.01], abs=1e-9)


@given(tokens=st.integers(0, 1_000_000), more=st.integers(1, 10_000))
def test_prefill_never_falls(tokens: int, more: int) -> None:
    longer = REFERENCE.prompt_ms(float(tokens + more), 0.0, 8192.0)
    assert np.greater_equal(longer, REFERENCE.prompt_ms(float(tokens), 0.0, 8192.0))
