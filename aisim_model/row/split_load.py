"""Parts of the mean TTFT of a split row under load, as a replay at level ``fifo`` has them.

Requests are equal and arrive at random (Poisson). Prompts and links are queues of constant service times, a
decode worker is one of as many servers as it has room for sequences, and `handoff_waits` says what its passes
make wait. Each prefill worker's or, where they are fewer, each decode worker's link carries one transfer at a
time.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from aisim_model.arrays import either, endless, every, floor, larger, per, smaller, unboxed
from aisim_model.row.handoff_waits import Asks, decode_waits
from aisim_model.row.queueing import Station, wait_in_row_ms, wait_probability
from aisim_model.row.service import Service
from aisim_model.ttft_parts import PART_NAMES, TtftBreakdown
from aisim_model.units import MS_PER_S

Contention = Literal["none", "fifo", "fair"]


def split_parts(
    served: Service, arrivals_per_s: Any, batch: Any, contention: Contention = "fifo"
) -> TtftBreakdown:
    """Return the parts of the mean TTFT [ms]; a queue that grows without end is infinite.

    Parameters
    ----------
    served : Service
        The row.
    arrivals_per_s : float or array
        Poisson arrivals [requests/s].
    batch : float or array
        Sequences that a decode worker runs; infinite where they are more than it can [-].
    contention : {"fifo", "none", "fair"}
        How transfers share a link: one at a time, not at all, or in equal parts.
    """
    idle = (arrivals_per_s == 0.0) & np.logical_not(endless(batch))
    if every(idle):
        return served.idle
    prefill = Station(served.prefill_ms, served.prefill_workers)
    queue_ms = prefill.wait_ms(arrivals_per_s)
    first_from, order = served.x.profile.first_token_from, served.x.profile.order
    parts = replace(served.idle, queue_ms=queue_ms)
    if first_from == "prefill" and order == "source_first":
        return parts
    link = Station(served.sent_ms, served.links)
    link_ms = _link_wait_ms(arrivals_per_s, prefill, link, contention)
    over = endless(batch) | endless(queue_ms) | endless(link_ms)
    ends = _endless(parts, order, batch, queue_ms, link_ms)
    if every(over):
        return ends
    with np.errstate(all="ignore"):  # of those that are over
        waited = _waited(served, arrivals_per_s, batch, contention, prefill, link, link_ms)
    return _chosen(idle, served.idle, _chosen(over, ends, waited))


def _chosen(condition: Any, one: TtftBreakdown, other: TtftBreakdown) -> TtftBreakdown:
    """Return one of two breakdowns, element by element."""
    if not np.any(condition):
        return other
    return TtftBreakdown(
        **{name: either(condition, getattr(one, name), getattr(other, name)) for name in PART_NAMES}
    )


def _waited(
    served: Service,
    arrivals_per_s: Any,
    batch: Any,
    contention: Contention,
    prefill: Station,
    link: Station,
    link_ms: Any,
) -> TtftBreakdown:
    """Return the parts where everything keeps up."""
    first_from, order = served.x.profile.first_token_from, served.x.profile.order
    queue_ms = prefill.wait_ms(arrivals_per_s)
    step_ms = served.step_ms(batch)
    asks = _asks(served, arrivals_per_s)
    queued = _waiting(arrivals_per_s, link, link_ms)
    if contention != "none" and served.steps > 0.0 and np.any(served.links < served.prefill_workers):
        together_ms = _together_ms(asks, step_ms, served.sent_ms)
        longer = (served.links < served.prefill_workers) & (together_ms > link_ms)
        # each waits for whole transfers
        queued = either(longer, smaller(per(together_ms, served.sent_ms, 0.0), 1.0), queued)
        link_ms = either(longer, together_ms, link_ms)
    between_ms = link_ms
    if order == "destination_first":
        queue_ms = queue_ms * _evened(
            smaller(2.0 * asks.per_ms * step_ms, batch), prefill.busy(arrivals_per_s)
        )
        queued = queued + (1.0 - queued) * _waiting(arrivals_per_s, prefill, queue_ms)
        between_ms = between_ms + queue_ms
    waits = decode_waits(asks, step_ms, served.steps * step_ms, served.reserved_ms, queued, between_ms)
    # a sequence has its room from the grant to its last token
    held_ms = served.reserved_ms + waits.activation_ms + served.steps * step_ms
    room = Station(held_ms, floor(served.most_sequences) * served.decode_workers)
    more_ms = wait_in_row_ms(arrivals_per_s, prefill, room) - prefill.wait_ms(arrivals_per_s)
    if order == "destination_first":
        outside_ms = _outside_ms(arrivals_per_s, room, link, link_ms)
        room_ms = room.wait_ms(arrivals_per_s)
        queue_ms = larger(queue_ms + more_ms - room_ms, 0.0)  # what waited for room finds prefill less busy
        link_ms, more_ms = link_ms - outside_ms, room_ms + outside_ms
    parts = replace(served.idle, queue_ms=queue_ms, reservation_ms=waits.reservation_ms + more_ms)
    if first_from == "prefill":
        return parts
    if contention == "fair":  # transfers that share a link take longer by twice what one would wait
        parts, link_ms = replace(parts, transfer_ms=parts.transfer_ms + 2.0 * link_ms), 0.0
    return replace(
        parts,
        link_queue_ms=link_ms,
        activation_ms=waits.activation_ms,
        decode_step_ms=served.first_step_ms(batch) if first_from == "decode_step" else 0.0,
    )


def _endless(parts: TtftBreakdown, order: str, batch: Any, queue_ms: Any, link_ms: Any) -> TtftBreakdown:
    """Return the parts where something can't keep up: infinite where requests wait for it."""
    room_ms = either(endless(batch), math.inf, 0.0)
    if order == "destination_first":  # what waits for prefill keeps its room
        room_ms = larger(room_ms, either(endless(queue_ms), queue_ms, 0.0))
    return replace(parts, queue_ms=queue_ms, reservation_ms=room_ms, link_queue_ms=link_ms)


