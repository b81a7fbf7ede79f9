"""Mean waits of a handoff at decode workers that run passes back to back, by the rules of a replay.

A decode worker grants a reservation, and lets a transferred sequence in, between passes alone. So a
reservation that finds it decoding waits for the end of the pass. Its transfer starts there and, where nothing
comes between, waits for the rest of the step that it ends in: of steps of one length always as long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

MOST_SHAPE = 200.0  # of a gamma distribution; beyond it is as good as its mean
# steps until a grant, one an occurrence: a / (2 + c a^p), c by the steps between grant and activation
GRANT_POWER, GRANT_FAR, GRANT_NEAR, GRANT_FADES = 0.9, 0.93, 1.49, 1.3


@dataclass(frozen=True)
class Asks:
    """How requests ask one decode worker for room.

    Parameters
    ----------
    per_ms : float
        Mean rate [1/ms].
    least_gap_ms : float
        Shortest time between two [ms].
    variation : float
        Squared ratio of deviation to mean of the time between two [-]; 1 for Poisson arrivals.
    """

    per_ms: float
    least_gap_ms: float
    variation: float

    def none_within(self, time_ms: float) -> float:
        """Return the chance that an ask is the first for so long [-].

        A gap is its least, then with some chance an exponential time (what leaves an M/D/1 queue, exactly),
        or a gamma distributed one where gaps vary less.

        Examples
        --------
        >>> Asks(0.1, 0.0, 1.0).none_within(10.0) == math.exp(-1.0)
        True
        """
        return self._gaps(time_ms)[0]

    def none_in_any(self, time_ms: float) -> float:
        """Return the chance that none comes in so long a time, begun whenever [-].

        Examples
        --------
        At even distances of 10 ms:

        >>> Asks(0.1, 0.0, 0.0).none_in_any(4.0)
        0.6
        """
        return self._gaps(time_ms)[1]

    def none_between(self, from_ms: float, time_ms: float) -> float:
        """Return the chance that none came in a time so long that ended `from_ms` before an ask [-]."""
        just_before = 1.0 - self.none_within(from_ms)
        return min(self.none_within(from_ms + time_ms) + just_before * self.none_in_any(time_ms), 1.0)

    def _gaps(self, time_ms: float) -> tuple[float, float]:
        """Return the share of gaps longer than a time, and of all time what is left of them beyond it."""
        mean_ms = 1.0 / self.per_ms if self.per_ms else math.inf
        if math.isinf(mean_ms):  # rates below what can be inverted, too
            return 1.0, 1.0
        excess_ms = max(mean_ms - self.least_gap_ms, 0.0)
        if time_ms < self.least_gap_ms or excess_ms == 0.0:
            return float(time_ms < mean_ms), max(1.0 - time_ms * self.per_ms, 0.0)
        spread = self.variation * (mean_ms / excess_ms) ** 2
        late = (time_ms - self.least_gap_ms) / excess_ms
        if spread >= 1.0:
            share = 2.0 / (1.0 + spread)  # of gaps longer than the least
            longer = share * math.exp(-late * share)
            return longer, longer / share * excess_ms / mean_ms
        if spread < 1.0 / MOST_SHAPE:
            return float(late < 1.0), max(1.0 - late, 0.0) * excess_ms / mean_ms
        shape, at = 1.0 / spread, late / spread
        longer = _gamma_beyond(shape, at)
        return longer, max(_gamma_beyond(shape + 1.0, at) - late * longer, 0.0) * excess_ms / mean_ms


def _gamma_beyond(shape: float, at: float) -> float:
    """Return the chance of a gamma distributed time beyond `at`, between those of whole shapes."""
    whole = math.floor(shape)
    term = total = math.exp(-at)
    for index in range(1, whole):
        term *= at / index
        total += term
    return total + (shape - whole) * term * at / whole


def grant_steps(per_step: float, steps_until_activation: float) -> float:
    """Return the steps that a reservation waits because others are granted first, one an occurrence [-].

    A worker that decodes grants one reservation at the end of a pass and one for each activation there, of
    what it granted some steps before. Fitted to that rule with Poisson asks, within 0.04 steps up to 16 asks
    a step.

    Parameters
    ----------
    per_step : float
        Asks in the time of a step [-].
    steps_until_activation : float
        Steps from a grant to its activation [-].

    Examples
    --------
    >>> round(grant_steps(1.0, 1.0), 2), round(grant_steps(0.1, 5.0), 2)
    (0.23, 0.05)
    """
    slows = GRANT_FAR + GRANT_NEAR / max(steps_until_activation, 1.0) ** GRANT_FADES
    return float(per_step / (2.0 + slows * per_step**GRANT_POWER))


def rest_of_step_ms(time_ms: float, step_ms: float, spread_ms: float = 0.0) -> float:
    """Return how long after a time, begun with a step, the running step ends [ms].

    Parameters
    ----------
    time_ms, step_ms : float
        The time and the step [ms].
    spread_ms : float
        The time may be up to so much longer, evenly; then it is the mean [ms].

    Examples
    --------
    >>> rest_of_step_ms(25.0, 10.0), rest_of_step_ms(20.0, 10.0), rest_of_step_ms(0.0, 10.0)
    (5.0, 0.0, 0.0)
    >>> rest_of_step_ms(23.0, 10.0, 10.0), round(rest_of_step_ms(23.0, 10.0, 2.0), 9)
    (5.0, 6.0)
    """
    begun = math.floor(time_ms / step_ms + 1e-9)
    into = max(time_ms / step_ms - begun, 0.0)
    if spread_ms <= 1e-9 * step_ms:
        return (1.0 - into) * step_ms if into > 1e-9 else 0.0
    whole, left = divmod(into + spread_ms / step_ms, 1.0)
    summed = (whole + left * (2.0 - left) - into * (2.0 - into)) / 2.0
    return summed * step_ms * step_ms / spread_ms


@dataclass(frozen=True)
class DecodeWaits:
    """What a handoff waits for at a decode worker, but for room [ms].

    Parameters
    ----------
    reservation_ms : float
        From the ask to the grant.
    activation_ms : float
        From the end of the transfer to activation.
    """

    reservation_ms: float
    activation_ms: float


def decode_waits(
    asks: Asks, step_ms: float, decoding_ms: float, until_activation_ms: float, queued: float, queue_ms: float
) -> DecodeWaits:
    """Return the waits for passes to end.

    Parameters
    ----------
    asks : Asks
        Of one decode worker.
    step_ms : float
        Time of a pass [ms].
    decoding_ms : float
        Time from a sequence's activation to its last token [ms].
    until_activation_ms : float
        Time from a grant to the end of the transfer where nothing queues [ms].
    queued : float
        Chance that a queue comes between [-].
    queue_ms : float
        Mean wait there, of all [ms].
    """
    if step_ms == 0.0 or decoding_ms == 0.0:
        return DecodeWaits(0.0, 0.0)
    # another one's sequence is activated as long after its own ask
    idle_at_ask = asks.none_between(until_activation_ms, decoding_ms)
    idle_at_end = asks.none_within(decoding_ms)
    idle_at_both = asks.none_within(until_activation_ms + decoding_ms)
    if until_activation_ms > decoding_ms:  # or with asks between the two times alone
        between = idle_at_end - asks.none_within(until_activation_ms)
        idle_at_both += between * asks.none_in_any(decoding_ms)
    busy_at_both = max(1.0 - idle_at_ask - idle_at_end + idle_at_both, 0.0)
    busy_at_end = max(idle_at_ask - idle_at_both, 0.0)
    per_step = asks.per_ms * step_ms
    extra = 0.0
    if until_activation_ms > 0.0 and per_step > 0.0:  # else each grant brings the next at once
        crowd = min((1.0 - asks.none_within(step_ms)) / -math.expm1(-per_step), asks.variation)
        extra = grant_steps(per_step, until_activation_ms / step_ms) * crowd
    rest_ms = (1.0 - queued) * rest_of_step_ms(until_activation_ms, step_ms)
    if queued > 0.0:
        rest_ms += queued * rest_of_step_ms(until_activation_ms, step_ms, 2.0 * queue_ms / queued)
    return DecodeWaits(
        reservation_ms=(1.0 - idle_at_ask) * (step_ms / 2.0 + extra * step_ms),
        activation_ms=busy_at_both * rest_ms + busy_at_end * step_ms / 2.0,
    )
