"""MLA: one latent and one rotary key a layer for all heads; in sparse attention an indexer beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aisim_model.models.kv_cache.families.base import FULL, Family, Kind, fitted, hidden_size, layer_count
from aisim_model.models.kv_cache.families.heads import attention_heads
from aisim_model.models.kv_cache.families.sources import index_sources
from aisim_model.models.kv_cache.families.windowed import window_tokens
from aisim_model.models.kv_cache.keys import Keys
from aisim_model.models.kv_cache.parts import IndexKeys, LatentKv, Layer

# DSA keeps its index keys in fp8 with a 32-bit scale for every 128 elements
INDEX_SCALE_BYTES, INDEX_SCALE_ELEMENTS = 4, 128
RANKS, ROPES = ("kv_lora_rank", "attention_kv_lora_dim"), ("qk_rope_head_dim", "attention_qk_rope_dim")
INDEXER = ("index_head_dim", "indexer_types", "index_topk_pattern")
FIRST_OWN = 2  # layers before the first that shares, where the config names a step and not where it starts


def is_latent(keys: Keys) -> bool:
    """Whether the keys describe MLA; never the model's name."""
    return keys.raw(*RANKS) is not None and keys.flag("use_mla") is not False


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    if not is_latent(keys):
        return None
    if keys.model_type == "longcat_flash" or keys.has("zero_expert_num"):
        keys.note("Each layer of LongCat-Flash has two attention blocks: both are counted.")
        return [FULL] * (2 * layer_count(keys))
    return [FULL] * layer_count(keys)


def with_indexers(keys: Keys, kinds: Sequence[Kind]) -> Sequence[Kind]:
    """Leave an indexer to the layers that have their own, where layers share one."""
    if not is_latent(keys) or keys.raw(*INDEXER) is None:
        return kinds
    own = _own_indexers(keys, len(kinds))
    return [kind._replace(indexed=kind.indexed and flag) for kind, flag in zip(kinds, own, strict=True)]


def _own_indexers(keys: Keys, count: int) -> list[bool]:
    """Return whether each layer has an indexer: by a list, by letters, or one of every so many."""
    for name in ("indexer_types", "index_topk_pattern"):
        value = keys.raw(name)
        if not value:
            continue
        found = list(value) if isinstance(value, str) else keys.items(name) or []
        own, shared = ("F", "S") if isinstance(value, str) else ("full", "shared")
        for entry in found:
            if entry not in (own, shared):
                raise keys.refused(name, entry, f"must hold {own} or {shared}")
        fitted(keys, name, [FULL] * len(found))
        keys.note(f"Indexer keys are counted in the layers whose {name} is {own}; the others share them.")
        flags = [entry == own for entry in found[:count]]
        return flags + [True] * (count - len(flags))
    sources = index_sources(keys, count)
    if sources is not None:
        return [index in sources for index in range(count)]
    if not keys.raw("index_topk_freq"):
        keys.note("No key says that layers share an indexer: index keys are counted in every layer.")
    every, first = keys.whole("index_topk_freq") or 1, keys.whole("index_skip_topk_offset") or FIRST_OWN
    return [max(index - first + 1, 0) % every == 0 for index in range(count)]


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    if kind.name not in ("full", "sliding") or not is_latent(keys):
        return None
    rope = keys.whole(*ROPES, low=0)
    if rope is None:
        raise keys.missing(ROPES[0], "the rotary part of an MLA layer")
    latent = LatentKv(
        latent_elements=keys.need(*RANKS, what="the latent"),
        rope_elements=rope,
        window_tokens=window_tokens(keys, kind) if kind.name == "sliding" else None,
    )
    dim = keys.whole("index_head_dim")
    if dim is None and kind.indexed and keys.has("index_topk", "index_n_heads"):
        raise keys.missing("index_head_dim", "what the indexer keeps")
    if dim is None or not kind.indexed or kind.name == "sliding":
        return (latent,)
    pool = keys.whole("index_kpool") or 1
    if pool > 1:
        keys.note(f"Index keys are pooled: an entry for {pool} tokens, those of a last short group left out.")
    entry_bytes = dim + INDEX_SCALE_BYTES * math.ceil(dim / INDEX_SCALE_ELEMENTS)
    return latent, IndexKeys(entry_bytes=entry_bytes, tokens_per_entry=pool)


def _weigh(keys: Keys, kind: Kind) -> int | None:
    """Low-rank queries, the latent and what is made of it, the output, an indexer."""
    if kind.name not in ("full", "sliding") or not is_latent(keys):
        return None
    hidden, heads = hidden_size(keys), attention_heads(keys)
    latent = keys.need(*RANKS, what="the latent")
    nope = keys.need("qk_nope_head_dim", "attention_qk_dim", what="the size of a query head")
    rope = keys.whole(*ROPES, low=0) or 0
    value = keys.need("v_head_dim", "attention_v_dim", what="the size of a value head")
    low_rank = keys.whole("q_lora_rank", "attention_q_lora_dim", low=0)
    query = heads * (nope + rope)
    total = low_rank * (hidden + query) if low_rank else hidden * query
    total += hidden * (latent + rope) + latent * heads * (nope + value) + heads * value * hidden
    index_heads, index_size = keys.whole("index_n_heads"), keys.whole("index_head_dim")
    if index_heads and index_size:
        total += (low_rank or hidden) * index_heads * index_size + hidden * (index_size + index_heads)
    return total


FAMILY = Family("latent", "DeepSeek-V2, V3, V3.2, Kimi-K2, GLM-5, MiniCPM3, LongCat", _pattern, _keep, _weigh)
