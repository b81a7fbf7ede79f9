"""Zeros of functions: known ones, steep ones, and a bracket that holds none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.roots import root


@pytest.mark.parametrize(
    ("function", "low", "high", "zero"),
    [
        (lambda x: x * x - 2.0, 0.0, 2.0, math.sqrt(2.0)),
        (lambda x: math.exp(x) - 5.0, -10.0, 10.0, math.log(5.0)),
        (lambda x: 1.0 / x - 1e-6, 1.0, 1e9, 1e6),
        (lambda x: x, 0.0, 7.0, 0.0),
    ],
)
def test_known_zeros(function: object, low: float, high: float, zero: float) -> None:
    assert callable(function)
    assert root(function, low, high) == pytest.approx(zero, rel=1e-13, abs=1e-13)


def test_a_bracket_without_a_change_of_sign_is_refused() -> None:
    with pytest.raises(ValueError, match="no change of sign"):
        root(lambda x: x * x + 1.0, -1.0, 1.0)


@given(zero=st.floats(0.001, 1e6), power=st.sampled_from([0.3, 1.0, 2.0, 5.0]), high=st.floats(1.1, 1e4))
def test_a_power_is_undone(zero: float, power: float, high: float) -> None:
    found = root(lambda x: x**power - zero**power, 0.0, zero * high)
    assert found == pytest.approx(zero, rel=1e-13)
