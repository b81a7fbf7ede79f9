"""Two heaps: one of events over arrays, and skew heaps of requests over their own records."""

from __future__ import annotations

from aisim_model.replay.compiled import Records, compiled
from aisim_model.replay.layout import NONE
from aisim_model.replay.state import Core


@compiled
def push_event(core: Core, time: float, code: int) -> None:
    """Add an event; events leave by time, then by code."""
    events, clock = core.events, core.clock[0]
    place = clock.heap_size
    clock.heap_size = place + 1
    while place > 0:
        parent = (place - 1) >> 1
        above = events[parent]
        if above.time < time or (above.time == time and above.code <= code):
            break
        events[place].time = above.time
        events[place].code = above.code
        place = parent
    events[place].time = time
    events[place].code = code


@compiled
def pop_event(core: Core) -> int:
    """Remove the first event and return its code."""
    events, clock = core.events, core.clock[0]
    first = events[0].code
    size = clock.heap_size - 1
    clock.heap_size = size
    time, code = events[size].time, events[size].code
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (
            events[other].time < events[child].time
            or (events[other].time == events[child].time and events[other].code < events[child].code)
        ):
            child = other
        below = events[child]
        if time < below.time or (time == below.time and code <= below.code):
            break
        events[place].time = below.time
        events[place].code = below.code
        place = child
    events[place].time = time
    events[place].code = code
    return int(first)


@compiled
def _leads(requests: Records, one: int, other: int) -> bool:
    mine, theirs = requests[one].key, requests[other].key
    return bool(mine < theirs or (mine == theirs and one < other))


@compiled
def merged(requests: Records, one: int, other: int) -> int:
    """Join two skew heaps and return the root; either may be NONE."""
    if one == NONE:
        return other
    if other == NONE:
        return one
    if _leads(requests, other, one):
        one, other = other, one
    root = one
    while True:
        rest = requests[one].right
        requests[one].right = requests[one].left
        if rest == NONE:
            requests[one].left = other
            return root
        if _leads(requests, other, rest):
            rest, other = other, rest
        requests[one].left = rest
        one = rest


@compiled
def added(requests: Records, root: int, request: int, key: float) -> int:
    """Put a request into a skew heap under a key and return the new root."""
    record = requests[request]
    record.key = key
    record.left = NONE
    record.right = NONE
    return merged(requests, root, request)
