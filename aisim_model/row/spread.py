"""How TTFT and inter-token latency spread over the requests of a row under load: percentiles, and shares.

`load` has the means; this is how single requests lie about them. Requests are equal and arrive at random.

- TTFT is what it takes without waiting, a wait for passes to end, even between none and one, and with some
  chance a wait in the queue that the row waits for most: M/D/c, whose wait, given one, has the squared ratio
  of deviation to mean ``c/(c+2) + 2/(c+2) rho``. That is exact for one server (1/3 + 2/3 rho: the rest of a
  service at no load, exponential at full load) and holds the two ends for more; taken as gamma distributed.
- A request's ITL is its mean over its own steps, as a replay has it. It finds ``b`` others on average over
  its decoding, whose mean varies by ``2/3 b`` where they come at random and each stays as long (of the
  covariance ``b (1 - t/L)``), by less where they come evenly.
- Aggregated: its decoding is a busy period that begins with its own steps, interrupted by each prompt that
  arrives meanwhile: variance ``steps * u / (1 - u)^3`` of a prompt's time squared and its rate; and those
  that wait behind it, geometrically distributed.
- A gamma distributed time's cube root is nearly normal (Wilson and Hilferty).

Both targets at once are met by the share of either, times the other: as if they were independent.

Sources: Gross and Harris, "Fundamentals of Queueing Theory", M/G/1's second moment of waits; Takacs,
"Introduction to the Theory of Queues", 1962, delay busy periods; Wilson and Hilferty, "The distribution of
chi-square", PNAS 17, 1931; Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.17.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from aisim_model.arrays import either, endless, every, exponential, larger, per, smaller, unboxed
from aisim_model.roots import root
from aisim_model.row.load import BEHIND, Closed, Load
from aisim_model.row.queueing import wait_probability
from aisim_model.row.service import Service, decoding
from aisim_model.units import MS_PER_S

MOST_MEANS = 40.0  # of a wait; beyond is as good as never
AT_THE_START = 0.1  # of the requests of a closed loop where ten follow each other
MOST_PASSES = 3.0  # that a handoff waits for at a decode worker that has room
# places and weights of an integral over an even spread (Gauss and Legendre)
NODES = ((1.0 - math.sqrt(0.6), 5.0 / 18.0), (1.0, 8.0 / 18.0), (1.0 + math.sqrt(0.6), 5.0 / 18.0))


def normal_below(at: Any) -> Any:
    """Return the chance that a normal variable is below so many deviations, within 1e-7 [-].

    Examples
    --------
    >>> round(normal_below(0.0), 6), round(normal_below(1.644854), 6), round(normal_below(-1.644854), 6)
    (0.5, 0.95, 0.05)
    """
    size = abs(at)
    t = 1.0 / (1.0 + 0.2316419 * size)
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    beyond = exponential(-size * size / 2.0) / math.sqrt(2.0 * math.pi) * series
    return either(at > 0.0, 1.0 - beyond, beyond)


def gamma_below(at_over_mean: Any, variation: Any) -> Any:
    """Return the chance that a gamma distributed time is below some multiple of its mean [-].

    Parameters
    ----------
    at_over_mean : float or array
        The multiple; below 0 the chance is 0 [-].
    variation : float or array
        Squared ratio of deviation to mean [-]; 0 for a constant.

    Examples
    --------
    Exponential, beyond 4.605 times its mean a hundredth:

    >>> round(gamma_below(4.605, 1.0), 3), gamma_below(0.99, 0.0), gamma_below(1.0, 0.0)
    (0.99, 0.0, 1.0)
    """
    ninth = variation / 9.0
    near = unboxed(np.cbrt(larger(at_over_mean, 0.0)))
    deviations = per(near - (1.0 - ninth), unboxed(np.sqrt(ninth)))
    constant = either(at_over_mean >= 1.0, 1.0, 0.0)
    found = either(variation > 0.0, normal_below(deviations), constant)
    return either(at_over_mean < 0.0, 0.0, found)


@dataclass(frozen=True)
class Spread:
    """How TTFT and ITL of single requests spread; floats, or arrays of one a row.

    Parameters
    ----------
    ttft_ms, itl_ms : float or array
        The means [ms]; infinite where the row is overloaded.
    passes_ms : float or array
        Mean wait for passes to end, of all [ms].
    queued : float or array
        Chance of a wait in the queue [-].
    queue_ms : float or array
        Its mean, of all [ms].
    queue_variation : float or array
        Squared ratio of deviation to mean of the wait of those that wait [-].
    least_itl_ms : float or array
        ITL of a request that is alone [ms].
    itl_variance : float or array
        Of single requests' ITL [ms^2].
    """

    ttft_ms: Any
    itl_ms: Any
    passes_ms: Any
    queued: Any
    queue_ms: Any
    queue_variation: Any
    least_itl_ms: Any
    itl_variance: Any

    def ttft_within(self, most_ms: Any) -> Any:
        """Return the share of requests whose TTFT is at most so long [-]."""
        with np.errstate(all="ignore"):  # of overloaded rows
            least_ms = self.ttft_ms - self.queue_ms - self.passes_ms
            each_ms = per(self.queue_ms, self.queued, 0.0)
            left_ms = most_ms - least_ms
            evenly = smaller(larger(per(left_ms, 2.0 * self.passes_ms, 0.0), 0.0), 1.0)
            waits: Any = 0.0
            for place, weight in NODES:
                beyond_ms = left_ms - place * self.passes_ms
                waits = waits + weight * gamma_below(per(beyond_ms, each_ms), self.queue_variation)
            alone = either(self.passes_ms > 0.0, evenly, either(left_ms >= 0.0, 1.0, 0.0))
            share = (1.0 - self.queued) * alone + self.queued * waits
            alike = (self.queue_ms == 0.0) & (self.passes_ms == 0.0)
            share = either(alike, either(self.ttft_ms <= most_ms, 1.0, 0.0), share)
        return either(endless(self.ttft_ms) | (self.ttft_ms != self.ttft_ms), 0.0, share)

    def itl_within(self, most_ms: Any) -> Any:
        """Return the share of requests whose ITL is at most so long [-]."""
        with np.errstate(all="ignore"):
            more_ms = self.itl_ms - self.least_itl_ms
            share = gamma_below(
                per(most_ms - self.least_itl_ms, more_ms), per(self.itl_variance, more_ms * more_ms, 0.0)
            )
            alike = (more_ms <= 0.0) | (self.itl_variance == 0.0)
            share = either(alike, either(self.itl_ms <= most_ms, 1.0, 0.0), share)
        return either(endless(self.itl_ms) | (self.itl_ms != self.itl_ms), 0.0, share)

    def ttft_at(self, share: float) -> Any:
        """Return the TTFT within which such a share of requests is [ms]; infinite where overloaded."""
        constant = endless(self.ttft_ms) | (self.ttft_ms != self.ttft_ms)
        constant = constant | ((self.queue_ms == 0.0) & (self.passes_ms == 0.0))
        if every(constant):
            return self.ttft_ms
        with np.errstate(all="ignore"):  # of overloaded rows
            least_ms = either(constant, 0.0, self.ttft_ms - self.queue_ms - self.passes_ms)
            each_ms = per(self.queue_ms, self.queued, 0.0)
            most_ms = least_ms + 2.0 * self.passes_ms + MOST_MEANS * each_ms
            most_ms = either(constant, 0.0, most_ms * (1.0 + 1e-9) + 1e-9)
            found = root(lambda time_ms: self.ttft_within(time_ms) - share, 0.0 * most_ms - 1.0, most_ms)
        return either(constant, self.ttft_ms, found)

    def itl_at(self, share: float) -> Any:
        """Return the ITL within which such a share of requests is [ms]; infinite where overloaded."""
        with np.errstate(all="ignore"):  # of overloaded rows
            more_ms = larger(self.itl_ms - self.least_itl_ms, 0.0)
            ninth = per(self.itl_variance, more_ms * more_ms, 0.0) / 9.0
            near = larger(1.0 - ninth + NormalDist().inv_cdf(share) * unboxed(np.sqrt(ninth)), 0.0)
            found = self.least_itl_ms + more_ms * near * near * near
        return either(endless(self.itl_ms) | (ninth == 0.0), self.itl_ms, found)

    def both_within(self, ttft_ms: Any, itl_ms: Any) -> Any:
        """Return the share of requests that meet both [-]."""
        return self.ttft_within(ttft_ms) * self.itl_within(itl_ms)


def spread(served: Service, load: Load) -> Spread:
    """Return how TTFT and ITL spread at a load.

    Parameters
    ----------
    served : Service
        The row, or many of them stacked.
    load : Load
        From `under_load`.

    Examples
    --------
    >>> from aisim_model.row.load import service, under_load
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> served = service(resolve(Workload(), Deployment(id="a", name="a")), 340)
    >>> found = spread(served, under_load(served, 1.2))
    >>> round(found.ttft_within(1000.0), 2), round(found.itl_within(9.0), 2)
    (0.51, 0.12)
    """
    with np.errstate(all="ignore"):  # of overloaded rows
        if load.split:
            return _split(served, load)
        return _aggregated(served, load) if load.closed is None else _closed(served, load, load.closed)


def _closed(served: Service, load: Load, closed: Closed) -> Spread:
    """Return the spread of an aggregated row in a closed loop.

    A pass is half over when a request comes; a tenth are there at the start and wait for up to all others, as
    evenly as that spreads: of squared deviation over mean 1/3.
    """
    late_ms = either(closed.concurrency > served.prefill_workers, served.step_of_ms(load.batch) / 2.0, 0.0)
    burst = either(closed.burst_ms > 0.0, AT_THE_START, 0.0)
    alone_ms = served.step_of_ms(1.0) + 0.0 * load.itl_ms
    return Spread(
        ttft_ms=load.ttft_ms,
        itl_ms=load.itl_ms,
        passes_ms=smaller(late_ms, load.parts.queue_ms),
        queued=burst,
        queue_ms=closed.burst_ms,
        queue_variation=1.0 / 3.0,
        least_itl_ms=alone_ms,
        itl_variance=_batch_variance(served, load),
    )


def _split(served: Service, load: Load) -> Spread:
    parts, rate = load.parts, load.arrivals_per_s if load.closed is None else load.closed.met_per_s
    step_ms = served.step_ms(load.batch)
    late_ms = parts.reservation_ms + parts.activation_ms
    passes_ms = smaller(late_ms, MOST_PASSES * step_ms)
    prefill_ms, link_ms = parts.queue_ms, parts.link_queue_ms + late_ms - passes_ms
    by_link = link_ms > prefill_ms
    servers = either(by_link, served.links, served.prefill_workers)
    service_ms = either(by_link, served.sent_ms, served.prefill_ms)
    queue_ms = prefill_ms + link_ms
    if load.closed is not None:  # what is beyond what is carried waits alike
        queue_ms = larger(queue_ms - load.closed.alike_ms, 0.0)
    queued = _queued(rate, service_ms, servers, queue_ms)
    per_worker = served.prefill_workers / served.decode_workers
    busy = smaller(rate / served.prefill_per_s, 1.0)
    evened = 1.0 - busy * busy / unboxed(np.sqrt(larger(per_worker, 1.0)))
    variance = _batch_variance(served, load) * evened
    return _made(
        served, load, passes_ms, queued, queue_ms, _wait_variation(rate, service_ms, servers), variance
    )


def _aggregated(served: Service, load: Load) -> Spread:
    parts, rate, workers = load.parts, load.arrivals_per_s, served.prefill_workers
    batch = either(endless(load.batch), 0.0, load.batch)
    step_ms = served.step_ms(batch)
    passes_ms = smaller(step_ms / 2.0 * decoding(batch), parts.queue_ms)
    queue_ms = parts.queue_ms - passes_ms
    prompt_ms, busy = served.prompt_ms(batch), either(load.overloaded, 0.0, load.prefill_utilisation)
    in_turn_ms = parts.prefill_ms
    queued = _queued(rate, in_turn_ms, workers, queue_ms)
    idle = 1.0 - busy
    behind = BEHIND * busy * busy / idle
    steps = max(served.steps, 1.0)
    interrupted = step_ms * busy * prompt_ms / (idle * idle * idle) / steps
    waiting = behind * (1.0 + behind) * (prompt_ms / steps) * (prompt_ms / steps)
    variance = _batch_variance(served, load) / (idle * idle) + interrupted + waiting
    return _made(
        served, load, passes_ms, queued, queue_ms, _wait_variation(rate, in_turn_ms, workers), variance
    )


def _batch_variance(served: Service, load: Load) -> Any:
    """Return the variance of a request's mean step, as others come and go at random [ms^2]."""
    batch = either(endless(load.batch), 0.0, load.batch)
    others = served.in_step(batch)
    slope_ms = served.step_of_ms(others + 1.0) - served.step_of_ms(others)
    return slope_ms * slope_ms * (2.0 / 3.0) * batch


