"""One pass of a worker whose pool can't run full: what is scheduled, how long it takes, who is then done.

Sequences that decode need no visit in a pass: each takes a token, so a worker keeps their number, the tokens
they hold together, and a heap of the passes after which they finish.
"""

from __future__ import annotations

from aisim_model.passes.registry import Kind
from aisim_model.replay.chains import join_done
from aisim_model.replay.compiled import Records, compiled
from aisim_model.replay.heaps import added, merged
from aisim_model.replay.layout import CANCELLED, COMPLETED, DECODING, NONE, PREFILLING
from aisim_model.replay.prefixes import see_blocks, seen_blocks
from aisim_model.replay.state import Caches, Core
from aisim_model.replay.timing import pass_ms, step_ms

LINE = int(Kind.LINE)  # a step of this kind takes the same whatever it works on
MOST_SINGLE_STEPS = 100_000  # longer runs of equal passes are multiplied, not added one by one


@compiled
def start_decoding(requests: Records, worker: Records, request: int) -> None:
    """Let a sequence take a token in every pass from the coming one on."""
    record = requests[request]
    record.stage = DECODING
    worker.decoding += 1
    worker.context += record.prompt + record.emitted
    last_pass = worker.pass_no + record.output - record.emitted
    worker.in_heap = added(requests, worker.in_heap, request, float(last_pass))


@compiled
def stop_decoding(requests: Records, worker: Records, request: int) -> None:
    """Take a cancelled sequence out of the passes to come; its place in the heap is skipped when met."""
    record = requests[request]
    worker.decoding -= 1
    worker.context -= record.prompt + record.output - (int(record.key) - worker.pass_no)


@compiled
def finish_sequences(requests: Records, worker: Records, end: float) -> int:
    """Drop the sequences whose last token leaves at the end of this pass and return how many they were."""
    finished = 0
    while worker.in_heap != NONE and requests[worker.in_heap].key <= worker.pass_no:
        record = requests[worker.in_heap]
        worker.in_heap = merged(requests, record.left, record.right)
        if record.stage != CANCELLED:
            record.stage = COMPLETED
            record.last = end
            worker.decoding -= 1
            worker.held -= 1
            worker.context -= record.prompt + record.output
            finished += 1
    return finished


@compiled
def next_waiting(requests: Records, worker: Records) -> int:
    """Return the request at the head of the queue, past those that are over, without taking it."""
    while worker.wait_head != NONE and requests[worker.wait_head].stage >= COMPLETED:
        worker.wait_head = requests[worker.wait_head].next
    return int(worker.wait_head)


@compiled
def admit_activated(settings: Records, requests: Records, worker: Records) -> int:
    """Let activated sequences into the batch of a decode worker and return the first of their chain."""
    first = NONE
    last = NONE
    while worker.decoding < settings.decode_sequences and next_waiting(requests, worker) != NONE:
        request = worker.wait_head
        worker.wait_head = requests[request].next
        start_decoding(requests, worker, request)
        requests[request].next = NONE
        if first == NONE:
            first = request
        else:
            requests[last].next = request
        last = request
    return first


@compiled
def note_first_tokens(requests: Records, first: int, end: float) -> None:
    """Write down when the first token of each sequence of a chain leaves this decode worker."""
    while first != NONE:
        record = requests[first]
        if record.emitted == 0:
            record.first = end
        else:
            record.second = end
        first = record.next


@compiled
def decode_pass(core: Core, index: int, now: float) -> float:
    """Run one pass of a decode worker and return its end."""
    settings, requests, worker = core.settings[0], core.requests, core.workers[index]
    joined = admit_activated(settings, requests, worker)
    end = now + step_ms(settings, float(worker.decoding), float(worker.context))
    note_first_tokens(requests, joined, end)
    worker.pass_no += 1
    worker.context += worker.decoding
    finished = finish_sequences(requests, worker, end)
    core.clock[0].done += finished
    worker.leaving += finished
    return end


@compiled
def is_steady(worker: Records) -> bool:
    """Say whether the passes to come only give each sequence its next token."""
    return bool(
        worker.decoding > 0
        and worker.wait_head == NONE
        and worker.in_progress == NONE
        and worker.in_heap != NONE
    )


