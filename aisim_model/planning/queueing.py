"""Mean wait where requests arrive at random and each takes the same time: the queues M/D/1 and M/D/c."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from aisim_model.units import MS_PER_S

MOST_SERVERS = 1000
MOST_STEPS, STEP_ENOUGH = 50, 1e-14


def mean_wait_ms(arrivals_per_s: float, service_ms: float, servers: int = 1) -> float:
    """Mean wait in an M/D/c queue, exactly.

    One server: ``rho / (2 (1 - rho)) * service`` (Pollaczek and Khinchine). More: the generating function of
    the number in the system has ``c - 1`` roots within the unit circle, the solutions of
    ``z = w exp(rho (z - 1))`` for the c-th roots of unity ``w``, found by Newton's method; then
    ``E[N] = (c - (c - a)^2) / (2 (c - a)) + sum of 1 / (1 - z)`` with ``a = c rho``, and Little's law.
    With equal service times taking turns is the same as one common queue.

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
    Electrical Engineers' Journal 25, 1932; Gross and Harris, "Fundamentals of Queueing Theory", M/D/c.

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
    roots = _roots(busy, servers)
    free = servers - offered
    in_system = (servers - free * free) / (2.0 * free) + float(np.sum(1.0 / (1.0 - roots)).real)
    return max(in_system - offered, 0.0) / arrivals_per_s * MS_PER_S


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
    lost = 1.0  # Erlang's B formula, server by server
    for count in range(1, min(servers, MOST_SERVERS) + 1):
        lost = offered * lost / (count + offered * lost)
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
