"""Mean wait where requests arrive at random and each takes the same time: the queues M/D/1 and M/D/c."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from aisim_model.arrays import Floats, either, endless, every, larger, per, smaller, unboxed
from aisim_model.units import MS_PER_S

MOST_SERVERS, EXACT_SERVERS = 1000, 64
SELDOM = 1e-12  # a chance that is as good as none
# how much two queues in a row wait at the same time; fitted, see `wait_in_row_ms`
APART, APART_POWER, ALIKE_POWER = 0.34, 0.72, 0.28
MOST_STEPS, STEP_ENOUGH = 50, 1e-14


def mean_wait_ms(arrivals_per_s: Any, service_ms: Any, servers: Any = 1) -> Any:
    """Mean wait in an M/D/c queue, exactly up to 64 servers.

    One server: ``rho / (2 (1 - rho)) * service`` (Pollaczek and Khinchine). More: the generating function of
    the number in the system has ``c - 1`` roots within the unit circle, the solutions of
    ``z = w exp(rho (z - 1))`` for the c-th roots of unity ``w``, found by Newton's method; then
    ``E[N] = (c - (c - a)^2) / (2 (c - a)) + sum of 1 / (1 - z)`` with ``a = c rho``, and Little's law.
    More than 64: half the wait of M/M/c, corrected as Cosmetatos has it, within 1% where one waits for more
    than a hundredth of a service. With equal service times taking turns is the same as one common queue.

    Parameters
    ----------
    arrivals_per_s : float or array
        Poisson arrivals [requests/s].
    service_ms : float or array
        Time that each takes [ms].
    servers : int or array
        Servers c [-]; of more than 1,000 the wait is that of 1,000 as busy, an upper bound.

    Returns
    -------
    float
        Mean time before service begins [ms]; infinite where the servers can't keep up.

    Notes
    -----
    Sources: Crommelin, "Delay probability formulae when the holding times are constant", Post Office
    Electrical Engineers' Journal 25, 1932; Gross and Harris, "Fundamentals of Queueing Theory", M/D/c;
    Cosmetatos, "Some approximate equilibrium results for the multi-server queue M/G/r", Operational Research
    Quarterly 27, 1976.

    Examples
    --------
    Half busy, one server makes wait half a service on average, two less than a fifth:

    >>> mean_wait_ms(5.0, 100.0)
    50.0
    >>> round(mean_wait_ms(10.0, 100.0, servers=2), 3)
    17.674
    """
    if any(isinstance(one, np.ndarray) for one in (arrivals_per_s, service_ms, servers)):
        return _mean_waits_ms(*np.broadcast_arrays(arrivals_per_s, service_ms, servers))
    return _mean_wait_ms(float(arrivals_per_s), float(service_ms), int(servers))


@lru_cache(maxsize=4096)
def _mean_wait_ms(arrivals_per_s: float, service_ms: float, servers: int) -> float:
    return float(_mean_waits_ms(np.array([arrivals_per_s]), np.array([service_ms]), np.array([servers]))[0])


def _mean_waits_ms(arrivals_per_s: Floats, service_ms: Floats, servers: Floats) -> Floats:
    """Return the waits of queues, one an element: each server count's in one go [ms]."""
    with np.errstate(all="ignore"):
        offered = arrivals_per_s * service_ms / MS_PER_S
        busy = per(offered, servers)
        single = busy / (2.0 * (1.0 - busy)) * service_ms
        found = np.where(busy < 1.0, np.where(offered == 0.0, 0.0, single), np.inf)
        several = np.flatnonzero((busy < 1.0) & (offered > 0.0) & (servers > 1))
        if not several.size:
            return found
        rates, times, busy = arrivals_per_s[several], service_ms[several], busy[several]
        count = np.minimum(servers[several], MOST_SERVERS)
        rates = np.where(servers[several] > MOST_SERVERS, count * busy / times * MS_PER_S, rates)
        found[several] = _several_wait_ms(rates, times, count)
    return found


