"""Passes of workers whose pool can run full, sequence by sequence in the order in which they were admitted.

Where a sequence that runs needs a block and there is none, the one admitted last gives up its own and waits
at the head of the queue to be computed again, as in the reference engine.
"""

from __future__ import annotations

import numpy as np

from aisim_model.replay.chains import join_by_order, join_done
from aisim_model.replay.compiled import Records, compiled
from aisim_model.replay.layout import (
    COMPLETED,
    DECODING,
    FROM_DECODE_STEP,
    NONE,
    ON_LINK,
    PREFILLING,
    SOURCE_HELD,
)
from aisim_model.replay.passes import next_waiting
from aisim_model.replay.pool import (
    allocate,
    owned_by,
    release_blocks,
    resident_blocks,
    share_complete,
    used_blocks,
)
from aisim_model.replay.state import Core, Pools
from aisim_model.replay.timing import pass_ms


@compiled
def reserve_blocks(core: Core, pools: Pools, index: int, request: int) -> int:
    """Reserve a prompt's blocks on a decode worker and count those that are there; negative without room."""
    settings = core.settings[0]
    worker = core.workers[index]
    record = core.requests[request]
    # once refused, it is looked at again when something was freed: new copies of its blocks don't count
    if worker.refused == worker.freed or worker.running >= settings.decode_sequences:
        return -1
    held = resident_blocks(core, pools, index, request, record.prompt // settings.block)
    if not allocate(core, pools, index, request, -(-record.prompt // settings.block), held):
        worker.refused = worker.freed
        return -1
    worker.refused = NONE
    return held


@compiled
def activate_blocks(core: Core, pools: Pools, index: int, request: int) -> None:
    """Let a transferred sequence wait for its first pass, by order of reservation, its prompt computed."""
    record = core.requests[request]
    share_complete(core, pools, index, request, 0, record.prompt)
    record.computed = record.prompt
    record.took_pass = NONE
    join_by_order(core.requests, core.workers[index], request)


@compiled
def _leave(requests: Records, worker: Records, request: int) -> None:
    """Take a sequence out of those that run."""
    record = requests[request]
    if record.before == NONE:
        worker.first_running = record.after
    else:
        requests[record.before].after = record.after
    if record.after == NONE:
        worker.last_running = record.before
    else:
        requests[record.after].before = record.before
    record.before = NONE
    record.after = NONE
    worker.running -= 1


@compiled
def _enter(requests: Records, worker: Records, request: int) -> None:
    """Put a sequence behind those that run."""
    record = requests[request]
    record.before, record.after = worker.last_running, NONE
    if worker.last_running == NONE:
        worker.first_running = request
    else:
        requests[worker.last_running].after = request
    worker.last_running = request
    worker.running += 1


@compiled
def _preempt(core: Core, pools: Pools, index: int) -> int:
    """Take the blocks of the sequence admitted last, undo what this pass planned for it, and return it."""
    worker = core.workers[index]
    request = worker.last_running
    record = core.requests[request]
    _leave(core.requests, worker, request)
    release_blocks(core, pools, index, request)
    record.computed = 0
    record.preemptions += 1
    worker.preempted = 1
    worker.freed += 1
    if record.took_pass == worker.pass_no:
        worker.budget += record.took
        if record.took_prompt > 0:
            worker.batch -= 1
            worker.batch_before -= record.took_before
            worker.batch_reached -= record.took_before + record.took_prompt
            worker.batch_resumed -= max(record.took_before - record.prefill_hit, 0)
            record.took_prompt = 0
        record.took_pass = NONE
    record.next = worker.wait_head
    if worker.wait_head == NONE:
        worker.wait_tail = request
    worker.wait_head = request
    return int(request)


@compiled
def _schedule(core: Core, pools: Pools, index: int, request: int, reused: int) -> bool:
    """Plan a sequence's tokens for this pass and return whether it is still part of it."""
    settings = core.settings[0]
    worker = core.workers[index]
    record = core.requests[request]
    before = record.computed + reused
    tokens = min(record.prompt + record.emitted - before, worker.budget)
    if tokens == 0 and before < record.prompt + record.emitted:
        return False
    reached = before + tokens
    while not allocate(core, pools, index, request, -(-reached // settings.block), reused // settings.block):
        if worker.last_running == NONE or _preempt(core, pools, index) == request:
            return False
    record.computed = reached
    share_complete(core, pools, index, request, before, reached)
    worker.budget -= tokens
    prompt_before = min(before, record.prompt)
    record.took, record.took_before = tokens, prompt_before
    record.took_prompt = min(reached, record.prompt) - prompt_before
    record.took_pass = worker.pass_no
    # a decode worker computes a preempted prompt again at no cost in time, as the reference has it
    if record.took_prompt > 0 and (settings.aggregated == 1 or index < settings.prefill_workers):
        worker.batch += 1
        worker.batch_before += prompt_before
        worker.batch_reached += prompt_before + record.took_prompt
        worker.batch_resumed += max(prompt_before - max(record.prefill_hit, reused), 0)
    elif settings.aggregated == 0 and index >= settings.prefill_workers:
        record.took_prompt = 0
    return True


@compiled
def _admit_next(core: Core, pools: Pools, index: int, now: float) -> bool:
    """Admit the request at the head of the queue if it fits and return whether to go on with the next."""
    settings = core.settings[0]
    worker = core.workers[index]
    request = next_waiting(core.requests, worker)
    ahead = NONE
    if worker.pending_head != NONE:
        # those that wait for room go before those that lost theirs
        while request != NONE and owned_by(settings, core.requests[request], index) == 0:
            ahead = request
            request = core.requests[request].next
    if request == NONE:
        return False
    record = core.requests[request]
    known = record.prompt + record.emitted
    reused = 0
    if owned_by(settings, record, index) == 0:
        blocks = resident_blocks(core, pools, index, request, (known - 1) // settings.block)
        used = used_blocks(core, pools, index, request, blocks)
        if -(-known // settings.block) - used > settings.pool - worker.active:
            return False
        reused = blocks * settings.block
    following = record.next
    if not _schedule(core, pools, index, request, reused):
        return False
    if settings.aggregated == 1 or index < settings.prefill_workers:
        record.prefill_hit = max(record.prefill_hit, reused)  # of its best admission, as the reference has it
        if np.isnan(record.prefill_start):
            record.stage = PREFILLING
            record.prefill_start = now
    if ahead == NONE:
        worker.wait_head = following
    else:
        core.requests[ahead].next = following
        if following == NONE:
            worker.wait_tail = ahead
    _enter(core.requests, worker, request)
    return bool(record.took > 0 or worker.budget > 0)


@compiled
def ordered_pass(core: Core, pools: Pools, index: int, now: float) -> float:
    """Run one pass and return its end, which is `now` where nothing could be done."""
    settings = core.settings[0]
    worker = core.workers[index]
    worker.pass_no += 1
    worker.budget = settings.chunk
    worker.batch, worker.batch_before, worker.batch_reached, worker.preempted = 0, 0, 0, 0
    worker.batch_resumed = 0
    request = worker.first_running
    while request != NONE and worker.budget > 0:
        if not _schedule(core, pools, index, request, 0):
            break
        request = core.requests[request].after
    prompts = settings.aggregated == 1 or index < settings.prefill_workers
    most = settings.prefill_sequences if prompts else settings.decode_sequences
    while worker.preempted == 0 and worker.running < most:
        if not _admit_next(core, pools, index, now):
            break
    return _close(core, pools, index, now)


@compiled
def _close(core: Core, pools: Pools, index: int, now: float) -> float:
    """Time the pass that is planned and let its tokens go."""
    settings = core.settings[0]
    worker = core.workers[index]
    # nothing runs and nobody was made to wait: the next pass would be the same
    worker.stuck = 1 if worker.first_running == NONE and worker.preempted == 0 else 0
    prompts = settings.aggregated == 1 or index < settings.prefill_workers
    decoding, context, attended = 0, 0, 0.0
    request = worker.first_running
    while request != NONE:
        record = core.requests[request]
        if record.took_pass == worker.pass_no and record.took_prompt > 0:
            reached, before = record.took_before + record.took_prompt, record.took_before
            attended += float(reached) * float(reached) - float(before) * float(before)
        # a prompt's first token comes with its prefill; any later one is decoded, computed again or not
        first = record.emitted == 0 and prompts
        if record.computed >= record.prompt + record.emitted and not first:
            decoding += 1
            context += record.prompt + record.emitted
        request = record.after
    tokens = 0
    if worker.batch > 0:
        tokens = worker.batch * (worker.batch_reached // worker.batch - worker.batch_before // worker.batch)
    end = now + pass_ms(
        settings,
        worker.batch,
        float(tokens),
        attended,
        float(worker.batch_before),
        float(worker.batch_resumed),
        float(decoding),
        float(context),
    )
    request = worker.first_running
    while request != NONE:
        following = core.requests[request].after
        if core.requests[request].computed >= core.requests[request].prompt + core.requests[request].emitted:
            _emit(core, pools, index, request, end)
        request = following
    return end


@compiled
def _emit(core: Core, pools: Pools, index: int, request: int, end: float) -> None:
    """Let a computed sequence emit a token, or be held where that is what its worker is for."""
    settings = core.settings[0]
    worker = core.workers[index]
    record = core.requests[request]
    if index < settings.prefill_workers:
        _leave(core.requests, worker, request)
        join_done(core.requests, worker, request)
        return
    record.stage = DECODING
    record.emitted += 1
    if np.isnan(record.held):
        record.held = end
    if np.isnan(record.first):
        record.first = end
    elif record.emitted == 2 and settings.first_token != FROM_DECODE_STEP and settings.aggregated == 0:
        record.second = end
    if record.emitted == record.output:
        record.stage = COMPLETED
        record.last = end
        core.clock[0].done += 1
        worker.leaving += 1
        worker.freed += 1
        _leave(core.requests, worker, request)
        release_blocks(core, pools, index, request)


@compiled
def cancel_blocks(core: Core, pools: Pools, request: int, owner: int, stage: int) -> None:
    """Give up what a cancelled request holds, on the prefill worker and on the decode or aggregated one."""
    settings = core.settings[0]
    record = core.requests[request]
    if settings.aggregated == 0 and record.source_blocks > 0:
        source = record.prefill_worker
        if stage == PREFILLING and _runs(core, source, request):
            _leave(core.requests, core.workers[source], request)
        release_blocks(core, pools, source, request)
    if owner == NONE:
        return
    if _runs(core, owner, request) and stage != SOURCE_HELD and stage != ON_LINK:
        _leave(core.requests, core.workers[owner], request)
    core.workers[owner].freed += 1
    if record.blocks > 0:
        release_blocks(core, pools, owner, request)


@compiled
def _runs(core: Core, index: int, request: int) -> bool:
    """Say whether a request is among those that run on a worker."""
    record = core.requests[request]
    return bool(record.before != NONE or core.workers[index].first_running == request)
