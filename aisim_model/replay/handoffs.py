"""The steps of a handoff: submit, hold, reserve, transfer, activate, release."""

from __future__ import annotations

import numpy as np

from aisim_model.replay.actions import act, mark
from aisim_model.replay.chains import (
    join_by_order,
    join_deferred,
    join_pending,
    join_released,
    join_waiting,
)
from aisim_model.replay.compiled import Records, compiled
from aisim_model.replay.events import (
    ACTIVATE,
    RELEASE,
    RESERVE,
    SOURCE_READY,
    SUBMIT,
    TRANSFER,
    index_of,
    kind_of,
)
from aisim_model.replay.heaps import push_event
from aisim_model.replay.layout import (
    CANCELLED,
    COMPLETED,
    FROM_DECODE_STEP,
    FROM_PREFILL,
    FROM_SHIPPED,
    NONE,
    QUEUED,
    SOURCE_HELD,
)
from aisim_model.replay.ordered import activate_blocks, reserve_blocks
from aisim_model.replay.pool import release_blocks
from aisim_model.replay.prefixes import see_blocks, seen_blocks
from aisim_model.replay.state import Caches, Core, Pools
from aisim_model.replay.transfers import start_transfer
from aisim_model.replay.workers import announce_end, catch_up


@compiled
def _both_ready(core: Core, request: int) -> None:
    """Order the transfer once the source is held and ready and the destination reserved."""
    record = core.requests[request]
    if record.stage == SOURCE_HELD and record.ready == 1 and not np.isnan(record.granted):
        act(core, TRANSFER + request)


@compiled
def source_ready(core: Core, request: int) -> None:
    """Go on with a handoff whose source is held and whose orchestration is done."""
    core.requests[request].ready = 1
    if core.settings[0].source_first == 1:
        act(core, RESERVE + request)
    else:
        _both_ready(core, request)


@compiled
def _hold_source(core: Core, request: int, now: float) -> None:
    """Keep a prompt's KV on its prefill worker from the end of its last pass on."""
    settings = core.settings[0]
    record = core.requests[request]
    record.held = now
    record.stage = SOURCE_HELD
    if settings.first_token == FROM_PREFILL:
        record.first = now
    if settings.orchestration > 0.0:
        ready = now + settings.orchestration
        push_event(core, ready, SOURCE_READY + request)
    else:
        source_ready(core, request)


@compiled
def prefill_ended(core: Core, index: int, now: float) -> None:
    """Hold the sources of the prompts that a pass has completed, after what waited for its end."""
    worker = core.workers[index]
    worker.busy = 0
    worker.loud = 0
    mark(core, index, now)
    while worker.release_head != NONE:
        request = worker.release_head
        worker.release_head = core.requests[request].next_release
        act(core, RELEASE + request)
    while worker.done_head != NONE:
        request = worker.done_head
        worker.done_head = core.requests[request].next
        if core.requests[request].stage != CANCELLED:
            _hold_source(core, request, now)


@compiled
def decode_ended(core: Core, caches: Caches, pools: Pools | None, index: int, now: float) -> None:
    """Grant a reservation at the end of a pass, and go on with the activations that waited for it."""
    worker = core.workers[index]
    worker.busy = 0
    worker.loud = 0
    core.clock[0].left += worker.leaving
    worker.leaving = 0
    mark(core, index, now)
    while worker.defer_head != NONE:
        request = worker.defer_head
        worker.defer_head = core.requests[request].next
        act(core, ACTIVATE + request)
    grant_oldest(core, caches, pools, index, now)


@compiled
def _decode_index(settings: Records, request: Records) -> int:
    """Return the place of a request's decode worker among all workers."""
    return int(settings.prefill_workers + request.decode_worker)


