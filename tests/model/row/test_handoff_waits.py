"""Waits for passes of a decode worker, by hand and in their limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.row.handoff_waits import Asks, decode_waits, grant_steps, rest_of_step_ms

POISSON = Asks(0.01, 0.0, 1.0)
EVEN = Asks(0.01, 0.0, 0.0)


def test_poisson_asks_leave_gaps_of_exponential_length() -> None:
    assert POISSON.none_within(50.0) == pytest.approx(math.exp(-0.5))
    assert POISSON.none_in_any(50.0) == pytest.approx(math.exp(-0.5))
    assert POISSON.none_between(30.0, 50.0) == pytest.approx(math.exp(-0.5))


def test_what_leaves_a_queue_for_one_server_is_a_service_apart_or_longer() -> None:
    # M/D/1, 60 ms of service every 100: 60% of gaps are 60 ms, the rest 60 and an exponential time of 100
    left = Asks(0.01, 60.0, 1.0 - 0.6**2)
    assert left.none_within(59.9) == 1.0
    assert left.none_within(60.0) == pytest.approx(0.4)
    assert left.none_within(160.0) == pytest.approx(0.4 / math.e)
    assert left.none_in_any(60.0) == pytest.approx(0.4)


def test_every_second_poisson_ask_is_a_gamma_distributed_gap_after_the_last() -> None:
    # of two gaps of 100 ms together, x = 2: (1 + x) e^-x
    every_second = Asks(0.005, 0.0, 0.5)
    assert every_second.none_within(200.0) == pytest.approx(3 * math.exp(-2))


def test_even_asks_come_or_do_not() -> None:
    assert (EVEN.none_within(99.0), EVEN.none_within(101.0)) == (1.0, 0.0)
    assert EVEN.none_in_any(40.0) == pytest.approx(0.6)


@given(st.floats(0.0, 1000.0), st.floats(0.0, 100.0), st.floats(0.0, 80.0), st.floats(0.0, 2.0))
def test_chances_are_chances_and_fall_with_time(
    time_ms: float, more_ms: float, least_ms: float, variation: float
) -> None:
    asks = Asks(0.01, least_ms, variation)
    for chance in (asks.none_within, asks.none_in_any):
        assert 0.0 <= chance(time_ms + more_ms) <= chance(time_ms) + 1e-9 <= 1.0 + 2e-9
    assert 0.0 <= asks.none_between(time_ms, more_ms) <= 1.0


def test_a_worker_that_always_decodes_makes_wait_for_half_a_step_and_the_rest_of_one() -> None:
    # 100 asks while a sequence decodes: never idle. 5 ms and few more for the grant, 25 ms of transfer end
    # 5 ms before the third step does
    found = decode_waits(POISSON, 10.0, 10_000.0, 25.0, 0.0, 0.0)
    assert found.reservation_ms == pytest.approx(5.0 + 10.0 * grant_steps(0.1, 2.5))
    assert found.activation_ms == pytest.approx(5.0)


def test_an_idle_worker_makes_nothing_wait() -> None:
    never = Asks(0.0, 0.0, 1.0)
    assert vars(decode_waits(never, 10.0, 1000.0, 25.0, 0.0, 0.0)) == {
        "reservation_ms": 0.0,
        "activation_ms": 0.0,
    }
    # answers that are not decoded keep no worker busy
    assert decode_waits(POISSON, 10.0, 0.0, 25.0, 0.0, 0.0).reservation_ms == 0.0


def test_a_transfer_of_no_time_is_activated_within_its_grant() -> None:
    found = decode_waits(POISSON, 10.0, 10_000.0, 0.0, 0.0, 0.0)
    assert (found.reservation_ms, found.activation_ms) == (pytest.approx(5.0), 0.0)


@given(st.floats(0.0, 100.0), st.floats(0.1, 20.0), st.floats(0.0, 50.0))
def test_the_rest_of_a_step_is_the_mean_over_times(time_ms: float, step_ms: float, spread_ms: float) -> None:
    times = time_ms + np.linspace(0.0, spread_ms, 20_001)
    mean_ms = float((np.ceil(times / step_ms) * step_ms - times).mean())
    if spread_ms > step_ms / 10:
        assert rest_of_step_ms(time_ms, step_ms, spread_ms) == pytest.approx(mean_ms, abs=step_ms * 5e-3)
    assert 0.0 <= rest_of_step_ms(time_ms, step_ms, spread_ms) <= step_ms * (1 + 1e-9)


def waited_steps(per_step: float, steps: int) -> float:
    """Simulate the rule: at the end of each step one grant, and one for each activation then."""
    asked = np.random.default_rng(1).poisson(per_step, 200_000)
    waiting, total, granted = 0, 0, [0] * len(asked)
    for step, new in enumerate(asked.tolist()):
        waiting += new
        granted[step] = min(waiting, 1 + (granted[step - steps] if step >= steps else 0))
        waiting -= granted[step]
        total += waiting
    return total / int(asked.sum())


@pytest.mark.parametrize(("per_step", "steps"), [(0.1, 1), (1.0, 1), (4.0, 1), (0.4, 2), (0.2, 5)])
def test_grants_one_an_occurrence_wait_as_simulated(per_step: float, steps: int) -> None:
    assert grant_steps(per_step, steps) == pytest.approx(waited_steps(per_step, steps), abs=0.03)