@compiled
def run_steady(settings: Records, requests: Records, worker: Records, now: float, until: float) -> float:
    """Run passes that nothing interrupts, while they end before `until` and no sequence finishes.

    Returns the end of the last of them, or `now` where there was none.
    """
    if not is_steady(worker):
        return now
    left = int(requests[worker.in_heap].key) - worker.pass_no - 1
    sequences = worker.decoding
    step = step_ms(settings, float(sequences), float(worker.context))
    constant = settings.decode_kind == LINE
    if constant and left > MOST_SINGLE_STEPS and step > 0.0:
        bulk = left if until >= now + step * left else max(int((until - now) / step) - 1, 0)
        worker.pass_no += bulk
        worker.context += bulk * sequences
        worker.busy_ms += bulk * step
        now, left = now + bulk * step, left - bulk
    while left > 0:
        if not constant:
            step = step_ms(settings, float(sequences), float(worker.context))
        if now + step >= until:
            break
        now += step
        worker.pass_no += 1
        worker.context += sequences
        worker.busy_ms += step
        left -= 1
    return now


@compiled
def skip_steps_of_no_time(settings: Records, requests: Records, worker: Records) -> None:
    """Give each sequence of a decode worker at once the tokens of all coming passes that take no time.

    None of them may be one in which a sequence finishes, and nothing may wait for their ends.
    """
    if settings.decode_kind != LINE or not is_steady(worker):
        return
    if step_ms(settings, float(worker.decoding), float(worker.context)) > 0.0:
        return
    left = int(requests[worker.in_heap].key) - worker.pass_no - 1
    if left > 0:
        worker.pass_no += left
        worker.context += left * worker.decoding


@compiled
def prompt_pass(core: Core, caches: Caches, index: int, now: float) -> float:
    """Run one pass of a prefill or aggregated worker and return its end."""
    settings, requests, worker = core.settings[0], core.requests, core.workers[index]
    budget = settings.chunk - worker.decoding
    sequences = worker.decoding
    decoding, context = worker.decoding, worker.context
    prompts, before_sum, reached_sum, resumed_sum, attended, finished = 0, 0, 0, 0, 0.0, 0
    request = worker.in_progress
    worker.in_progress = NONE
    if request != NONE and requests[request].stage == CANCELLED:
        request = NONE
    while budget > 0:
        if request == NONE:
            if sequences >= settings.prefill_sequences or next_waiting(requests, worker) == NONE:
                break
            request = worker.wait_head
            worker.wait_head = requests[request].next
            record = requests[request]
            record.stage = PREFILLING
            record.prefill_start = now
            if settings.caching:
                blocks = seen_blocks(settings, record, index, caches)
                # the last block is computed again even where it is held: its logits are needed
                blocks = min(blocks, (record.prompt - 1) // settings.block)
                record.prefill_hit = blocks * settings.block
            record.computed = record.prefill_hit
        record = requests[request]
        before = record.computed
        reached = min(record.prompt, before + budget)
        budget -= reached - before
        record.computed = reached
        prompts += 1
        sequences += 1
        before_sum += before
        reached_sum += reached
        resumed_sum += before - record.prefill_hit
        attended += float(reached) * float(reached) - float(before) * float(before)
        if settings.caching:
            known, held = before // settings.block, reached // settings.block
            see_blocks(settings, record, index, caches, known, held)
        if reached < record.prompt:
            worker.in_progress = request
            break
        join_done(requests, worker, request)
        request = NONE
    if request != NONE and worker.in_progress == NONE:
        worker.in_progress = request  # no budget was left for it
    tokens = 0
    if prompts > 0:
        tokens = prompts * (reached_sum // prompts - before_sum // prompts)
    end = now + pass_ms(
        settings,
        prompts,
        float(tokens),
        attended,
        float(before_sum),
        float(resumed_sum),
        float(decoding),
        float(context),
    )
    worker.pass_no += 1
    worker.context += worker.decoding
    finished += finish_sequences(requests, worker, end)
    if settings.aggregated:
        finished += _emit_first_tokens(requests, worker, end)
    core.clock[0].done += finished
    worker.leaving += finished
    return end


@compiled
def _emit_first_tokens(requests: Records, worker: Records, end: float) -> int:
    """Emit the first tokens of the prompts that an aggregated pass completes; count those that end there."""
    finished = 0
    while worker.done_head != NONE:
        request = worker.done_head
        record = requests[request]
        worker.done_head = record.next
        record.held = end
        record.first = end
        record.emitted = 1
        if record.output == 1:
            record.stage = COMPLETED
            record.last = end
            finished += 1
        else:
            start_decoding(requests, worker, request)
    return finished
