"""Keys that single layers override: `per_layer_config`, as later versions of transformers write it."""

from __future__ import annotations

from collections.abc import Mapping

from aisim_model.models.kv_cache.keys import Keys

NAME = "per_layer_config"


def layer_keys(keys: Keys, layers: int) -> list[Keys]:
    """Return the keys of each layer, first layer first: the same object where layers override alike."""
    found, alike = [keys] * layers, dict[str, Keys]()
    for place, override in keys.sub(NAME).config.items() if keys.has(NAME) else ():
        index = keys.checked(NAME, _number(place), low=0, high=layers - 1)
        if not isinstance(override, Mapping):
            raise keys.refused(f"{NAME}.{place}", override, "must be an object")
        text = repr(override)
        if text not in alike:
            alike[text] = keys.replaced(override)
            alike[text].path = f"{keys.path}{NAME}.{place}."
        found[index] = alike[text]
    return found


def _number(place: object) -> object:
    """Return a layer's number; as it stands where it is none."""
    return int(place) if isinstance(place, str) and place.isdecimal() and len(place) < 9 else place
