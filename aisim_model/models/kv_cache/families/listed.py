"""Configs that list the kind of each layer by name: `layer_types` and its older names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from aisim_model.models.kv_cache.families.base import (
    Family,
    Kind,
    fitted,
    in_turn,
    keep_nothing_else,
    layer_count,
)
from aisim_model.models.kv_cache.families.convolved import CONVOLVED, CONVOLVED_SLIDING, is_convolved
from aisim_model.models.kv_cache.families.linear import names_linear_heads
from aisim_model.models.kv_cache.families.mamba import STATE
from aisim_model.models.kv_cache.keys import Keys

MAX_NAME = 100
LISTS = ("layer_types", "layers_block_type", "layer_block_type", "attention_layers", "mixer_types")
CYCLES = ("block_types", "_block_types")
_INDEXED = ("indexed_attention", "deepseek_sparse_attention")
_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "attention": "full",
        "attn": "full",
        "full_attention": "full",
        "full": "full",
        "global": "full",
        "global_attention": "full",
        "deepseek_sparse_attention": "full",
        "indexed_attention": "full",
        "sparse_attention": "full",
        "minimax_m3_sparse": "full",
        "minicpm4": "full",
        "qwen_sparse_attention": "full",
        "reference_sliding_attention": "full",
        "sliding_attention": "sliding",
        "sliding_window": "sliding",
        "sliding_window_attention": "sliding",
        "local": "sliding",
        "local_attention": "sliding",
        "swa": "sliding",
        "chunked_attention": "chunked",
        "linear_attention": "linear",
        "linear": "linear",
        "deltanet": "linear",
        "gated_deltanet": "linear",
        "gdn": "linear",
        "lightning": "linear",
        "lightning-attn": "linear",
        "lightning_attention": "linear",
        "kda": "linear",
        "mamba": "mamba",
        "mamba2": "mamba",
        "mamba1": "mamba",
        "ssm": "mamba",
        "m": "mamba",
        "hybrid": "hybrid",
        "hybrid_sliding": "hybrid_sliding",
        "conv": "conv",
        "short_conv": "conv",
        "recurrent": "recurrent",
        "rglru": "recurrent",
        "mlp": "mlp",
        "moe": "moe",
        "none": "none",
        "no_op": "none",
    }
)


# words within a longer name, such as qwen_full_attention or Mamba2Block; a name with two of them isn't known
_WORDS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("sliding", "swa", "local", "window", "windowed"), "sliding")
    | dict.fromkeys(("linear", "deltanet", "delta", "gdn", "kda", "lightning", "gla"), "linear")
    | dict.fromkeys(("mamba", "mamba1", "mamba2", "ssm"), "mamba")
    | dict.fromkeys(("conv", "shortconv"), "conv")
    | dict.fromkeys(("recurrent", "rglru"), "recurrent")
    | dict.fromkeys(("chunked", "chunk"), "chunked")
)
_PLAIN = frozenset({"full", "global", "attention", "attn", "softmax"})
_UNTOLD = frozenset(
    {"compressed", "heavily", "cross", "hybrid", "no", "non", "without", "mlp", "moe", "encoder"}
)


def known_word(value: object) -> str | None:
    """Return the kind that a name of a layer stands for, whole or by the words in it; None for any other.

    Examples
    --------
    >>> known_word("gated_delta_attention"), known_word("agnes_full_attention"), known_word("cross_attention")
    ('linear', 'full', None)
    """
    if not isinstance(value, str) or len(value) > MAX_NAME:
        return None
    if value in _NAMES or value.lower() in _NAMES:
        return _NAMES.get(value) or _NAMES[value.lower()]
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", value).lower()
    words = set(re.split(r"[^a-z0-9]+", parted))
    found = {_WORDS[word] for word in words if word in _WORDS}
    if found == {"sliding", "chunked"} or len(found) > 1 or words & _UNTOLD:
        return None
    if found:
        return None if words & {"full", "global", "softmax"} else found.pop()
    return "full" if words & _PLAIN else None


def named(keys: Keys, key: str, value: object) -> Kind:
    """Return the kind that a config calls by a name of its own."""
    name = known_word(value)
    if name is None:
        raise keys.refused(key, value, f"must be one of {', '.join(_NAMES)}")
    if name == "linear" and keys.has(*STATE) and not names_linear_heads(keys):
        return Kind("mamba")  # later files call every recurrent layer linear
    if name == "hybrid" and is_convolved(keys) and not keys.has(*STATE):
        return CONVOLVED
    if name == "hybrid_sliding":
        return CONVOLVED_SLIDING
    return Kind(name)


def _listed(keys: Keys, key: str, values: Sequence[object]) -> list[Kind]:
    """Return the kinds of a list; beside layers named for their indexer, others have none."""
    kinds = [named(keys, key, value) for value in values]
    if not any(value in _INDEXED for value in values):
        return kinds
    return [kind._replace(indexed=value in _INDEXED) for kind, value in zip(kinds, values, strict=True)]


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    for key in LISTS:
        values = keys.items(key)
        if values:
            return fitted(keys, key, in_turn(keys, key, _listed(keys, key, values)))
    for key in CYCLES:
        cycle = keys.items(key)
        if cycle:
            kinds = [named(keys, key, value) for value in cycle]
            if any(kind.name == "recurrent" for kind in kinds):  # whose attention is in a window only
                kinds = [Kind("sliding") if kind.name == "full" else kind for kind in kinds]
            return [kinds[index % len(kinds)] for index in range(layer_count(keys))]
    return None


FAMILY = Family("listed", "any config with layer_types", _pattern, keep_nothing_else)
