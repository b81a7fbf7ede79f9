"""What orders the layouts of a search: meeting the targets, then price, load or GPUs; the least first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from aisim_model.plan.evaluate import Block, Estimated, Floats
from aisim_model.row.cost import per_million
from aisim_model.scenario.planning import Objective

Key = tuple[float, float, float, float]  # whether and by how much it misses, then two by the objective

CHUNK = 256  # layouts whose most load is sought at a time


def keyed(
    block: Block, here: Estimated, objective: Objective, kept: int, known: list[Key]
) -> Iterator[tuple[Key, int]]:
    """Return the keys and places of the layouts of a block that may be among the best.

    A layout is told of once, with the limit of sequences and the budget of a pass that serve it best.

    Parameters
    ----------
    block : Block
        The layouts.
    here : Estimated
        What they reach at the load that is asked for; alone where none is.
    objective : {"cost", "goodput", "gpus"}
        What counts.
    kept : int
        How many are the best [-].
    known : list of Key
        Keys of the best so far, each of another layout, least first.
    """
    asked = block.workload.is_loaded
    missing, meeting = np.flatnonzero(~here.meets), np.flatnonzero(here.meets)
    nothing = np.zeros(missing.size)
    yield from _least(block, missing, (here.missed[missing], nothing, nothing), 1.0, kept)
    if not asked or objective == "goodput":
        yield from _by_load(block, meeting, objective, kept, known)
        return
    price, gpus = here.usd_per_million[meeting], block.gpus[meeting].astype(np.float64)
    leads = (gpus, price) if objective == "gpus" else (price, -here.share[meeting])
    yield from _least(block, meeting, (np.zeros(meeting.size), *leads), 0.0, kept)


def _least(
    block: Block, places: npt.NDArray[np.intp], keys: tuple[Floats, ...], misses: float, kept: int
) -> Iterator[tuple[Key, int]]:
    """Return the least keys of some layouts of a block, one a layout."""
    told: set[object] = set()
    for index in np.lexsort((block.order[places], *reversed(keys))):
        if len(told) == kept:
            return
        place = int(places[index])
        if (layout := block.layout(place)) not in told:
            told.add(layout)
            over, one, two = (float(key[index]) for key in keys)
            yield (misses, over, one, two), place


def _by_load(
    block: Block, places: npt.NDArray[np.intp], objective: Objective, kept: int, known: list[Key]
) -> Iterator[tuple[Key, int]]:
    """Order layouts by their most load within the targets, sought only of those that may be among the best.

    None carries more than before a resource is full, and what that would make of a layout bounds it.
    """
    part = block.take(places)
    ideal = _leads(part, part.most_per_s, objective)
    order = np.lexsort((part.order, ideal[1], ideal[0]))
    best = [key for key in known if key[0] == 0.0]
    found: dict[object, tuple[Key, int, int]] = {}
    for start in range(0, len(part), CHUNK):
        chunk = order[start : start + CHUNK]
        bound = (0.0, 0.0, float(ideal[0][chunk[0]]), float(ideal[1][chunk[0]]))
        least = sorted([*best, *(key for key, _, _ in found.values())])
        if len(least) >= kept and bound > least[kept - 1]:
            break
        taken = part.take(chunk)
        one, two = _leads(taken, taken.carries(), objective)
        for index in range(len(taken)):
            key = (0.0, 0.0, float(one[index]), float(two[index]))
            told = key, int(taken.order[index]), int(places[chunk[index]])
            layout = taken.layout(index)
            found[layout] = min(found.get(layout, told), told)
    yield from ((key, place) for key, _, place in sorted(found.values())[:kept])


def _leads(block: Block, carried: Floats, objective: Objective) -> tuple[Floats, Floats]:
    price = per_million(block.price, carried, block.workload.mean_output_tokens)
    if objective == "goodput":
        return -carried, price
    return (block.gpus.astype(np.float64) if objective == "gpus" else price), -carried
