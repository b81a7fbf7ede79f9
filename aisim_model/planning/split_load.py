"""Parts of the mean TTFT of a split row under load, as a replay at level ``fifo`` has them.

Requests are equal and arrive at random (Poisson). Prompts and links are queues of constant service times, a
decode worker is one of as many servers as it has room for sequences, and `handoff_waits` says what its passes
make wait. Each prefill worker's or, where they are fewer, each decode worker's link carries one transfer at a
time.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

from aisim_model.planning.handoff_waits import Asks, DecodeWaits, decode_waits
from aisim_model.planning.queueing import mean_wait_ms, wait_probability
from aisim_model.planning.service import Service
from aisim_model.ttft import TtftBreakdown
from aisim_model.units import MS_PER_S

Contention = Literal["none", "fifo", "fair"]


def split_parts(
    served: Service, arrivals_per_s: float, batch: float, contention: Contention = "fifo"
) -> TtftBreakdown:
    """Return the parts of the mean TTFT [ms]; a queue that grows without end is infinite.

    Parameters
    ----------
    served : Service
        The row.
    arrivals_per_s : float
        Poisson arrivals [requests/s].
    batch : float
        Sequences that a decode worker runs; infinite where they are more than it can [-].
    contention : {"fifo", "none", "fair"}
        How transfers share a link: one at a time, not at all, or in equal parts.
    """
    queue_ms = mean_wait_ms(arrivals_per_s, served.prefill_ms, served.prefill_workers)
    first_from, order = served.x.profile.first_token_from, served.x.profile.order
    parts = replace(served.idle, queue_ms=queue_ms)
    if first_from == "prefill" and order == "source_first":
        return parts
    step_ms = math.inf if math.isinf(batch) else served.step_ms(batch)
    link_ms = _link_wait_ms(served, arrivals_per_s, queue_ms, contention)
    waits = _decode_waits(served, arrivals_per_s, step_ms, link_ms)
    room_ms = _room_wait_ms(served, arrivals_per_s, step_ms, queue_ms, link_ms, waits)
    parts = replace(parts, reservation_ms=waits.reservation_ms + room_ms)
    if first_from == "prefill":
        return parts
    steps = first_from == "decode_step"
    return replace(
        parts,
        link_queue_ms=link_ms,
        activation_ms=waits.activation_ms,
        decode_step_ms=(step_ms if math.isinf(step_ms) else served.first_step_ms(batch)) if steps else 0.0,
    )


def _asks(served: Service, arrivals_per_s: float) -> Asks:
    """Return how reservations come to a decode worker: round robin, at random or as prompts are computed."""
    each_per_ms = arrivals_per_s / MS_PER_S / served.decode_workers
    turns = served.decode_workers
    if served.x.profile.order == "destination_first":
        return Asks(each_per_ms, 0.0, 1.0 / turns)
    busy = min(arrivals_per_s / served.prefill_per_s, 1.0)
    smooth = 1.0 - busy * busy / math.sqrt(served.prefill_workers)
    return Asks(each_per_ms, turns // served.prefill_workers * served.prefill_ms, smooth / turns)


def _link_wait_ms(served: Service, arrivals_per_s: float, queue_ms: float, contention: Contention) -> float:
    """Return the mean wait for a link [ms].

    With a link each prefill worker the order of the two queues doesn't matter: together they wait as for the
    slower alone.
    """
    if contention == "none" or arrivals_per_s == 0.0:
        return 0.0
    if served.prefill_workers <= served.decode_workers:
        slower_ms = max(served.prefill_ms, served.sent_ms)
        both_ms = mean_wait_ms(arrivals_per_s, slower_ms, served.prefill_workers)
        return 0.0 if math.isinf(queue_ms) else both_ms - queue_ms
    busy = min(arrivals_per_s / served.prefill_per_s, 1.0)
    smooth = 1.0 - busy * busy / math.sqrt(served.prefill_workers)
    return mean_wait_ms(arrivals_per_s, served.sent_ms, served.links) * smooth


def _decode_waits(served: Service, arrivals_per_s: float, step_ms: float, link_ms: float) -> DecodeWaits:
    if math.isinf(step_ms):
        return DecodeWaits(math.inf, math.inf)
    if math.isinf(served.reserved_ms):
        return DecodeWaits(0.0, 0.0)
    scattered = 0.0
    if link_ms > 0.0:
        scattered = min(arrivals_per_s / served.link_per_s, 1.0)
    if served.x.profile.order == "destination_first":
        scattered = max(
            scattered, wait_probability(arrivals_per_s, served.prefill_ms, served.prefill_workers)
        )
    return decode_waits(
        _asks(served, arrivals_per_s), step_ms, served.steps * step_ms, served.reserved_ms, scattered
    )


def _room_wait_ms(
    served: Service,
    arrivals_per_s: float,
    step_ms: float,
    queue_ms: float,
    link_ms: float,
    waits: DecodeWaits,
) -> float:
    """Return the mean wait until a decode worker has room [ms]: each sequence has it until its last token."""
    if math.isinf(step_ms):
        return math.inf
    held_ms = served.reserved_ms + link_ms + waits.activation_ms + served.steps * step_ms
    if served.x.profile.order == "destination_first":
        held_ms += queue_ms
    if math.isinf(served.most_sequences):
        return 0.0
    return mean_wait_ms(arrivals_per_s, held_ms, int(served.most_sequences) * served.decode_workers)
