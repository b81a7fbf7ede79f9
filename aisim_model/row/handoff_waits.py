"""Mean waits of a handoff at decode workers that run passes back to back, by the rules of a replay.

A decode worker grants a reservation, and lets a transferred sequence in, between passes alone. So a
reservation that finds it decoding waits for the end of the pass. Its transfer starts there and, where nothing
comes between, waits for the rest of the step that it ends in: of steps of one length always as long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from aisim_model.arrays import either, endless, every, exponential, floor, larger, per, smaller, unboxed

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

    per_ms: Any
    least_gap_ms: Any
    variation: Any

    def none_within(self, time_ms: Any) -> Any:
        """Return the chance that an ask is the first for so long [-].

        A gap is its least, then with some chance an exponential time (what leaves an M/D/1 queue, exactly),
        or a gamma distributed one where gaps vary less.

        Examples
        --------
        >>> round(Asks(0.1, 0.0, 1.0).none_within(10.0), 6)
        0.367879
        """
        return self._gaps(time_ms)[0]

    def none_in_any(self, time_ms: Any) -> Any:
        """Return the chance that none comes in so long a time, begun whenever [-].

        Examples
        --------
        At even distances of 10 ms:

        >>> Asks(0.1, 0.0, 0.0).none_in_any(4.0)
        0.6
        """
        return self._gaps(time_ms)[1]

    def none_between(self, from_ms: Any, time_ms: Any) -> Any:
        """Return the chance that none came in a time so long that ended `from_ms` before an ask [-]."""
        just_before = 1.0 - self.none_within(from_ms)
        return smaller(self.none_within(from_ms + time_ms) + just_before * self.none_in_any(time_ms), 1.0)

    def _gaps(self, time_ms: Any) -> tuple[Any, Any]:
        """Return the share of gaps longer than a time, and of all time what is left of them beyond it."""
        with np.errstate(all="ignore"):  # of elements that another case holds for
            mean_ms = per(1.0, self.per_ms)
            excess_ms = larger(mean_ms - self.least_gap_ms, 0.0)
            share_left = per(excess_ms, mean_ms)
            spread = self.variation * per(mean_ms, excess_ms) * per(mean_ms, excess_ms)
            late = per(time_ms - self.least_gap_ms, excess_ms)
            cases = (
                (endless(mean_ms), lambda: (1.0, 1.0)),  # rates below what can be inverted, too
                (
                    (time_ms < self.least_gap_ms) | (excess_ms == 0.0),
                    lambda: (either(time_ms < mean_ms, 1.0, 0.0), larger(1.0 - time_ms * self.per_ms, 0.0)),
                ),
                (spread >= 1.0, lambda: _exponential_beyond(spread, late, share_left)),
                (
                    spread < 1.0 / MOST_SHAPE,
                    lambda: (either(late < 1.0, 1.0, 0.0), larger(1.0 - late, 0.0) * share_left),
                ),
            )
            return _first_case(cases, lambda left: _gamma_gaps(spread, late, share_left, left))


def _first_case(cases: Any, otherwise: Callable[[Any], tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return the two values of the first case that holds, element by element."""
    held: Any = False
    found: tuple[Any, Any] | None = None
    for holds, values in cases:
        here = holds & np.logical_not(held)
        if np.any(here):
            made = values()
            found = (
                made
                if found is None
                else tuple(either(here, one, other) for one, other in zip(made, found, strict=True))
            )
        held = held | holds
        if every(held):
            assert found is not None
            return found
    made = otherwise(np.logical_not(held))
    if found is None:
        return made
    return either(held, found[0], made[0]), either(held, found[1], made[1])


def _exponential_beyond(spread: Any, late: Any, share_left: Any) -> tuple[Any, Any]:
    """Return a case of `Asks._gaps`: gaps of the least, or exponential beyond it."""
    share = 2.0 / (1.0 + spread)  # of gaps longer than the least
    longer = share * exponential(-late * share)
    return longer, longer / share * share_left


def _gamma_gaps(spread: Any, late: Any, share_left: Any, asked: Any) -> tuple[Any, Any]:
    """Return a case of `Asks._gaps`: gamma distributed gaps beyond the least, where they are asked for."""
    shape, at = either(asked, per(1.0, spread), 1.0), either(asked, per(late, spread), 0.0)
    longer, one_more = _gamma_beyond(shape, at)
    return longer, larger(one_more - late * longer, 0.0) * share_left