def _several_wait_ms(arrivals_per_s: Floats, service_ms: Floats, servers: Floats) -> Floats:
    """Return the waits of queues of 2 to 1,000 servers that keep up [ms]."""
    offered = arrivals_per_s * service_ms / MS_PER_S
    busy, free = offered / servers, servers - offered
    waits = wait_probability(arrivals_per_s, service_ms, servers)
    more = (1.0 - busy) * (servers - 1.0) * (np.sqrt(4.0 + 5.0 * servers) - 2.0) / (16.0 * offered)
    found = np.where(waits < SELDOM, 0.0, waits * service_ms / free / 2.0 * (1.0 + more))
    exact = (servers <= EXACT_SERVERS) & (waits >= SELDOM)
    for count in np.unique(servers[exact]):
        here = np.flatnonzero(exact & (servers == count))
        outside = (1.0 / (1.0 - _roots(busy[here], int(count)))).sum(axis=1).real
        in_system = (count - free[here] * free[here]) / (2.0 * free[here]) + outside
        found[here] = np.maximum(in_system - offered[here], 0.0) / arrivals_per_s[here] * MS_PER_S
    return found


@dataclass(frozen=True)
class Station:
    """Servers that take a constant time for each request.

    Parameters
    ----------
    service_ms : float
        That time [ms].
    servers : int
        How many there are [-].
    """

    service_ms: Any
    servers: Any
    _waits: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def busy(self, arrivals_per_s: Any) -> Any:
        """Share of the time that a server works, above 1 for more than they can [-]."""
        return per(arrivals_per_s * self.service_ms / MS_PER_S, self.servers)

    def wait_ms(self, arrivals_per_s: Any) -> Any:
        """Mean wait for Poisson arrivals, as `mean_wait_ms` [ms]; for the same ones worked out once."""
        if not self._waits or self._waits[0] is not arrivals_per_s:
            self._waits[:] = arrivals_per_s, mean_wait_ms(arrivals_per_s, self.service_ms, self.servers)
        return self._waits[1]


def wait_in_row_ms(arrivals_per_s: Any, first: Station, second: Station) -> Any:
    """Mean wait in two queues one after the other, together.

    Their order makes no difference, nor does it where the second is held throughout the first. Where the
    station of fewer servers is the busier, or both have as many, all wait is at the slower: the larger of the
    two waits alone, exactly. Else a request waits for both as far as they are full at different times.

    Parameters
    ----------
    arrivals_per_s : float
        Poisson arrivals at the first [requests/s].
    first, second : Station
        The two.

    Returns
    -------
    float
        Mean wait before both [ms]; infinite where one can't keep up.

    Notes
    -----
    Source of the order: Friedman, "Reduction methods for tandem queuing systems", Operations Research 13,
    1965. The rest is a fit to simulations of 555 pairs of 1 to 8 and 1 to 64 servers, 30% to 85% busy: within
    2% of the wait on average, 12% at most.

    Examples
    --------
    >>> wait_in_row_ms(5.0, Station(100.0, 1), Station(160.0, 1)) == mean_wait_ms(5.0, 160.0)
    True
    """
    one_ms, other_ms = first.wait_ms(arrivals_per_s), second.wait_ms(arrivals_per_s)
    slower_ms = larger(one_ms, other_ms)
    fewer = first.servers <= second.servers
    busy_first, busy_second = first.busy(arrivals_per_s), second.busy(arrivals_per_s)
    busy_few, busy_many = either(fewer, busy_first, busy_second), either(fewer, busy_second, busy_first)
    alone = endless(slower_ms) | (first.servers == second.servers) | (busy_few >= busy_many)
    if every(alone):
        return slower_ms
    seldom = smaller(one_ms, other_ms) <= SELDOM * slower_ms
    if every(alone | seldom):
        return either(alone, slower_ms, one_ms + other_ms)
    few, many = smaller(first.servers, second.servers), larger(first.servers, second.servers)
    with np.errstate(all="ignore"):  # of those alone
        alike = busy_few / busy_many
        apart = APART / busy_many * unboxed(np.power(many / few - 1.0, APART_POWER))
        share = 1.0 + unboxed(np.expm1(-apart)) * unboxed(np.power(1.0 - alike, ALIKE_POWER))
        at_once_ms = share / unboxed(np.hypot(per(1.0, one_ms), per(1.0, other_ms)))
        both_ms = larger(one_ms + other_ms - at_once_ms, slower_ms)
    return either(alone, slower_ms, either(seldom, one_ms + other_ms, both_ms))


