"""The M/D/c queue: by hand, against Crommelin's sum, and in its limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson

from aisim_model.row.queueing import Station, mean_wait_ms, wait_in_row_ms, wait_probability


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


def simulated(arrivals: np.ndarray, first: Station, second: Station) -> float:
    """Mean wait in two queues in a row, taking turns: each starts when it is there and its server is free."""
    ready, total = arrivals, -float(arrivals.mean()) - first.service_ms - second.service_ms
    for station in (first, second):
        ended = np.empty_like(ready)
        for index, at in enumerate(ready.tolist()):
            free = ended[index - station.servers] if index >= station.servers else 0.0
            ended[index] = max(at, free) + station.service_ms
        ready = ended
    return total + float(ready.mean())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Station(60.0, 1), Station(800.0, 10)),
        (Station(800.0, 10), Station(60.0, 1)),
        (Station(240.0, 4), Station(2550.0, 30)),
        (Station(70.0, 1), Station(180.0, 3)),
    ],
)
def test_queues_in_a_row_wait_as_simulated(first: Station, second: Station) -> None:
    arrivals = np.random.default_rng(1).exponential(100.0, 100_000).cumsum()
    rate = 1000.0 * len(arrivals) / float(arrivals[-1])
    assert wait_in_row_ms(rate, first, second) == pytest.approx(simulated(arrivals, first, second), rel=0.1)


def test_with_as_many_servers_all_wait_is_at_the_slower() -> None:
    fast, slow = Station(100.0, 3), Station(150.0, 3)
    assert wait_in_row_ms(15.0, fast, slow) == wait_in_row_ms(15.0, slow, fast) == slow.wait_ms(15.0)


def test_a_queue_without_end_is_one_in_a_row_too() -> None:
    assert math.isinf(wait_in_row_ms(10.0, Station(100.0, 1), Station(10.0, 4)))


@given(st.floats(0.01, 9.9), st.integers(1, 8), st.integers(1, 80))
def test_two_queues_wait_no_less_than_one_and_no_longer_than_both(
    arrivals_per_s: float, few: int, many: int
) -> None:
    first, second = Station(100.0 * few * 0.7, few), Station(100.0 * many, many)
    alone = [station.wait_ms(arrivals_per_s) for station in (first, second)]
    both = wait_in_row_ms(arrivals_per_s, first, second)
    assert max(alone) * (1 - 1e-12) <= both <= sum(alone) * (1 + 1e-12)


@pytest.mark.parametrize("busy", [0.9, 0.95, 0.99])
def test_many_servers_wait_as_crommelins_sum_within_a_hundredth(busy: float) -> None:
    wanted = crommelin(busy, 80) * 100.0
    assert mean_wait_ms(busy * 80 / 0.1, 100.0, 80) == pytest.approx(wanted, rel=0.012)


def test_the_chance_of_a_wait_by_hand() -> None:
    # M/M/2 at 50%: B = 0.5 / 2.5 = 0.2, C = 0.2 / (1 - 0.5 x 0.8) = 1 / 3
    assert wait_probability(10.0, 100.0, 2) == pytest.approx(1 / 3)
    assert wait_probability(30.0, 100.0, 2) == 1.0
