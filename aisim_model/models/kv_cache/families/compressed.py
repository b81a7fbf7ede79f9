"""Compressed sparse attention (DeepSeek-V4): one entry for several tokens, and a window beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from aisim_model.models.kv_cache.families.base import Family, Kind, fitted, hidden_size
from aisim_model.models.kv_cache.families.heads import attention_heads, head_elements
from aisim_model.models.kv_cache.families.sources import index_sources
from aisim_model.models.kv_cache.keys import Keys
from aisim_model.models.kv_cache.parts import IndexKeys, LatentKv, Layer, State

STATE_ROWS, STATE_BYTES = 2, 4  # a key's row and its score's, in fp32
INDEXED_RATIO = 4  # only the finely compressed layers pick their entries by an indexer
_TYPES: Mapping[str, int] = MappingProxyType(
    {"sliding_attention": 0, "compressed_sparse_attention": 4, "heavily_compressed_attention": 128}
)


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    ratios = keys.items("compress_ratios")
    if ratios is None:
        types = keys.items("layer_types") or []
        if not set(_TYPES) - {"sliding_attention"} & {value for value in types if isinstance(value, str)}:
            return None
        declared = keys.sub("compress_rates") if keys.has("compress_rates") else None
        ratios = []
        for value in types:
            if not isinstance(value, str) or value not in _TYPES:
                raise keys.refused("layer_types", value, f"must be one of {', '.join(_TYPES)}")
            ratios.append((declared.whole(value) if declared else None) or _TYPES[value])
    checked = [keys.checked("compress_ratios", ratio, low=0) for ratio in ratios]
    kinds = [
        Kind("compressed", tokens_per_entry=ratio, indexed=0 < ratio <= INDEXED_RATIO) for ratio in checked
    ]
    return _with_index_sources(keys, fitted(keys, "compress_ratios", kinds))


def _with_index_sources(keys: Keys, kinds: Sequence[Kind]) -> Sequence[Kind]:
    """Leave an indexer to its sources where the config lists them."""
    sources = index_sources(keys, len(kinds))
    if sources is None:
        return kinds
    return [kind._replace(indexed=index in sources) for index, kind in enumerate(kinds)]


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    if kind.name != "compressed":
        return None
    what = "a compressed layer"
    size, rope = keys.need("head_dim", what=what), keys.whole("qk_rope_head_dim", low=0) or 0
    if rope >= size:
        raise keys.contradiction("qk_rope_head_dim", rope, f"head_dim = {size}")
    window = keys.need("sliding_window", what=what)
    # key and value are one, so that it is stored once
    layer: Layer = (LatentKv(latent_elements=size - rope, rope_elements=rope, window_tokens=window),)
    if kind.tokens_per_entry == 0 or not kind.source:
        return layer
    each = kind.tokens_per_entry
    keys.note("Compressed layers add an entry for each whole group of tokens: their rate is an upper bound.")
    layer += (LatentKv(latent_elements=size - rope, rope_elements=rope, tokens_per_entry=each),)
    index = keys.whole("index_head_dim")
    indexed = index is not None and kind.indexed
    if index is not None and indexed:
        keys.note(
            "Indexer keys are counted in fp4; engines that keep them in fp8 with a scale hold twice that."
        )
        layer += (IndexKeys(entry_bytes=(index + 1) // 2, tokens_per_entry=each),)
    return layer + _compressor(keys, each, size, index if indexed else None)


def _compressor(keys: Keys, each: int, size: int, index: int | None) -> Layer:
    """Return the rows of fp32 that make the next entries; groups overlap at a fine ratio.

    Sources: vllm/models/deepseek_v4/compressor.py and DeepSeek's own code.
    """
    if each == 1:
        return ()
    if each not in _TYPES.values():
        keys.note(
            f"What a compressor of {each} tokens an entry keeps besides is not public, and not counted."
        )
        return ()
    rows, width = (2 * each, 2) if each == INDEXED_RATIO else (each, 1)
    state_bytes = rows * STATE_ROWS * width * (size + (index or 0)) * STATE_BYTES
    if each == INDEXED_RATIO:
        keys.note(
            f"The compressor's state of a layer of {each} tokens an entry is {state_bytes:,} B, as vLLM "
            f"keeps it; AIConfigurator counts {state_bytes // 2:,} B."
        )
    return (State(heads=1, recurrent_bytes=state_bytes),)


def _weigh(keys: Keys, kind: Kind) -> int | None:
    """Low-rank queries, one key that is its value, an output in low-rank groups."""
    if kind.name != "compressed":
        return None
    hidden, heads = hidden_size(keys), attention_heads(keys)
    size, low_rank = head_elements(keys), keys.need("q_lora_rank", what="the query matrices")
    groups, group_rank = keys.whole("o_groups"), keys.whole("o_lora_rank")
    output = heads * size * hidden
    if groups and group_rank:
        output = heads * size * group_rank + groups * group_rank * hidden
    return low_rank * (hidden + heads * size) + hidden * size + output


FAMILY = Family("compressed", "DeepSeek-V4", _pattern, _keep, _weigh)
