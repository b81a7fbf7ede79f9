"""The transfer of a handoff: onto its link, over it, off it."""

from __future__ import annotations

from aisim_model.replay.actions import act
from aisim_model.replay.compiled import Records, compiled
from aisim_model.replay.disciplines import ended_fair
from aisim_model.replay.events import ACTIVATE
from aisim_model.replay.layout import NONE, ON_LINK, TRANSFERRED
from aisim_model.replay.links import ask_link, leave_link
from aisim_model.replay.state import Core
from aisim_model.replay.timing import transfer_ms


@compiled
def _alone_ms(settings: Records, tokens: int) -> float:
    """Time of a transfer that has its link to itself [ms]."""
    if settings.bytes_known == 0:
        return float(settings.fallback)
    fixed = settings.state_bytes
    for layer in range(settings.windows):
        fixed += settings.window_bytes[layer] * min(tokens, settings.window_tokens[layer])
    return float(transfer_ms(float(tokens), settings.bytes_per_token, fixed, settings.bandwidth))


@compiled
def start_transfer(core: Core, request: int, now: float) -> None:
    """Send what the destination lacks; nothing to send is sent at once."""
    record = core.requests[request]
    record.stage = ON_LINK
    record.link_asked = now
    record.alone = _alone_ms(core.settings[0], record.moved)
    if record.alone <= 0.0:
        record.link_start = now
        _arrive(core, request, now)
    else:
        ask_link(core, request, now)


@compiled
def _arrive(core: Core, request: int, now: float) -> None:
    """Note that the wire has done its part."""
    record = core.requests[request]
    record.wire_end = now
    record.stage = TRANSFERRED
    act(core, ACTIVATE + request)


@compiled
def end_transfer(core: Core, links: Records | None, request: int, now: float) -> None:
    """End a transfer that had its link to itself, unless it was cancelled before."""
    if core.requests[request].stage == ON_LINK:
        _arrive(core, request, now)
        if links is not None:
            leave_link(core, request, now)


@compiled
def end_shared_transfers(core: Core, link: int, now: float) -> None:
    """End the transfers of a fair link whose shares are done now."""
    first = True
    while True:
        request = ended_fair(core, link, now, first)
        if request == NONE:
            return
        _arrive(core, request, now)
        first = False
