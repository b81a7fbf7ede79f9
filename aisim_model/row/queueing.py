"""Mean wait where requests arrive at random and each takes the same time: the queues M/D/1 and M/D/c."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from aisim_model.units import MS_PER_S

MOST_SERVERS, EXACT_SERVERS = 1000, 64
SELDOM = 1e-12  # a chance that is as good as none
# how much two queues in a row wait at the same time; fitted, see `wait_in_row_ms`
APART, APART_POWER, ALIKE_POWER = 0.34, 0.72, 0.28
MOST_STEPS, STEP_ENOUGH = 50, 1e-14


@lru_cache(maxsize=4096)
def mean_wait_ms(arrivals_per_s: float, service_ms: float, servers: int = 1) -> float:
    """Mean wait in an M/D/c queue, exactly up to 64 servers.

    One server: ``rho / (2 (1 - rho)) * service`` (Pollaczek and Khinchine). More: the generating function of
    the number in the system has ``c - 1`` roots within the unit circle, the solutions of
    ``z = w exp(rho (z - 1))`` for the c-th roots of unity ``w``, found by Newton's method; then
    ``E[N] = (c - (c - a)^2) / (2 (c - a)) + sum of 1 / (1 - z)`` with ``a = c rho``, and Little's law.
    More than 64: half the wait of M/M/c, corrected as Cosmetatos has it, within 1% where one waits for more
    than a hundredth of a service. With equal service times taking turns is the same as one common queue.

    Parameters
    ----------
    arrivals_per_s : float
        Poisson arrivals [requests/s].
    service_ms : float
        Time that each takes [ms].
    servers : int
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
    offered = arrivals_per_s * service_ms / MS_PER_S
    busy = offered / servers
    if not busy < 1:
        return math.inf
    if offered == 0:
        return 0.0
    if servers == 1:
        return busy / (2.0 * (1.0 - busy)) * service_ms
    if servers > MOST_SERVERS:
        return mean_wait_ms(MOST_SERVERS * busy / service_ms * MS_PER_S, service_ms, MOST_SERVERS)
    waits = wait_probability(arrivals_per_s, service_ms, servers)
    if waits < SELDOM:
        return 0.0
    free = servers - offered
    if servers > EXACT_SERVERS:
        more = (1.0 - busy) * (servers - 1.0) * (math.sqrt(4.0 + 5.0 * servers) - 2.0) / (16.0 * offered)
        return waits * service_ms / free / 2.0 * (1.0 + more)
    roots = _roots(busy, servers)
    in_system = (servers - free * free) / (2.0 * free) + float(np.sum(1.0 / (1.0 - roots)).real)
    return max(in_system - offered, 0.0) / arrivals_per_s * MS_PER_S


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

    service_ms: float
    servers: int

    def busy(self, arrivals_per_s: float) -> float:
        """Share of the time that a server works, above 1 for more than they can [-]."""
        return arrivals_per_s * self.service_ms / MS_PER_S / self.servers

    def wait_ms(self, arrivals_per_s: float) -> float:
        """Mean wait for Poisson arrivals, as `mean_wait_ms` [ms]."""
        return mean_wait_ms(arrivals_per_s, self.service_ms, self.servers)


def wait_in_row_ms(arrivals_per_s: float, first: Station, second: Station) -> float:
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
    slower_ms = max(one_ms, other_ms)
    few, many = (first, second) if first.servers <= second.servers else (second, first)
    busy_few, busy_many = few.busy(arrivals_per_s), many.busy(arrivals_per_s)
    if math.isinf(slower_ms) or few.servers == many.servers or busy_few >= busy_many:
        return slower_ms
    if min(one_ms, other_ms) <= SELDOM * slower_ms:
        return one_ms + other_ms
    alike = busy_few / busy_many
    apart = APART / busy_many * (many.servers / few.servers - 1.0) ** APART_POWER
    share: float = 1.0 + math.expm1(-apart) * (1.0 - alike) ** ALIKE_POWER
    at_once_ms = share / math.hypot(1.0 / one_ms, 1.0 / other_ms)
    return max(one_ms + other_ms - at_once_ms, slower_ms)


@lru_cache(maxsize=4096)
def wait_probability(arrivals_per_s: float, service_ms: float, servers: int = 1) -> float:
    """Chance that a request waits at all [-]: exactly for one server, for more by Erlang's C formula.

    Examples
    --------
    >>> wait_probability(5.0, 100.0), round(wait_probability(10.0, 100.0, servers=2), 3)
    (0.5, 0.333)
    """
    offered = arrivals_per_s * service_ms / MS_PER_S
    if not offered < servers:
        return 1.0
    if servers > MOST_SERVERS:
        return wait_probability(arrivals_per_s * MOST_SERVERS / servers, service_ms, MOST_SERVERS)
    if servers == 1 or offered < SELDOM:
        return offered if servers == 1 else 0.0
    with np.errstate(over="ignore"):  # so many terms that the chance is 0
        lost = 1.0 / (1.0 + float(np.cumprod((servers - np.arange(servers)) / offered).sum()))
    return lost / (1.0 - offered / servers * (1.0 - lost))


def _roots(busy: float, servers: int) -> npt.NDArray[np.complex128]:
    """Return the solutions of ``z = w exp(busy (z - 1))`` within the unit circle, one a root of unity w."""
    turns: npt.NDArray[np.complex128] = np.exp(2j * np.pi * np.arange(1, servers) / servers)
    found = turns * math.exp(-busy)
    for _ in range(MOST_STEPS):  # Newton's
        wanted = turns * np.exp(busy * (found - 1.0))
        step = (found - wanted) / (1.0 - busy * wanted)
        found = found - step
        if np.abs(step).max() < STEP_ENOUGH:
            break
    return found
