"""Layers that others read: a list of the sources, or an entry a layer, told apart by one rule."""

from __future__ import annotations

import re

from aisim_model.models.kv_cache.families.base import NONE, fitted
from aisim_model.models.kv_cache.keys import Keys

_KV = re.compile(r"^(kv|key_value)(_cache)?_(source|src|owner)_(layers?|ids?|layer_(ids?|idxs?|indices))$")
_INDEX = re.compile(r"^(index|indexer)_(source|src|owner)_(layers?|ids?|layer_(ids?|idxs?|indices))$")


def kv_sources(keys: Keys, layers: int) -> frozenset[int] | None:
    """Return the layers that hold the keys and values which others read; None where no key says so."""
    return _sources(keys, _KV, layers)


def index_sources(keys: Keys, layers: int) -> frozenset[int] | None:
    """Return the layers with an indexer which others read; None where no key says so."""
    return _sources(keys, _INDEX, layers)


def _sources(keys: Keys, names: re.Pattern[str], layers: int) -> frozenset[int] | None:
    """Return the sources: fewer numbers than layers are sources, else each is its layer's own source.

    Sources rise from the first to the last. An entry of null or -1 is a layer that reads no other.
    """
    name = next((name for name in keys.config if names.match(name) and keys.has(name)), None)
    listed = keys.items(name) if name is not None else None
    if name is None or not listed:
        return None
    if len(listed) < layers and _rises(listed):
        return frozenset(keys.checked(name, place, low=0, high=layers - 1) for place in listed)
    fitted(keys, name, [NONE] * len(listed))
    own = [index if place is None or place == -1 else place for index, place in enumerate(listed)]
    places = [keys.checked(name, place, low=0, high=index) for index, place in enumerate(own)]
    return frozenset(index for index, place in enumerate(places) if place == index)


def _rises(listed: list[object]) -> bool:
    numbers = [place for place in listed if isinstance(place, int) and not isinstance(place, bool)]
    return len(numbers) == len(listed) and numbers == sorted(set(numbers))
