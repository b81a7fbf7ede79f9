"""First-in first-out chains of requests: each hangs on a worker's head and tail, linked through `next`."""

from __future__ import annotations

from aisim_model.replay.compiled import Records, compiled
from aisim_model.replay.layout import NONE


@compiled
def join_waiting(requests: Records, worker: Records, request: int) -> None:
    """Put a request at the end of those that wait to be scheduled."""
    requests[request].next = NONE
    if worker.wait_head == NONE:
        worker.wait_head = request
    else:
        requests[worker.wait_tail].next = request
    worker.wait_tail = request


@compiled
def join_by_order(requests: Records, worker: Records, request: int) -> None:
    """Put a request before the first of those that wait to be scheduled which came to the worker later."""
    record = requests[request]
    after = NONE
    place = worker.wait_head
    while place != NONE and requests[place].order <= record.order:
        after = place
        place = requests[place].next
    record.next = place
    if after == NONE:
        worker.wait_head = request
    else:
        requests[after].next = request
    if place == NONE:
        worker.wait_tail = request


@compiled
def join_pending(requests: Records, worker: Records, request: int) -> None:
    """Put a request at the end of those that wait for room on a decode worker."""
    requests[request].next = NONE
    if worker.pending_head == NONE:
        worker.pending_head = request
    else:
        requests[worker.pending_tail].next = request
    worker.pending_tail = request


@compiled
def join_deferred(requests: Records, worker: Records, request: int) -> None:
    """Put a request at the end of those whose activation waits for the running pass."""
    requests[request].next = NONE
    if worker.defer_head == NONE:
        worker.defer_head = request
    else:
        requests[worker.defer_tail].next = request
    worker.defer_tail = request


@compiled
def join_done(requests: Records, worker: Records, request: int) -> None:
    """Put a request at the end of those whose prompt the running pass completes."""
    requests[request].next = NONE
    if worker.done_head == NONE:
        worker.done_head = request
    else:
        requests[worker.done_tail].next = request
    worker.done_tail = request


@compiled
def join_released(requests: Records, worker: Records, request: int) -> None:
    """Put a request at the end of those whose source is given up once the running pass ends."""
    requests[request].next_release = NONE
    if worker.release_head == NONE:
        worker.release_head = request
    else:
        requests[worker.release_tail].next_release = request
    worker.release_tail = request
