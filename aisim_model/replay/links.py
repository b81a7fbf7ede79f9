"""Transfers that share a link: one at a time, or all at once with equal shares."""

from __future__ import annotations

from aisim_model.replay.compiled import compiled
from aisim_model.replay.events import LINK_CHANGED, TRANSFER_ENDED
from aisim_model.replay.heaps import added, merged, push_event
from aisim_model.replay.layout import CONTENTION_FIFO, NONE, ON_LINK, SCOPE_DESTINATION, SCOPE_SOURCE
from aisim_model.replay.state import Core


@compiled
def link_of(core: Core, request: int) -> int:
    """Return the worker that keeps a transfer's link; the first keeps the one that all share."""
    scope = core.settings[0].scope
    if scope == SCOPE_SOURCE:
        return int(core.requests[request].prefill_worker)
    if scope == SCOPE_DESTINATION:
        return int(core.settings[0].prefill_workers + core.requests[request].decode_worker)
    return 0


@compiled
def _drop_cancelled(core: Core, link: int) -> None:
    """Skip what is not on its way any more at the head of a link."""
    record = core.workers[link]
    while record.link_head != NONE and core.requests[record.link_head].stage != ON_LINK:
        gone = core.requests[record.link_head]
        if core.settings[0].contention == CONTENTION_FIFO:
            record.link_head = gone.next
        else:
            record.link_head = merged(core.requests, gone.left, gone.right)


@compiled
def _start_next(core: Core, link: int, now: float) -> None:
    """Start the transfer at the head of a link that carries one at a time."""
    record = core.workers[link]
    _drop_cancelled(core, link)
    record.link_current = record.link_head
    if record.link_head == NONE:
        return
    request = record.link_head
    record.link_head = core.requests[request].next
    transfer = core.requests[request]
    transfer.link_start = now
    code = TRANSFER_ENDED + request
    push_event(core, now + transfer.alone, code)


@compiled
def _pass_time(core: Core, link: int, now: float) -> None:
    """Move a shared link's clock, which counts what each active transfer has had, to `now`."""
    record = core.workers[link]
    if record.link_active > 0:
        record.link_clock += (now - record.link_updated) / record.link_active
    record.link_updated = now


@compiled
def _plan_end(core: Core, link: int, now: float) -> None:
    """Foresee when the next transfer of a shared link ends if nothing else happens."""
    record = core.workers[link]
    _drop_cancelled(core, link)
    if record.link_head == NONE:
        record.link_clock = 0.0
        record.link_end = -1.0
        return
    record.link_end = (
        now + max(core.requests[record.link_head].key - record.link_clock, 0.0) * record.link_active
    )
    push_event(core, record.link_end, LINK_CHANGED + link)


@compiled
def enter_link(core: Core, request: int, now: float) -> None:
    """Bring a transfer to its link: it queues, or takes its share."""
    link = link_of(core, request)
    record = core.workers[link]
    transfer = core.requests[request]
    if core.settings[0].contention == CONTENTION_FIFO:
        transfer.next = NONE
        if record.link_head == NONE:
            record.link_head = request
        else:
            core.requests[record.link_tail].next = request
        record.link_tail = request
        if record.link_current == NONE:
            _start_next(core, link, now)
        return
    _pass_time(core, link, now)
    transfer.link_start = now
    record.link_active += 1
    record.link_head = added(core.requests, record.link_head, request, record.link_clock + transfer.alone)
    _plan_end(core, link, now)


@compiled
def leave_link(core: Core, request: int, now: float) -> None:
    """Let go of a transfer that ended on, or is cancelled from, its link, if that carries one at a time."""
    link = link_of(core, request)
    if core.workers[link].link_current == request:
        _start_next(core, link, now)


@compiled
def cancel_share(core: Core, request: int, now: float) -> None:
    """Take a cancelled transfer's share of a link away; the others get it."""
    link = link_of(core, request)
    _pass_time(core, link, now)
    core.workers[link].link_active -= 1
    _plan_end(core, link, now)


@compiled
def next_ended(core: Core, link: int, now: float, first: bool) -> int:
    """Return the next transfer that ends now on a shared link, or NONE once all are out.

    To be called until it gives NONE; a stale forecast gives NONE at once. `first` says that it gave none yet.
    """
    record = core.workers[link]
    if record.link_end != now:
        return NONE
    _drop_cancelled(core, link)
    if record.link_head == NONE:
        return NONE
    request = record.link_head
    _pass_time(core, link, now)
    transfer = core.requests[request]
    if first:
        record.link_clock = transfer.key  # what was foreseen holds to the bit, so that equal ends stay equal
    elif now + (transfer.key - record.link_clock) * record.link_active > now:
        _plan_end(core, link, now)
        return NONE
    record.link_head = merged(core.requests, transfer.left, transfer.right)
    record.link_active -= 1
    if record.link_head == NONE:
        record.link_clock, record.link_end = 0.0, -1.0
    return int(request)
