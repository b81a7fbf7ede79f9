"""A worker's pool of KV blocks that can run full: who owns what, what may be reused, and what goes first.

A block is private until it is complete; then, with caching, it becomes a copy that other prompts may share.
A copy that nobody uses stays until room is needed, the longest unused goes first. Without caching a pool is a
count.
"""

from __future__ import annotations

from aisim_model.replay.compiled import Records, compiled
from aisim_model.replay.layout import NONE, PRIVATE
from aisim_model.replay.prefixes import LOW_BITS, MULTIPLIER
from aisim_model.replay.state import Core, Pools


@compiled
def free_blocks(settings: Records, worker: Records) -> int:
    """Count the blocks that hold nothing."""
    return int(settings.pool - worker.active - worker.inactive)


@compiled
def owned_by(settings: Records, record: Records, index: int) -> int:
    """Count the blocks that a request owns on a worker; it may own some on a prefill and a decode worker."""
    return int(record.source_blocks if index < settings.prefill_workers else record.blocks)


@compiled
def _own(settings: Records, record: Records, index: int, count: int) -> None:
    if index < settings.prefill_workers:
        record.source_blocks = count
    else:
        record.blocks = count


@compiled
def _first_slot(settings: Records, record: Records, index: int) -> int:
    return int(record.first_source if index < settings.prefill_workers else record.first_block)


