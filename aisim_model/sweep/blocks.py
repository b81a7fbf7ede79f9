"""A mesh in blocks: small enough for a core's cache, and each a run of points in the mesh's order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

BLOCK_POINTS = 49_152  # a few arrays of a block stay in the cache of a core
Block = tuple[slice, ...]


def blocks(mesh: tuple[int, ...], most: int = BLOCK_POINTS) -> Iterator[Block]:
    """Cut a mesh into blocks that are contiguous in its order, each of at most `most` points.

    Examples
    --------
    >>> [tuple((s.start, s.stop) for s in block) for block in blocks((3, 4), 8)]
    [((0, 2), (0, 4)), ((2, 3), (0, 4))]
    >>> len(list(blocks((3, 4), 3)))
    6
    """
    inner, cut = 1, len(mesh)
    while cut > 0 and inner * mesh[cut - 1] <= most:
        cut -= 1
        inner *= mesh[cut]
    whole = tuple(slice(0, size) for size in mesh[cut:])
    if cut == 0:
        yield whole
        return
    step, size = max(1, most // inner), mesh[cut - 1]
    for outer in itertools.product(*(range(n) for n in mesh[: cut - 1])):
        for start in range(0, size, step):
            part = slice(start, min(start + step, size))
            yield (*(slice(i, i + 1) for i in outer), part, *whole)


def points_of(block: Block) -> int:
    """Count the points of a block.

    Examples
    --------
    >>> points_of((slice(0, 2), slice(3, 7)))
    8
    """
    return math.prod(part.stop - part.start for part in block)
