"""Which leading blocks of a prompt a worker has seen, with caches that forget nothing.

A prompt is a path from the root of a tree: equal leading hash ids are the same nodes. What a worker has seen
of a node is a number of engine blocks that end in it, so a lookup costs one step a hash id, whatever the
block size.
"""

from __future__ import annotations

import numpy as np

from aisim_model.replay.compiled import Integers, Records, compiled, entry
from aisim_model.replay.layout import NONE
from aisim_model.replay.state import Caches

SMALLEST_GAP = 1024  # spare ids that are cheaper to leave unused than to number anew
LOW_BITS, MULTIPLIER = 2**31 - 1, 0x9E3779B1


@compiled
def slot_of(keys: Integers, key: int) -> int:
    """Return the slot of a key, or where it belongs, in a table whose size is a power of two."""
    mask = len(keys) - 1
    mixed = ((key & LOW_BITS) * MULTIPLIER) ^ (key >> 31)  # stays below 2^63
    slot = (mixed >> 16) & mask
    while keys[slot] != NONE and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@entry
def _ids_are_nodes(ids: Integers, offsets: Integers, parents: Integers) -> bool:
    """Say whether every id always follows the same id, so that ids themselves name the nodes of the tree."""
    for request in range(len(offsets) - 1):
        parent = NONE
        for place in range(offsets[request], offsets[request + 1]):
            node = ids[place]
            if parents[node] == -2:
                parents[node] = parent
            elif parents[node] != parent:
                return False
            parent = node
    return True


@entry
def _number_nodes(
    ids: Integers, offsets: Integers, distinct: int, keys: Integers, numbers: Integers
) -> Integers:
    """Give each node of the tree, which is a parent and an id, a number."""
    nodes = np.empty(len(ids), np.int64)
    known = 0
    for request in range(len(offsets) - 1):
        parent = NONE
        for place in range(offsets[request], offsets[request + 1]):
            slot = slot_of(keys, (parent + 1) * distinct + ids[place])
            if keys[slot] == NONE:
                keys[slot] = (parent + 1) * distinct + ids[place]
                numbers[slot] = known
                known += 1
            parent = numbers[slot]
            nodes[place] = parent
    return nodes


def table_size(entries: int) -> int:
    """Return a power of two at least twice `entries`.

    Examples
    --------
    >>> table_size(3)
    8
    """
    return 1 << max(2 * entries - 1, 7).bit_length()


def nodes_of(ids: Integers, offsets: Integers) -> tuple[Integers, int]:
    """Return the tree node of every hash id, and how many nodes to make room for.

    Parameters
    ----------
    ids, offsets : array of int64
        Hash ids of all requests, and where each request's begin.

    Returns
    -------
    tuple of array of int64 and int
        Node of each id [-], and a number above the largest node.

    Examples
    --------
    >>> import numpy as np
    >>> nodes_of(np.array([7, 9, 7, 9, 9]), np.array([0, 2, 4, 5]))[0].tolist()
    [0, 1, 0, 1, 2]
    """
    if ids.size == 0:
        return ids, 0
    lowest, highest = int(ids.min()), int(ids.max())
    if lowest >= 0 and highest < 4 * ids.size + SMALLEST_GAP:
        numbered, distinct = ids, highest + 1
    else:
        values, numbered = np.unique(ids, return_inverse=True)
        distinct = values.size
    if _ids_are_nodes(numbered, offsets, np.full(distinct, -2, np.int64)):
        return numbered, distinct
    size = table_size(ids.size)
    nodes = _number_nodes(
        numbered, offsets, distinct, np.full(size, NONE, np.int64), np.empty(size, np.int64)
    )
    return nodes, int(nodes.max()) + 1


@compiled
def _place(caches: Caches, key: int) -> int:
    """Return where a worker's count of a node stands: straight, or through the table of keys."""
    return key if len(caches.keys) == 0 else slot_of(caches.keys, key)


@compiled
def seen_blocks(settings: Records, request: Records, worker: int, caches: Caches) -> int:
    """Count the leading engine blocks of a prompt that a worker has seen."""
    block, trace_block = settings.block, settings.trace_block
    blocks = 0
    for depth in range(request.hash_count):
        here = (depth + 1) * trace_block // block - depth * trace_block // block
        node = caches.nodes[request.first_hash + depth]
        found = int(caches.seen[_place(caches, worker * settings.nodes + node)])
        if found < here:
            return blocks + found
        blocks += here
    return blocks


@compiled
def see_blocks(
    settings: Records, request: Records, worker: int, caches: Caches, known: int, blocks: int
) -> None:
    """Note that a worker now holds the first `blocks` engine blocks of a prompt, of which it had `known`."""
    block, trace_block = settings.block, settings.trace_block
    for depth in range(known * block // trace_block, request.hash_count):
        before = depth * trace_block // block
        here = min((depth + 1) * trace_block // block, blocks) - before
        if before >= blocks:
            return
        if here <= 0:
            continue
        key = worker * settings.nodes + caches.nodes[request.first_hash + depth]
        place = _place(caches, key)
        if len(caches.keys) > 0:
            caches.keys[place] = key
        if caches.seen[place] < here:
            caches.seen[place] = here
