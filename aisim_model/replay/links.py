"""Links: which one a transfer takes, and by which discipline; see `disciplines` for what these do."""

from __future__ import annotations

from aisim_model.replay.compiled import compiled
from aisim_model.replay.disciplines import enter_alone, enter_fair, enter_fifo, leave_fair, leave_fifo
from aisim_model.replay.events import LINK_ASKED
from aisim_model.replay.heaps import push_event
from aisim_model.replay.layout import CONTENTION_FIFO, CONTENTION_NONE, SCOPE_DESTINATION, SCOPE_SOURCE
from aisim_model.replay.state import Core


@compiled
def _link_of(core: Core, request: int) -> int:
    """Return the worker that keeps a transfer's link; the first keeps the one that all share."""
    scope = core.settings[0].scope
    if scope == SCOPE_SOURCE:
        return int(core.requests[request].prefill_worker)
    if scope == SCOPE_DESTINATION:
        return int(core.settings[0].prefill_workers + core.requests[request].decode_worker)
    return 0


@compiled
def ask_link(core: Core, request: int, now: float) -> None:
    """Start a transfer that shares no link; one that does comes to it after all else of this instant."""
    if core.settings[0].contention == CONTENTION_NONE:
        enter_alone(core, request, now)
    else:
        push_event(core, now, LINK_ASKED + request)


@compiled
def enter_link(core: Core, request: int, now: float) -> None:
    """Let a transfer onto the link that it shares."""
    link = _link_of(core, request)
    if core.settings[0].contention == CONTENTION_FIFO:
        enter_fifo(core, link, request, now)
    else:
        enter_fair(core, link, request, now)


@compiled
def leave_link(core: Core, request: int, now: float) -> None:
    """Take a transfer off the link that it shares: a cancelled one, or at `fifo` one that has ended."""
    link = _link_of(core, request)
    if core.settings[0].contention == CONTENTION_FIFO:
        leave_fifo(core, link, request, now)
    else:
        leave_fair(core, link, now)
