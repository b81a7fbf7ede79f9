"""Workers over time: passes back to back while there is work, looked at when something depends on them."""

from __future__ import annotations

from aisim_model.replay.compiled import compiled
from aisim_model.replay.events import DECODE_ENDED, PREFILL_ENDED
from aisim_model.replay.heaps import push_event
from aisim_model.replay.layout import NONE
from aisim_model.replay.ordered import ordered_pass
from aisim_model.replay.passes import decode_pass, next_waiting, prompt_pass, run_steady
from aisim_model.replay.state import Caches, Core, Pools


@compiled
def takes_prompts(core: Core, index: int) -> bool:
    """Say whether a worker computes prompts: prefill workers do, aggregated ones, and decode workers not."""
    settings = core.settings[0]
    return bool(settings.aggregated == 1 or index < settings.prefill_workers)


@compiled
def has_work(core: Core, index: int) -> bool:
    """Say whether a worker could start a pass."""
    worker = core.workers[index]
    return bool(
        worker.decoding > 0
        or worker.in_progress != NONE
        or worker.first_running != NONE
        or next_waiting(core.requests, worker) != NONE
    )


@compiled
def start_pass(core: Core, caches: Caches, pools: Pools | None, index: int, now: float) -> None:
    """Start a pass on an idle worker; what it does is settled now and seen at its end."""
    worker = core.workers[index]
    if pools is not None:
        end = ordered_pass(core, pools, index, now)
    elif takes_prompts(core, index):
        end = prompt_pass(core, caches, index, now)
    else:
        end = decode_pass(core, index, now)
    worker.end = end
    worker.busy = 1
    worker.busy_ms += end - now


@compiled
def announce_end(core: Core, index: int) -> None:
    """Enter the end of a running pass as an event, once, because something waits for it."""
    worker = core.workers[index]
    if worker.loud == 0:
        worker.loud = 1
        kind = PREFILL_ENDED if index < core.settings[0].prefill_workers else DECODE_ENDED
        push_event(core, worker.end, kind + index)


@compiled
def catch_up(core: Core, caches: Caches, pools: Pools | None, index: int, now: float) -> None:
    """Run the passes of a worker that nothing waited for which end before `now`; idle where one ends now.

    Once workers have been looked at in this instant, what ends now has been followed by the next pass.
    """
    settings = core.settings[0]
    worker = core.workers[index]
    if worker.loud == 1:
        return
    while worker.busy == 1 and (worker.end < now or (worker.end == now and core.clock[0].driven == 1)):
        worker.busy = 0
        if not has_work(core, index):
            return
        if pools is None:
            worker.end = run_steady(settings, core.requests, worker, worker.end, now)
        start_pass(core, caches, pools, index, worker.end)
        if worker.stuck == 1:
            worker.busy = 0
            return
    if worker.busy == 1 and worker.end == now:
        worker.busy = 0
