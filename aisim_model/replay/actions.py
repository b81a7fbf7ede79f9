"""What follows from an event within its instant: actions in a queue, and workers to look at again."""

from __future__ import annotations

from aisim_model.replay.compiled import compiled
from aisim_model.replay.events import DRIVE
from aisim_model.replay.heaps import push_event
from aisim_model.replay.state import Core


@compiled
def act(core: Core, code: int) -> None:
    """Put an action at the end of this instant's queue."""
    clock = core.clock[0]
    place = (clock.queue_head + clock.queue_size) % len(core.events)
    core.events[place].action = code
    clock.queue_size += 1


@compiled
def mark(core: Core, index: int, now: float) -> None:
    """Remember to see, at the end of this instant, whether a worker can start a pass."""
    worker = core.workers[index]
    if worker.marked == 0:
        worker.marked = 1
        push_event(core, now, DRIVE + index)