def wait_probability(arrivals_per_s: Any, service_ms: Any, servers: Any = 1) -> Any:
    """Chance that a request waits at all [-]: exactly for one server, for more by Erlang's C formula.

    Parameters
    ----------
    arrivals_per_s, service_ms, servers
        As in `mean_wait_ms`; below 1e-12 it is none.

    Examples
    --------
    >>> wait_probability(5.0, 100.0), round(wait_probability(10.0, 100.0, servers=2), 3)
    (0.5, 0.333)
    """
    if any(isinstance(one, np.ndarray) for one in (arrivals_per_s, service_ms, servers)):
        return _wait_probability(*np.broadcast_arrays(arrivals_per_s, service_ms, servers))
    return _one_wait_probability(float(arrivals_per_s), float(service_ms), int(servers))


@lru_cache(maxsize=4096)
def _one_wait_probability(arrivals_per_s: float, service_ms: float, servers: int) -> float:
    return float(
        _wait_probability(np.array([arrivals_per_s]), np.array([service_ms]), np.array([servers]))[0]
    )


def _wait_probability(arrivals_per_s: Floats, service_ms: Floats, servers: Floats) -> Floats:
    count = np.minimum(servers, MOST_SERVERS)
    with np.errstate(all="ignore"):
        offered = arrivals_per_s * service_ms / MS_PER_S * np.where(servers > count, count / servers, 1.0)
        # no sum is needed where Chernoff's bound has it below the least that counts
        bound = np.exp(count * (1.0 - np.log(count / offered)) - offered) * 2.0 / (1.0 - offered / count)
        found = np.where(offered < count, np.where(servers == 1, offered, 0.0), 1.0)
        left = np.flatnonzero((offered < count) & (offered > 0.0) & (servers > 1) & (bound >= SELDOM))
        if left.size:
            found[left] = _erlang_c(offered[left], count[left])
    return found


def _erlang_c(offered: Floats, servers: Floats) -> Floats:
    """Return Erlang's C of offered loads below their servers."""
    found = np.empty_like(offered)
    for count in np.unique(servers):
        here = np.flatnonzero(servers == count)
        steps = (count - np.arange(count)) / offered[here, np.newaxis]
        lost = 1.0 / (1.0 + np.cumprod(steps, axis=1).sum(axis=1))
        found[here] = lost / (1.0 - offered[here] / count * (1.0 - lost))
    return np.where(found < SELDOM, 0.0, found)


def _roots(busy: Floats, servers: int) -> npt.NDArray[np.complex128]:
    """Return the solutions of ``z = w exp(busy (z - 1))`` within the unit circle, a row a queue."""
    turns: npt.NDArray[np.complex128] = np.exp(2j * np.pi * np.arange(1, servers) / servers)
    found = turns * np.exp(-busy)[:, np.newaxis]
    left = np.arange(busy.size)
    for _ in range(MOST_STEPS):  # Newton's
        rho = busy[left, np.newaxis]
        wanted = turns * np.exp(rho * (found[left] - 1.0))
        step = (found[left] - wanted) / (1.0 - rho * wanted)
        found[left] -= step
        left = left[np.abs(step).max(axis=1) >= STEP_ENOUGH]
        if not left.size:
            break
    return found
