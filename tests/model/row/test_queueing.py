"""The M/D/c queue: by hand, against Crommelin's sum, and in its limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson

from aisim_model.row.queueing import mean_wait_ms


def crommelin(busy: float, servers: int, terms: int = 2000) -> float:
    """Mean wait in service times: sum over i of P(N >= ic) - P(N > ic) / busy, N Poisson of mean i c busy."""
    total = 0.0
    for i in range(1, terms):
        mean = i * servers * busy
        total += poisson.sf(i * servers - 1, mean) - poisson.sf(i * servers, mean) / busy
    return total


def test_one_server_by_hand() -> None:
    # rho = 0.8: 0.8 / (2 x 0.2) = 2 services
    assert mean_wait_ms(8.0, 100.0) == pytest.approx(200.0, rel=1e-12)


@pytest.mark.parametrize(("busy", "servers"), [(0.3, 2), (0.5, 2), (0.8, 3), (0.9, 8), (0.7, 16)])
def test_more_servers_as_crommelins_sum(busy: float, servers: int) -> None:
    arrivals_per_s = busy * servers / 0.1
    wanted = crommelin(busy, servers) * 100.0
    assert mean_wait_ms(arrivals_per_s, 100.0, servers) == pytest.approx(wanted, rel=1e-9)


def test_an_idle_queue_makes_nobody_wait() -> None:
    assert mean_wait_ms(0.0, 100.0, 4) == 0.0
    assert mean_wait_ms(5.0, 0.0) == 0.0


def test_a_full_queue_grows_without_end() -> None:
    assert math.isinf(mean_wait_ms(10.0, 100.0))
    assert math.isinf(mean_wait_ms(20.0, 100.0, 2))
    assert math.isinf(mean_wait_ms(1.0, math.inf))


@given(st.floats(0.001, 0.999), st.integers(1, 64))
def test_one_server_more_makes_wait_no_longer(busy: float, servers: int) -> None:
    arrivals_per_s = busy * servers / 0.1
    less = mean_wait_ms(arrivals_per_s, 100.0, servers + 1)
    assert 0 <= less <= mean_wait_ms(arrivals_per_s, 100.0, servers) * (1 + 1e-6) + 1e-9


def test_very_many_servers_wait_as_a_thousand() -> None:
    assert mean_wait_ms(19_998.0, 100.0, 2000) == pytest.approx(mean_wait_ms(9999.0, 100.0, 1000), rel=1e-9)