@compiled
def _key(core: Core, pools: Pools, index: int, request: int, block: int) -> int:
    """Name the content of a block on a worker: the path of hash ids to its end, or the request's own."""
    settings = core.settings[0]
    record = core.requests[request]
    end = (block + 1) * settings.block
    depth = -(-end // settings.trace_block) - 1
    if depth < record.hash_count and end <= record.prompt:
        node = pools.nodes[record.first_hash + depth]
        name = node * settings.node_blocks + block - depth * settings.trace_block // settings.block
    else:
        name = settings.nodes * settings.node_blocks + record.first_block + block
    return int(name * len(core.workers) + index)


@compiled
def _bucket(pools: Pools, key: int) -> int:
    return (((key & LOW_BITS) * MULTIPLIER) ^ (key >> 31)) % len(pools.copies)


@compiled
def _find(pools: Pools, key: int) -> int:
    """Return the oldest copy of a content, or NONE."""
    copy = pools.copies[_bucket(pools, key)].chain
    while copy != NONE and pools.copies[copy].key != key:
        copy = pools.copies[copy].next
    return int(copy)


@compiled
def _use(worker: Records, pools: Pools, copy: int) -> None:
    """Share a copy; one that nobody used leaves the queue of those to go."""
    record = pools.copies[copy]
    if record.uses == 0:
        if record.older == NONE:
            worker.oldest = record.newer
        else:
            pools.copies[record.older].newer = record.newer
        if record.newer == NONE:
            worker.newest = record.older
        else:
            pools.copies[record.newer].older = record.older
        worker.inactive -= 1
        worker.active += 1
    record.uses += 1


@compiled
def _unuse(worker: Records, pools: Pools, copy: int) -> None:
    """Stop sharing a copy; the last one out leaves it at the end of the queue of those to go."""
    record = pools.copies[copy]
    record.uses -= 1
    if record.uses > 0:
        return
    record.older, record.newer = worker.newest, NONE
    if worker.newest == NONE:
        worker.oldest = copy
    else:
        pools.copies[worker.newest].newer = copy
    worker.newest = copy
    worker.inactive += 1
    worker.active -= 1


@compiled
def _evict(core: Core, worker: Records, pools: Pools) -> None:
    """Forget the copy that nobody has used for longest."""
    copy = worker.oldest
    record = pools.copies[copy]
    worker.oldest = record.newer
    if worker.oldest == NONE:
        worker.newest = NONE
    else:
        pools.copies[worker.oldest].older = NONE
    worker.inactive -= 1
    bucket = pools.copies[_bucket(pools, record.key)]
    if bucket.chain == copy:
        bucket.chain = record.next
    else:
        before = bucket.chain
        while pools.copies[before].next != copy:
            before = pools.copies[before].next
        pools.copies[before].next = record.next
    record.next = core.clock[0].unused_copy
    core.clock[0].unused_copy = copy


@compiled
def _make_copy(core: Core, pools: Pools, key: int) -> int:
    """Let others share a private block from now on."""
    copy = core.clock[0].unused_copy
    if copy == NONE:
        return PRIVATE  # more duplicates than there is a record for: this one stays unshared
    record = pools.copies[copy]
    core.clock[0].unused_copy = record.next
    record.key, record.uses, record.next = key, 1, NONE
    bucket = pools.copies[_bucket(pools, key)]
    if bucket.chain == NONE:
        bucket.chain = copy
    else:
        last = bucket.chain
        while pools.copies[last].next != NONE:
            last = pools.copies[last].next
        pools.copies[last].next = copy
    return int(copy)


@compiled
def resident_blocks(core: Core, pools: Pools, index: int, request: int, limit: int) -> int:
    """Count the leading blocks of a request, up to `limit`, of which the worker has a copy."""
    if core.settings[0].caching == 0:
        return 0
    block = 0
    while block < limit and _find(pools, _key(core, pools, index, request, block)) != NONE:
        block += 1
    return block


@compiled
def used_blocks(core: Core, pools: Pools, index: int, request: int, blocks: int) -> int:
    """Count those of the leading blocks, all resident, that somebody uses."""
    used = 0
    for block in range(blocks):
        copy = _find(pools, _key(core, pools, index, request, block))
        if pools.copies[copy].uses > 0:
            used += 1
    return used


@compiled
def allocate(core: Core, pools: Pools, index: int, request: int, total: int, reused: int) -> bool:
    """Let a request own `total` blocks, the first `reused` of them shared; return False without room."""
    settings = core.settings[0]
    worker = core.workers[index]
    record = core.requests[request]
    owned = owned_by(settings, record, index)
    if total <= owned:
        return True
    shared = max(reused - owned, 0)
    fresh = total - owned - shared
    evictions = max(fresh - free_blocks(settings, worker), 0)
    if evictions > 0:
        unused = shared - used_blocks(core, pools, index, request, shared) if shared > 0 else 0
        if evictions > worker.inactive - unused:
            return False
    _own(settings, record, index, total)
    if settings.caching == 0:
        worker.active += fresh
        return True
    slot = _first_slot(settings, record, index)
    for block in range(owned, owned + shared):
        copy = _find(pools, _key(core, pools, index, request, block))
        _use(worker, pools, copy)
        pools.owned[slot + block] = copy
    for _ in range(evictions):
        _evict(core, worker, pools)
    worker.active += fresh
    for block in range(owned + shared, total):
        pools.owned[slot + block] = PRIVATE
    return True


@compiled
def share_complete(core: Core, pools: Pools, index: int, request: int, before: int, reached: int) -> None:
    """Make copies of the blocks that the tokens from `before` to `reached` complete."""
    settings = core.settings[0]
    if settings.caching == 0:
        return
    slot = _first_slot(settings, core.requests[request], index)
    for block in range(before // settings.block, reached // settings.block):
        if pools.owned[slot + block] == PRIVATE:
            key = _key(core, pools, index, request, block)
            pools.owned[slot + block] = _make_copy(core, pools, key)


@compiled
def release_blocks(core: Core, pools: Pools, index: int, request: int) -> None:
    """Give up all blocks of a request on a worker, the last first, so that leaves go before their parents."""
    settings = core.settings[0]
    worker = core.workers[index]
    record = core.requests[request]
    owned = owned_by(settings, record, index)
    _own(settings, record, index, 0)
    if settings.caching == 0:
        worker.active -= owned
        return
    slot = _first_slot(settings, record, index)
    for block in range(owned - 1, -1, -1):
        copy = int(pools.owned[slot + block])
        if copy == PRIVATE:
            worker.active -= 1
        else:
            _unuse(worker, pools, copy)