def _gamma_beyond(shape: Any, at: Any) -> tuple[Any, Any]:
    """Return the chance of a gamma distributed time beyond `at`, and of one of a shape larger by one.

    Between whole shapes it is between theirs.
    """
    whole = floor(shape)
    term = total = exponential(-at)
    for index in range(1, int(np.max(whole))):
        inside = index < whole
        term = either(inside, term * at / index, term)
        total = either(inside, total + term, total)
    here, beyond = term * at / whole, term * at / whole * at / (whole + 1.0)
    left = shape - whole
    return total + left * here, total + here + left * beyond


def grant_steps(per_step: Any, steps_until_activation: Any) -> Any:
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
    slows = GRANT_FAR + GRANT_NEAR / np.power(larger(steps_until_activation, 1.0), GRANT_FADES)
    return unboxed(per_step / (2.0 + slows * np.power(per_step, GRANT_POWER)))


def rest_of_step_ms(time_ms: Any, step_ms: Any, spread_ms: Any = 0.0) -> Any:
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
    steps = time_ms / step_ms
    into = larger(steps - floor(steps + 1e-9), 0.0)
    alike_ms = either(into > 1e-9, (1.0 - into) * step_ms, 0.0)
    alike = spread_ms <= 1e-9 * step_ms
    if every(alike):
        return alike_ms
    until = into + spread_ms / step_ms
    whole = floor(until)
    left = until - whole
    summed = (whole + left * (2.0 - left) - into * (2.0 - into)) / 2.0
    return either(alike, alike_ms, per(summed * step_ms * step_ms, spread_ms, 0.0))


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

    reservation_ms: Any
    activation_ms: Any


def decode_waits(
    asks: Asks, step_ms: Any, decoding_ms: Any, until_activation_ms: Any, queued: Any, queue_ms: Any
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
    none = (step_ms == 0.0) | (decoding_ms == 0.0)
    if every(none):
        return DecodeWaits(0.0, 0.0)
    step_ms = either(none, 1.0, step_ms)
    # another one's sequence is activated as long after its own ask
    idle_at_ask = asks.none_between(until_activation_ms, decoding_ms)
    idle_at_end = asks.none_within(decoding_ms)
    idle_at_both = asks.none_within(until_activation_ms + decoding_ms)
    later = until_activation_ms > decoding_ms
    if np.any(later):  # or with asks between the two times alone
        between = idle_at_end - asks.none_within(until_activation_ms)
        idle_at_both = either(later, idle_at_both + between * asks.none_in_any(decoding_ms), idle_at_both)
    busy_at_both = larger(1.0 - idle_at_ask - idle_at_end + idle_at_both, 0.0)
    busy_at_end = larger(idle_at_ask - idle_at_both, 0.0)
    reservation_ms = (1.0 - idle_at_ask) * (
        step_ms / 2.0 + _crowd(asks, step_ms, until_activation_ms) * step_ms
    )
    rest_ms = (1.0 - queued) * rest_of_step_ms(until_activation_ms, step_ms)
    spread_ms = 2.0 * per(queue_ms, queued, 0.0)
    rest_ms = rest_ms + either(
        queued > 0.0, queued * rest_of_step_ms(until_activation_ms, step_ms, spread_ms), 0.0
    )
    activation_ms = busy_at_both * rest_ms + busy_at_end * step_ms / 2.0
    return DecodeWaits(either(none, 0.0, reservation_ms), either(none, 0.0, activation_ms))


def _crowd(asks: Asks, step_ms: Any, until_activation_ms: Any) -> Any:
    """Return the steps that a reservation waits for others; none where each grant brings the next at once."""
    per_step = asks.per_ms * step_ms
    shared = (until_activation_ms > 0.0) & (per_step > 0.0)
    if not np.any(shared):
        return 0.0
    crowd = smaller(per(1.0 - asks.none_within(step_ms), -unboxed(np.expm1(-per_step)), 0.0), asks.variation)
    return either(shared, grant_steps(per_step, until_activation_ms / step_ms) * crowd, 0.0)
