"""Sizes under names that no config of transformers has: camel case, and heads in other words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from aisim_model.models.kv_cache.families.by_kind import HEAD_SIZES
from aisim_model.models.kv_cache.families.heads import HEAD_DIMS
from aisim_model.models.kv_cache.keys import KV_HEADS

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HEAD = frozenset({"head", "heads"})
_KV_WORDS = _HEAD | {"n", "num", "number", "of", "count", "kv", "key", "value", "attention", "attn"}
_SIZE_WORDS = _HEAD | {"attention", "attn", "att", "dim", "dims", "dimension", "size", "width", "per", "d"}
_KV_NAMES = (*KV_HEADS, "num_key_value_heads_per_layer", "multi_query_group_num", "multi_query")
_SIZE_NAMES = (*HEAD_SIZES, *(name for names in HEAD_DIMS for name in names))


def with_known_names(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """Return a config with KV heads and a head's size under the names that are read, and what was renamed.

    A name that is known goes before one in other words.

    Examples
    --------
    >>> found, said = with_known_names({"numHiddenLayers": 2, "kv_head_count": 8})
    >>> found, said
    ({'num_hidden_layers': 2, 'num_key_value_heads': 8}, ['kv_head_count is read as num_key_value_heads.'])
    """
    found: dict[str, Any] = {}
    for name, value in config.items():
        snake = _CAMEL.sub("_", str(name)).lower().replace("-", "_") if _is_foreign(str(name)) else name
        found[name if snake in config or snake in found else snake] = value
    said = []
    for known, names, is_one in (
        ("num_key_value_heads", _KV_NAMES, _is_kv_heads),
        ("head_dim", _SIZE_NAMES, _is_head_size),
    ):
        if any(found.get(name) is not None for name in names):
            continue
        others = [name for name, value in found.items() if type(value) is int and is_one(str(name))]
        if len(others) == 1:
            found[known] = found.pop(others[0])
            said.append(f"{others[0]} is read as {known}.")
    return found, said


def _is_foreign(name: str) -> bool:
    return "-" in name or _CAMEL.search(name) is not None


def _is_kv_heads(name: str) -> bool:
    words = set(name.split("_"))
    of_kv = "kv" in words or {"key", "value"} <= words
    return of_kv and words <= _KV_WORDS and (bool(words & _HEAD) or words <= {"n", "num", "kv"})


def _is_head_size(name: str) -> bool:
    words = set(name.split("_"))
    return bool(words & _HEAD) and words <= _SIZE_WORDS and not words <= _HEAD | {"attention", "attn", "att"}