@compiled
def _held_blocks(core: Core, caches: Caches, pools: Pools | None, index: int, request: int) -> int:
    """Reserve room for a prompt and count its blocks that are there already; negative without room."""
    settings = core.settings[0]
    if pools is not None:
        return int(reserve_blocks(core, pools, index, request))
    worker = core.workers[index]
    if worker.decoding >= settings.decode_sequences or worker.held >= settings.most_held:
        return -1
    if settings.caching == 0:
        return 0
    record = core.requests[request]
    return int(min(seen_blocks(settings, record, index, caches), record.prompt // settings.block))


@compiled
def grant_oldest(core: Core, caches: Caches, pools: Pools | None, index: int, now: float) -> None:
    """Grant the oldest waiting reservation of an idle decode worker, if there is room for it."""
    settings = core.settings[0]
    worker = core.workers[index]
    while worker.pending_head != NONE and core.requests[worker.pending_head].stage == CANCELLED:
        worker.pending_head = core.requests[worker.pending_head].next
    if worker.pending_head == NONE:
        return
    request = worker.pending_head
    held = _held_blocks(core, caches, pools, index, request)
    if held < 0:
        return
    record = core.requests[request]
    worker.pending_head = record.next
    record.granted = now
    worker.held += 1
    record.decode_hit = held * settings.block
    record.moved = record.prompt
    if settings.destination_missing == 1:
        record.moved = (-(-record.prompt // settings.block) - held) * settings.block
    if settings.source_first == 1:
        _both_ready(core, request)
    else:
        act(core, SUBMIT + request)


@compiled
def _number(core: Core, index: int, request: int) -> None:
    """Give a request its place in a worker's order of arrival."""
    worker = core.workers[index]
    core.requests[request].order = worker.next_order
    worker.next_order += 1


@compiled
def _submit(core: Core, request: int, now: float) -> None:
    """Queue a prompt on the next prefill or aggregated worker."""
    settings, clock = core.settings[0], core.clock[0]
    workers = len(core.workers) if settings.aggregated == 1 else settings.prefill_workers
    index = clock.next_prefill
    clock.next_prefill = (index + 1) % workers
    core.requests[request].prefill_worker = index
    core.requests[request].stage = QUEUED
    join_waiting(core.requests, core.workers[index], request)
    _number(core, index, request)
    mark(core, index, now)


@compiled
def _reserve(core: Core, caches: Caches, pools: Pools | None, request: int, now: float) -> None:
    """Ask the next decode worker for room."""
    settings, clock = core.settings[0], core.clock[0]
    record = core.requests[request]
    record.asked = now
    record.decode_worker = clock.next_decode
    clock.next_decode = (clock.next_decode + 1) % settings.decode_workers
    index = _decode_index(settings, record)
    worker = core.workers[index]
    join_pending(core.requests, worker, request)
    _number(core, index, request)
    if worker.busy == 1:
        announce_end(core, index)
    else:
        mark(core, index, now)
        grant_oldest(core, caches, pools, index, now)


@compiled
def _activate(core: Core, caches: Caches, pools: Pools | None, request: int, now: float) -> None:
    """Make a transferred sequence ready to decode once no pass runs, and let its source go."""
    settings = core.settings[0]
    record = core.requests[request]
    index = _decode_index(settings, record)
    worker = core.workers[index]
    if worker.busy == 1:
        join_deferred(core.requests, worker, request)
        announce_end(core, index)
        return
    mark(core, index, now)
    record.activated = now
    record.emitted = 0 if settings.first_token == FROM_DECODE_STEP else 1
    if settings.first_token == FROM_SHIPPED:
        record.first = now
    if pools is not None:
        activate_blocks(core, pools, index, request)
    elif settings.caching == 1:
        known, held = record.decode_hit // settings.block, record.prompt // settings.block
        see_blocks(settings, record, index, caches, known, held)
    if record.emitted == record.output:
        record.stage = COMPLETED
        record.last = record.first
        core.clock[0].done += 1
        core.clock[0].left += 1
        worker.held -= 1
        if pools is not None:
            release_blocks(core, pools, index, request)
    elif pools is None:
        # sequences run in order of reservation; most are activated in it, too
        if worker.wait_head == NONE or core.requests[worker.wait_tail].order < record.order:
            join_waiting(core.requests, worker, request)
        else:
            join_by_order(core.requests, worker, request)
    act(core, RELEASE + request)
    grant_oldest(core, caches, pools, index, now)


@compiled
def _release(core: Core, pools: Pools | None, request: int, now: float) -> None:
    """Give up a source; only a pool that can run full waits for it."""
    if pools is None:
        return
    index = core.requests[request].prefill_worker
    worker = core.workers[index]
    if worker.busy == 1:
        join_released(core.requests, worker, request)
        return
    release_blocks(core, pools, index, request)
    mark(core, index, now)


@compiled
def _looked_at(core: Core, action: int, request: int) -> int:
    """Return the worker that an action depends on and whose passes nobody may have waited for, or NONE."""
    settings = core.settings[0]
    if action == SUBMIT and settings.aggregated == 1:
        return int(core.clock[0].next_prefill)
    if action == RESERVE:
        return int(settings.prefill_workers + core.clock[0].next_decode)
    if action == ACTIVATE:
        return _decode_index(settings, core.requests[request])
    return NONE


@compiled
def run_actions(core: Core, caches: Caches, pools: Pools | None, now: float) -> None:
    """Do what the events of this instant call for, and what follows from that."""
    clock = core.clock[0]
    while clock.queue_size > 0:
        code = core.events[clock.queue_head].action
        clock.queue_head = (clock.queue_head + 1) % len(core.events)
        clock.queue_size -= 1
        action = kind_of(code)
        request = index_of(code)
        if core.requests[request].stage == CANCELLED and action != RELEASE:
            continue
        index = _looked_at(core, action, request)
        if index != NONE:
            catch_up(core, caches, pools, index, now)
        if action == SUBMIT:
            _submit(core, request, now)
        elif action == RESERVE:
            _reserve(core, caches, pools, request, now)
        elif action == TRANSFER:
            start_transfer(core, request, now)
        elif action == ACTIVATE:
            _activate(core, caches, pools, request, now)
        else:
            _release(core, pools, request, now)
