"""Models pruned by architecture search: each block says how many KV heads it has, or that it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aisim_model.models.kv_cache.families.base import NONE, Family, Kind, fitted, keep_nothing_else
from aisim_model.models.kv_cache.families.heads import attention_heads
from aisim_model.models.kv_cache.keys import Keys


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    blocks = keys.items("block_configs")
    if not blocks:
        return None
    return fitted(keys, "block_configs", [_kind(keys, index, block) for index, block in enumerate(blocks)])


def _kind(keys: Keys, index: int, block: object) -> Kind:
    if not isinstance(block, Mapping):
        raise keys.refused(f"block_configs[{index}]", block, "must be an object")
    nested = Keys(block, f"{keys.path}block_configs[{index}].")
    attention = nested.sub("attention")
    if attention.flag("no_op") or attention.flag("replace_with_linear"):
        return NONE
    heads = attention_heads(keys)
    group = attention.whole("n_heads_in_group")
    count = attention.whole("num_key_value_heads")
    if group is not None:
        if heads % group:
            raise attention.contradiction("n_heads_in_group", group, f"num_attention_heads = {heads}")
        if count not in (None, heads // group):
            raise attention.contradiction("num_key_value_heads", count, f"n_heads_in_group = {group}")
        count = heads // group
    window = attention.whole("window_length")
    return Kind("sliding" if window else "full", window_tokens=window, kv_heads=count)


FAMILY = Family("pruned", "Llama-Nemotron, DeciLM", _pattern, keep_nothing_else)
