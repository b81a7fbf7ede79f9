"""Cancellation: a request leaves wherever it is, and what it held is given up."""

from __future__ import annotations

import numpy as np

from aisim_model.replay.compiled import Records, compiled
from aisim_model.replay.layout import (
    CANCELLED,
    COMPLETED,
    DECODING,
    NONE,
    NOT_ARRIVED,
    ON_LINK,
)
from aisim_model.replay.links import leave_link
from aisim_model.replay.ordered import cancel_blocks
from aisim_model.replay.passes import stop_decoding
from aisim_model.replay.state import Core, Pools


@compiled
def owner_of(core: Core, request: int) -> int:
    """Return the worker that decodes a request or is to decode it, or NONE."""
    settings = core.settings[0]
    record = core.requests[request]
    if settings.aggregated == 1:
        return int(record.prefill_worker)
    if record.decode_worker == NONE:
        return NONE
    return int(settings.prefill_workers + record.decode_worker)


@compiled
def cancel(
    core: Core, pools: Pools | None, links: Records | None, request: int, owner: int, now: float
) -> None:
    """Cancel a request: events that wait for it are retired, nothing of it is activated any more.

    The passes of its owner must have been seen up to now.
    """
    settings = core.settings[0]
    record = core.requests[request]
    stage = record.stage
    running_out = stage == COMPLETED and record.last > now  # its last pass is on, and settled since it began
    if stage >= COMPLETED and not running_out:
        return
    record.stage = CANCELLED
    record.cancelled = now
    if record.first > now:
        record.first = np.nan
    if record.second > now:
        record.second = np.nan
    if running_out:
        record.last = np.nan
        return
    core.clock[0].done += 1
    if stage != NOT_ARRIVED:
        core.clock[0].left += 1
    if settings.aggregated == 0 and not np.isnan(record.granted):
        core.workers[owner].held -= 1
    if pools is not None:
        cancel_blocks(core, pools, request, owner, stage)
    elif stage == DECODING:
        stop_decoding(core.requests, core.workers[owner], request)
    if links is not None and stage == ON_LINK and record.link_start == record.link_start:
        leave_link(core, request, now)