def _queued(arrivals_per_s: Any, service_ms: Any, servers: Any, queue_ms: Any) -> Any:
    """Return the chance of a wait that is so long on average [-].

    No lower than where those that wait do so as in M/D/1, ``service / (2 (1 - rho))``, which is the longest.
    """
    idle = 1.0 - smaller(arrivals_per_s * service_ms / MS_PER_S / servers, 1.0)
    least = smaller(per(queue_ms * 2.0 * idle, service_ms, 0.0), 1.0)
    return either(queue_ms > 0.0, larger(wait_probability(arrivals_per_s, service_ms, servers), least), 0.0)


def _wait_variation(arrivals_per_s: Any, service_ms: Any, servers: Any) -> Any:
    """Return the squared ratio of deviation to mean of an M/D/c wait, given one [-]."""
    busy = smaller(arrivals_per_s * service_ms / MS_PER_S / servers, 1.0)
    return (servers + 2.0 * busy) / (servers + 2.0)


def _made(
    served: Service, load: Load, passes_ms: Any, queued: Any, queue_ms: Any, variation: Any, variance: Any
) -> Spread:
    return Spread(
        ttft_ms=load.ttft_ms,
        itl_ms=load.itl_ms,
        passes_ms=passes_ms,
        queued=queued,
        queue_ms=queue_ms,
        queue_variation=variation,
        least_itl_ms=served.step_of_ms(1.0),
        itl_variance=either(load.arrivals_per_s == 0.0, 0.0, variance),
    )
