"""How a link is shared, each discipline beside its rivals: what a transfer does as it comes and as it goes.

With `none` each transfer has the whole bandwidth, as if it were alone. With `fifo` one at a time has it, in
the order in which they come. With `fair` all that are under way have equal shares at every moment: a clock of
the link counts what each of them has had, so the next to end is the one whose end on that clock comes first.
"""

from __future__ import annotations

from aisim_model.replay.compiled import Records, compiled
from aisim_model.replay.events import LINK_CHANGED, TRANSFER_ENDED
from aisim_model.replay.heaps import added, merged, push_event
from aisim_model.replay.layout import NONE, ON_LINK
from aisim_model.replay.state import Core


@compiled
def enter_alone(core: Core, request: int, now: float) -> None:
    """`none`: a transfer starts as it comes."""
    transfer = core.requests[request]
    transfer.link_start = now
    push_event(core, now + transfer.alone, TRANSFER_ENDED + request)


@compiled
def enter_fifo(core: Core, link: int, request: int, now: float) -> None:
    """`fifo`: a transfer queues, and starts if there is none before it."""
    worker = core.workers[link]
    core.requests[request].next = NONE
    if worker.link_head == NONE:
        worker.link_head = request
    else:
        core.requests[worker.link_tail].next = request
    worker.link_tail = request
    if worker.link_current == NONE:
        _start_next(core, link, now)


@compiled
def leave_fifo(core: Core, link: int, request: int, now: float) -> None:
    """`fifo`: once the transfer under way has ended or is cancelled, the next starts."""
    if core.workers[link].link_current == request:
        _start_next(core, link, now)


@compiled
def _start_next(core: Core, link: int, now: float) -> None:
    """Start the first transfer of a queue that is still on its way."""
    worker = core.workers[link]
    while worker.link_head != NONE and core.requests[worker.link_head].stage != ON_LINK:
        worker.link_head = core.requests[worker.link_head].next
    worker.link_current = worker.link_head
    if worker.link_head != NONE:
        worker.link_head = core.requests[worker.link_head].next
        enter_alone(core, worker.link_current, now)


@compiled
def enter_fair(core: Core, link: int, request: int, now: float) -> None:
    """`fair`: a transfer takes its share from now on."""
    worker, transfer = core.workers[link], core.requests[request]
    _pass_time(worker, now)
    transfer.link_start = now
    worker.link_active += 1
    worker.link_head = added(core.requests, worker.link_head, request, worker.link_clock + transfer.alone)
    _plan_end(core, link, now)


@compiled
def leave_fair(core: Core, link: int, now: float) -> None:
    """`fair`: the others get the share of a cancelled transfer."""
    worker = core.workers[link]
    _pass_time(worker, now)
    worker.link_active -= 1
    _plan_end(core, link, now)


@compiled
def ended_fair(core: Core, link: int, now: float, first: bool) -> int:
    """`fair`: return the next transfer that ends now, or NONE once all are out.

    To be called until it gives NONE; a stale forecast gives NONE at once. `first` says that it gave none yet.
    """
    worker = core.workers[link]
    if worker.link_end != now:
        return NONE
    _drop_cancelled(core, link)
    if worker.link_head == NONE:
        return NONE
    request = worker.link_head
    _pass_time(worker, now)
    transfer = core.requests[request]
    if first:
        worker.link_clock = transfer.key  # what was foreseen holds to the bit, so that equal ends stay equal
    elif now + (transfer.key - worker.link_clock) * worker.link_active > now:
        _plan_end(core, link, now)
        return NONE
    worker.link_head = merged(core.requests, transfer.left, transfer.right)
    worker.link_active -= 1
    if worker.link_head == NONE:
        worker.link_clock, worker.link_end = 0.0, -1.0
    return int(request)


@compiled
def _pass_time(worker: Records, now: float) -> None:
    """Move a link's clock, which counts what each active transfer has had, to `now`."""
    if worker.link_active > 0:
        worker.link_clock += (now - worker.link_updated) / worker.link_active
    worker.link_updated = now


@compiled
def _plan_end(core: Core, link: int, now: float) -> None:
    """Foresee when the next transfer ends if nothing else happens."""
    worker = core.workers[link]
    _drop_cancelled(core, link)
    if worker.link_head == NONE:
        worker.link_clock, worker.link_end = 0.0, -1.0
        return
    left = max(core.requests[worker.link_head].key - worker.link_clock, 0.0)
    worker.link_end = now + left * worker.link_active
    push_event(core, worker.link_end, LINK_CHANGED + link)


@compiled
def _drop_cancelled(core: Core, link: int) -> None:
    """Skip what is not on its way any more at the head of a heap."""
    worker = core.workers[link]
    while worker.link_head != NONE and core.requests[worker.link_head].stage != ON_LINK:
        gone = core.requests[worker.link_head]
        worker.link_head = merged(core.requests, gone.left, gone.right)
