"""You only cache once (SambaY): Mamba and windows below, one layer in full, an upper half that reads it."""

from __future__ import annotations

from collections.abc import Sequence

from aisim_model.models.kv_cache.families.base import FULL, NONE, Family, Kind, keep_nothing_else, layer_count
from aisim_model.models.kv_cache.keys import Keys


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    every = keys.whole("mb_per_layer")
    if every is None:
        return None
    count = layer_count(keys)
    middle = count // 2  # the last Mamba layer; the one after it holds the cache that the rest reads
    keys.note(f"Layers from {middle + 2} on keep nothing: they read the cache of layer {middle + 1}.")
    kinds: list[Kind] = []
    for index in range(count):
        if index > middle + 1:
            kinds.append(NONE)
        elif index % every == 0:
            kinds.append(Kind("mamba"))
        else:
            kinds.append(FULL if index > middle else Kind("sliding"))
    return kinds


FAMILY = Family("yoco", "Phi-4-mini-flash", _pattern, keep_nothing_else)
