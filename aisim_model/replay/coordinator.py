"""The coordinator: handoffs in order, instant by instant.

Within an instant the order is that of the reference engine: passes that end (prefill workers, then decode
workers), transfers that end, arrivals; then what follows from them, first come first served; then new passes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aisim_model.replay.actions import act, mark
from aisim_model.replay.cancellation import cancel, owner_of
from aisim_model.replay.compiled import Integers, Records, compiled, entry, fingerprint
from aisim_model.replay.events import (
    CANCEL,
    DECODE_ENDED,
    DRIVE,
    LINK_ASKED,
    LINK_CHANGED,
    PREFILL_ENDED,
    RESERVE,
    SOURCE_READY,
    SUBMIT,
    TRANSFER_ENDED,
    index_of,
    kind_of,
)
from aisim_model.replay.handoffs import (
    decode_ended,
    grant_oldest,
    prefill_ended,
    run_actions,
    source_ready,
)
from aisim_model.replay.heaps import pop_event
from aisim_model.replay.layout import CANCELLED, NONE, ON_LINK, SOURCE_HELD, UNLIMITED
from aisim_model.replay.links import enter_link
from aisim_model.replay.passes import is_steady, run_steady, skip_steps_of_no_time
from aisim_model.replay.state import Caches, Core, Pools
from aisim_model.replay.transfers import end_shared_transfers, end_transfer
from aisim_model.replay.workers import announce_end, catch_up, has_work, start_pass

INSTANTS_BETWEEN_LOOKS = 256  # how often a request to stop is looked for


@compiled
def _drive(core: Core, caches: Caches, pools: Pools | None, index: int, now: float) -> None:
    """Start passes on a marked worker while it is idle and has work; a pass of no length ends at once."""
    settings = core.settings[0]
    worker = core.workers[index]
    worker.marked = 0
    while worker.busy == 0 and has_work(core, index):
        start_pass(core, caches, pools, index, now)
        if worker.end > now:
            break
        worker.busy = 0
        if worker.stuck == 1:
            # an empty pass ends as it starts; like any pass that ends, it grants a reservation
            waiting = worker.pending_head
            if index >= settings.prefill_workers and settings.aggregated == 0:
                grant_oldest(core, caches, pools, index, now)
            if worker.pending_head == waiting:
                break
            continue
        if index < settings.prefill_workers:
            prefill_ended(core, index, now)
        elif settings.aggregated == 1:
            core.clock[0].left += worker.leaving
            worker.leaving = 0
        else:
            decode_ended(core, caches, pools, index, now)
            if pools is None and worker.pending_head == NONE and core.clock[0].queue_size == 0:
                skip_steps_of_no_time(settings, core.requests, worker)
    awaited = index < settings.prefill_workers or worker.pending_head != NONE
    if worker.busy == 1 and ((awaited and settings.aggregated == 0) or settings.concurrency > 0):
        announce_end(core, index)


@compiled
def _goes_on(core: Core, caches: Caches, index: int, now: float) -> bool:
    """Run the passes of a closed loop that only give each sequence its next token, up to what comes next.

    That is where nothing but this pass ends now, and it changes nothing for anybody else.
    """
    clock, worker = core.clock[0], core.workers[index]
    alone = clock.heap_size == 0 or core.events[0].time > now
    waits = worker.defer_head != NONE or worker.pending_head != NONE or worker.leaving > 0
    if waits or not alone or clock.queue_size > 0 or not is_steady(worker):
        return False
    until = np.inf if clock.heap_size == 0 else core.events[0].time
    start = run_steady(core.settings[0], core.requests, worker, now, until)
    worker.loud = 0
    start_pass(core, caches, None, index, start)
    announce_end(core, index)
    return True


@compiled
def _handle(
    core: Core, caches: Caches, pools: Pools | None, links: Records | None, code: int, now: float
) -> None:
    """Take in one event."""
    kind = kind_of(code)
    index = index_of(code)
    if kind == PREFILL_ENDED:
        prefill_ended(core, index, now)
    elif kind == DECODE_ENDED:
        if core.settings[0].concurrency > 0 and pools is None and _goes_on(core, caches, index, now):
            return
        decode_ended(core, caches, pools, index, now)
    elif kind == TRANSFER_ENDED:
        end_transfer(core, links, index, now)
    elif kind == SOURCE_READY:
        if core.requests[index].stage == SOURCE_HELD:
            source_ready(core, index)
    elif kind == CANCEL:
        owner = owner_of(core, index)
        if owner != NONE:
            catch_up(core, caches, pools, owner, now)
            mark(core, owner, now)
        cancel(core, pools, links, index, owner, now)
        limited = core.settings[0].most_held < UNLIMITED
        if limited and owner != NONE and core.workers[owner].busy == 0:
            grant_oldest(core, caches, pools, owner, now)  # nothing else may ever happen on this worker
    elif kind == DRIVE:
        _drive(core, caches, pools, index, now)
    if links is not None:
        if kind == LINK_CHANGED:
            end_shared_transfers(core, index, now)
        elif kind == LINK_ASKED and core.requests[index].stage == ON_LINK:
            enter_link(core, index, now)


@compiled
def _release_arrivals(core: Core, now: float) -> None:
    """Let the requests in that arrive now, or for which a place in flight is free."""
    settings, clock = core.settings[0], core.clock[0]
    first_action = SUBMIT if settings.source_first == 1 or settings.aggregated == 1 else RESERVE
    while clock.arrived < len(core.requests):
        record = core.requests[clock.arrived]
        if settings.concurrency > 0:
            if clock.arrived - clock.left >= settings.concurrency:
                return
            record.arrival = now
        elif record.arrival > now:
            return
        if record.stage != CANCELLED:
            act(core, first_action + clock.arrived)
        else:
            clock.left += 1  # it takes no place
        clock.arrived += 1


@compiled
def _settle(core: Core, caches: Caches, pools: Pools | None, links: Records | None, now: float) -> None:
    """Do all that happens at one instant."""
    settings, clock = core.settings[0], core.clock[0]
    clock.driven = 0
    if settings.aggregated == 1 and (settings.concurrency == 0 or clock.arrived == 0):
        _release_arrivals(core, now)
    while True:
        while clock.heap_size > 0 and core.events[0].time == now and kind_of(core.events[0].code) < DRIVE:
            _handle(core, caches, pools, links, pop_event(core), now)
        if settings.aggregated == 1 and settings.concurrency > 0:
            _release_arrivals(core, now)
        run_actions(core, caches, pools, now)
        while clock.heap_size > 0 and core.events[0].time == now and kind_of(core.events[0].code) == DRIVE:
            _handle(core, caches, pools, links, pop_event(core), now)
        clock.driven = 1
        # a prefill pass that ends now is followed by the next before what arrives now can join it
        _release_arrivals(core, now)
        if clock.queue_size > 0:
            continue
        if clock.heap_size == 0 or core.events[0].time != now:
            return
        if kind_of(core.events[0].code) > DRIVE:
            _handle(core, caches, pools, links, pop_event(core), now)


@compiled
def _finish(core: Core, caches: Caches, pools: Pools | None, control: Integers) -> bool:
    """Run the passes that are left once nothing more happens; return False where a stop was asked for."""
    for index in range(len(core.workers)):
        catch_up(core, caches, pools, index, np.inf)
        if control[0] != 0:
            return False
    return True


def _loop(rules: int) -> Callable[..., bool]:
    """Return the loop over instants, compiled for these rules.

    The number has to stand in the function: Numba keeps what it has compiled by the function and the age of
    its file, and would not see that a rule changed in another.
    """

    @entry
    def run(
        core: Core, caches: Caches, pools: Pools | None, links: Records | None, control: Integers
    ) -> bool:
        """Replay to the end and return True, or False where a stop was asked for.

        `links` are the workers, which keep the links that transfers share, or None where they share none:
        less to compile. `control` takes a request to stop, and gives the number of requests that are done
        and the rules that did it.
        """
        clock = core.clock[0]
        control[2] = rules
        looked = 0
        while clock.arrived < len(core.requests) or clock.heap_size > 0:
            now = np.inf
            if core.settings[0].concurrency > 0:
                if clock.arrived == 0:
                    now = 0.0
                elif clock.heap_size == 0:
                    break  # those in flight wait for each other
            elif clock.arrived < len(core.requests):
                now = core.requests[clock.arrived].arrival
            if clock.heap_size > 0:
                now = min(now, core.events[0].time)
            _settle(core, caches, pools, links, now)
            looked += 1
            if looked == INSTANTS_BETWEEN_LOOKS:
                looked = 0
                control[1] = clock.done
                if control[0] != 0:
                    return False
        finished = _finish(core, caches, pools, control)
        control[1] = clock.done
        return finished

    return run


run = _loop(fingerprint())
