"""MLA: one latent and one rotary key a layer for all heads; in sparse attention an indexer beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aisim_model.kv_cache.families.base import FULL, Family, Kind, fitted, layer_count
from aisim_model.kv_cache.keys import Keys
from aisim_model.kv_cache.parts import IndexKeys, LatentKv, Layer

# DSA keeps its index keys in fp8 with a 32-bit scale for every 128 elements
INDEX_SCALE_BYTES, INDEX_SCALE_ELEMENTS = 4, 128


def is_latent(keys: Keys) -> bool:
    """Whether the keys describe MLA; never the model's name."""
    return keys.has("kv_lora_rank") and keys.flag("use_mla") is not False


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    """Which layers have an indexer of their own, where layers share one."""
    if not is_latent(keys) or keys.has("layer_types", "linear_attn_config"):
        return None
    if keys.model_type == "longcat_flash":
        keys.note("Each layer of longcat_flash has two attention blocks: both are counted.")
        return [FULL] * (2 * layer_count(keys))
    types = keys.items("indexer_types")
    if types is None:
        return _by_frequency(keys)
    for value in types:
        if value not in ("full", "shared"):
            raise keys.refused("indexer_types", value, "must hold full or shared")
    keys.note("Indexer keys are counted in the layers whose indexer_types is full; the others share them.")
    return fitted(keys, "indexer_types", [Kind("full", indexed=value == "full") for value in types])


def _by_frequency(keys: Keys) -> Sequence[Kind]:
    """Every layer has an indexer, or one of every so many after the first ones."""
    count, every = layer_count(keys), keys.whole("index_topk_freq") or 1
    first = keys.whole("index_skip_topk_offset") or 1
    return [Kind("full", indexed=max(index - first + 1, 0) % every == 0) for index in range(count)]


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    if kind.name != "full" or not is_latent(keys):
        return None
    rope = keys.whole("qk_rope_head_dim", low=0)
    if rope is None:
        raise keys.missing("qk_rope_head_dim", "the rotary part of an MLA layer")
    latent = LatentKv(latent_elements=keys.need("kv_lora_rank", what="the latent"), rope_elements=rope)
    dim = keys.whole("index_head_dim")
    if dim is None or not kind.indexed:
        return (latent,)
    return latent, IndexKeys(entry_bytes=dim + INDEX_SCALE_BYTES * math.ceil(dim / INDEX_SCALE_ELEMENTS))


FAMILY = Family("latent", "DeepSeek-V2, V3, V3.2, Kimi-K2, GLM-5, MiniCPM3, LongCat", _pattern, _keep)
