"""Cancellation: a request leaves wherever it is, and what it held is given up."""

from __future__ import annotations

import numpy as np

from aisim_model.replay.compiled import Records, compiled
from aisim_model.replay.layout import (
    CANCELLED,
    COMPLETED,
    CONTENTION_FIFO,
    DECODING,
    NONE,
    ON_LINK,
)
from aisim_model.replay.links import cancel_share, leave_link
from aisim_model.replay.ordered import cancel_blocks
from aisim_model.replay.passes import stop_decoding
from aisim_model.replay.state import Caches, Core, Pools
from aisim_model.replay.workers import catch_up


@compiled
def cancel(
    core: Core, caches: Caches, pools: Pools | None, links: Records | None, request: int, now: float
) -> int:
    """Cancel a request: events that wait for it are retired, nothing of it is activated any more.

    Returns the worker whose passes were looked at for it, or NONE.
    """
    settings = core.settings[0]
    record = core.requests[request]
    stage = record.stage
    owner = NONE
    if settings.aggregated:
        owner = record.prefill_worker
    elif record.decode_worker != NONE:
        owner = settings.prefill_workers + record.decode_worker
    if owner != NONE:
        catch_up(core, caches, pools, owner, now)
        stage = record.stage
    if stage in (COMPLETED, CANCELLED):
        return int(owner)
    record.stage = CANCELLED
    record.cancelled = now
    settings.done += 1
    if record.first > now:
        record.first = np.nan
    if record.second > now:
        record.second = np.nan
    if pools is not None:
        cancel_blocks(core, pools, request, owner, stage)
    elif stage == DECODING:
        stop_decoding(core.requests, core.workers[owner], request)
    if links is not None and stage == ON_LINK and record.link_start == record.link_start:
        if settings.contention == CONTENTION_FIFO:
            leave_link(core, request, now)
        else:
            cancel_share(core, request, now)
    return int(owner)
