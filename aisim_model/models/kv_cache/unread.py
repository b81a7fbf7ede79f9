"""Keys that look like sizes of a cache and that no family has looked for: they are named in a note."""

from __future__ import annotations

import re
from typing import Any

from aisim_model.models.kv_cache.keys import HEADS, KV_HEADS, POSITIONS, WINDOWS, Keys

_SIZE = re.compile(
    r"(^|_)(kv|key|keys|value|values|head|heads|headdim|latent|lora|window|swa|sliding|conv|ssm|mamba|state|linear|kda|gdn"
    r"|lru|compress|chunk|chunked|cache|memory|cla|share|shared|sharing|recurrent|pool|kpool|qkv|dkv)(_|$)|lora_rank|head_dim|^d_[kv]$"
    r"|(global|full|local|swa|mla|gqa|mha|attn|attention)_(layers|blocks)$"
    r"|(full|global|local|swa|linear|mamba|attn|attention)_(\w+_)?(every|interval|period|freq)(_|$)"
)
# of queries, outputs, experts, positions, training and the like: no bytes of a cache
_OTHER = re.compile(
    r"rope|rotary|theta|expert|moe|dropout|_init|init_|eps|norm|bias|(?<!cla_)(?<!share_)(?<!sharing_)(?<!compression_)factor|scal|softcap|token_id|token_index|vocab|quant"
    r"|q_lora|o_lora|q_head|qk_|v_head_dim|index_|indexer|(?<!kv)_rank$|^num_labels|vision|image|audio|video|loss|mask|chunk_size"
    r"|sink|multiplier|alpha|beta|offset|stride|range|hidden_act|limit|mlp|ffn|intermediate|type|pruned|prefill|clip|gate"
    r"|encoder|speech|resampler|attention_heads|iou|second|context_window|ngram"
    r"|max_window_layers|classifier|summary|embed|language|position|lm_head|mtp|nextn|feed_forward|thinking|shared_layer_idx"
)
_PLACES = re.compile(r"(^|_)(layers|layer_(ids?|idxs?|indices|indexes)|blocks)$")  # lists of layers
# read where a layer has a use for them, such as heads in all but MLA
_KNOWN = frozenset(
    {*POSITIONS, *HEADS, *KV_HEADS, *WINDOWS, "head_dim", "kv_channels", "_sliding_window_pattern"}
)
MAX_NAMED = 8


def unread_note(keys: Keys) -> str | None:
    """Return a sentence that names the size keys which no family looked for; None where there are none.

    Examples
    --------
    >>> keys = Keys({"kv_window_heads": 4, "head_dim": 64, "kv_bias": True})
    >>> keys.whole("head_dim")
    64
    >>> unread_note(keys)
    'No rule reads kv_window_heads = 4: if it sizes the cache, these bytes are not right.'
    """
    names = [name for name, value in keys.config.items() if _is_unread(keys, name, value)]
    if not names:
        return None
    shown = ", ".join(f"{name} = {keys.config[name]!r:.40}" for name in names[:MAX_NAMED])
    it = "it sizes" if len(names) == 1 else "they size"
    return f"No rule reads {shown}: if {it} the cache, these bytes are not right."


def _is_unread(keys: Keys, name: str, value: Any) -> bool:
    if name in keys.asked or name in _KNOWN or _OTHER.search(name):
        return False
    if isinstance(value, list):
        placed = _SIZE.search(name) or _PLACES.search(name)
        return bool(value and placed) and all(type(entry) is int for entry in value)
    if not _SIZE.search(name):
        return False
    return type(value) is int and value > 1
