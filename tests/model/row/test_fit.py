"""Does it fit: weights, pools and the tokens they hold, by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.models.kv_cache import KvCurve
from aisim_model.models.kv_cache.curve import KvWindow
from aisim_model.row.fit import MAX_POOL_TOKENS, pool_bytes, pool_tokens


def test_a_reserve_is_kept_on_every_gpu_before_a_share_of_what_is_free() -> None:
    # 2 x (100 x 0.9 - 5) - 50 = 120 of all memory; (2 x (100 - 5) - 50) x 0.9 = 126 of what is free
    assert pool_bytes(50e9, 100.0, 2, 0.9, reserve_gb=5.0) == pytest.approx(120e9)
    assert pool_bytes(50e9, 100.0, 2, 0.9, "free", 5.0) == pytest.approx(126e9)


def test_weights_larger_than_memory_leave_less_than_nothing() -> None:
    # 2 x 80 GB x 0.9 = 144 GB against 141.2
    assert pool_bytes(141.2e9, 80.0, 2, 0.9) == pytest.approx(2.8e9)
    assert pool_bytes(671e9, 80.0, 2, 0.9) < 0


def test_a_window_and_a_state_take_their_share_once() -> None:
    # 1,000 of state; 100 a token; 10 a token up to 50: 100 tokens take 1,000 + 10,000 + 500
    curve = KvCurve(
        growing_bytes_per_token=100,
        windowed=(KvWindow(bytes_per_token=10, window_tokens=50),),
        constant_bytes=1000,
    )
    assert pool_tokens(11_500.0, curve) == 100
    assert pool_tokens(11_499.0, curve) == 99
    assert pool_tokens(1_000.0, curve) == 0
    assert pool_tokens(999.0, curve) == 0


def test_a_state_that_never_grows_fits_any_length_or_none() -> None:
    state = KvCurve(constant_bytes=1000)
    assert pool_tokens(1000.0, state) == math.inf
    assert pool_tokens(999.0, state) == 0


@given(rate=st.integers(1, 10**7), pool=st.integers(0, 10**13))
def test_a_plain_curve_divides(rate: int, pool: int) -> None:
    assert pool_tokens(float(pool), KvCurve(growing_bytes_per_token=rate)) == min(
        pool // rate, MAX_POOL_TOKENS
    )