def _asks(served: Service, arrivals_per_s: Any) -> Asks:
    """Return how reservations come to a decode worker: round robin, at random or as prompts are computed."""
    each_per_ms = arrivals_per_s / MS_PER_S / served.decode_workers
    turns = served.decode_workers
    if served.x.profile.order == "destination_first":
        return Asks(each_per_ms, 0.0, 1.0 / turns)
    busy = smaller(arrivals_per_s / served.prefill_per_s, 1.0)
    # the time between two prompts of a worker varies by 1 - busy^2, that of any two by less of it
    smooth = 1.0 - busy * busy / unboxed(np.sqrt(larger(served.prefill_workers / turns, 1.0)))
    return Asks(each_per_ms, turns // served.prefill_workers * served.prefill_ms, smooth / turns)


def _link_wait_ms(arrivals_per_s: Any, prefill: Station, link: Station, contention: Contention) -> Any:
    """Return what waiting for a link adds to waiting for prefill, before it, on average [ms]."""
    none = (arrivals_per_s == 0.0) | (link.service_ms == 0.0)
    if contention == "none" or every(none):
        return 0.0
    with np.errstate(all="ignore"):  # of infinite waits
        waited_ms = wait_in_row_ms(arrivals_per_s, prefill, link) - prefill.wait_ms(arrivals_per_s)
    waited_ms = either(prefill.busy(arrivals_per_s) < 1.0, waited_ms, 0.0)
    return either(none, 0.0, either(link.busy(arrivals_per_s) < 1.0, waited_ms, math.inf))


def _together_ms(asks: Asks, step_ms: Any, sent_ms: Any) -> Any:
    """Return the mean wait for a decode worker's link of what one pass granted together [ms]."""
    per_step = asks.per_ms * step_ms
    # one alone, few by few activations
    others = larger(per_step + asks.variation - 1.0, 0.0) * smaller(per_step, 1.0)
    return others / 2.0 * sent_ms


def _waiting(arrivals_per_s: Any, station: Station, wait_ms: Any) -> Any:
    """Return the chance of a wait at a station whose mean wait is not that for Poisson arrivals [-]."""
    alone_ms = station.wait_ms(arrivals_per_s)
    none = (wait_ms == 0.0) | (alone_ms == 0.0)
    if every(none):
        return 0.0
    chance = wait_probability(arrivals_per_s, station.service_ms, station.servers)
    return either(none, 0.0, smaller(per(chance * wait_ms, alone_ms, 0.0), 1.0))


def _evened(granted: Any, busy: Any) -> Any:
    """Return what is left of a light queue for prefill where passes grant reservations one by one [-]."""
    return 1.0 - smaller(granted, 1.0) * ((1.0 - busy) * (1.0 - busy))


def _outside_ms(arrivals_per_s: Any, room: Station, link: Station, link_ms: Any) -> Any:
    """Return what of the wait for a link comes before the grant: those that wait for it keep their room [ms].

    The chance of more than n transfers at links that are busy for a share b of the time falls about as b^2n.
    """
    if every(link_ms == 0.0):
        return 0.0
    others = arrivals_per_s / MS_PER_S * (room.service_ms - link.service_ms)
    power = 2.0 * larger(room.servers - others, 0.0)
    return either(link_ms == 0.0, 0.0, link_ms * unboxed(np.power(link.busy(arrivals_per_s), power)))
