"""MHA, GQA, MQA: keys and values by head, and the many names of the number of KV heads."""

from __future__ import annotations

from collections.abc import Sequence

from aisim_model.kv_cache.families.base import Family, Kind, layer_count
from aisim_model.kv_cache.keys import HEAD_DIM, HEADS, HIDDEN, KV_HEADS, MAX_LAYERS, Keys
from aisim_model.kv_cache.parts import HeadKv, Layer


def attention_heads(keys: Keys) -> int:
    """Query heads [-]."""
    return keys.need(*HEADS, what="the KV heads")


def kv_heads(keys: Keys, heads: int) -> int:
    """KV heads of a layer [-]: as declared, one for multi-query, all where nothing says else."""
    declared = keys.whole(*KV_HEADS)
    nested = keys.sub("attn_config") if keys.has("attn_config") else None
    if nested is not None:
        declared = nested.whole("kv_n_heads") or declared
        if declared is None and nested.text("attn_type") == "multiquery_attention":
            return 1
    if keys.flag("multi_query_attention"):
        return keys.whole("multi_query_group_num") or 1
    if keys.flag("multi_query") and not keys.flag("new_decoder_architecture"):
        if declared not in (None, 1, heads):
            raise keys.contradiction("multi_query", True, f"{_name(keys)} = {declared}")
        return 1
    if declared is None:
        return heads
    if heads % declared:
        name = next((key for key in HEADS if keys.has(key)), HEADS[0])
        raise keys.contradiction(_name(keys), declared, f"{name} = {heads}, which it must divide")
    return declared


def head_elements(keys: Keys, heads: int) -> int:
    """Elements of one head [-]: as declared, else the hidden size over the heads where that is whole."""
    declared = keys.whole(*HEAD_DIM)
    if declared is not None:
        return declared
    hidden = keys.need(*HIDDEN, what="the size of a head")
    if hidden % heads:
        problem = f"is not in the config, and hidden size {hidden} over {heads} heads is not whole"
        raise keys.refused("head_dim", None, problem)
    return hidden // heads


def heads_layer(keys: Keys, kind: Kind, window_tokens: int | None = None) -> Layer:
    """Return what a layer of plain attention keeps, in a window or in full."""
    heads = attention_heads(keys)
    count = kind.kv_heads or kv_heads(keys, heads)
    key = head_elements(keys, heads)
    value = keys.whole("v_head_dim", low=0) or key
    if kind.name == "sliding" and keys.has("swa_head_dim", "swa_num_key_value_heads"):
        count = keys.whole("swa_num_key_value_heads") or count
        key = keys.whole("swa_head_dim") or key
        value = keys.whole("swa_v_head_dim") or value
    if kind.name == "full" and keys.has("global_head_dim", "num_global_key_value_heads"):
        count = keys.whole("num_global_key_value_heads") or count
        key = value = keys.whole("global_head_dim") or key
    return (
        HeadKv(
            kv_heads=count,
            key_elements=key,
            value_elements=value,
            window_tokens=window_tokens,
            chunked=kind.name == "chunked",
        ),
    )


def _name(keys: Keys) -> str:
    return next((name for name in KV_HEADS if keys.has(name)), KV_HEADS[0])


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    """Every layer in full; with the KV heads of each where they are a list."""
    for name in (*KV_HEADS, "num_key_value_heads_per_layer"):
        if isinstance(keys.config.get(name), list):
            counts = [keys.checked(name, count) for count in keys.items(name) or []]
            if len(counts) != layer_count(keys):
                raise keys.contradiction(name, f"{len(counts)} entries", f"{layer_count(keys)} layers")
            return [Kind("full", kv_heads=count) for count in counts]
    return [Kind("full")] * layer_count(keys)


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    return heads_layer(keys, kind) if kind.name == "full" else None


FAMILY = Family("heads", "Llama, Qwen, GPT-2, Falcon, MPT, ChatGLM, OpenELM", _pattern, _keep)
__all__ = ["FAMILY", "MAX_LAYERS", "attention_heads", "head_elements", "heads_layer", "kv_heads"]
