"""Weights of what mixes tokens in one layer: attention, linear attention, recurrence.

Only matrices are counted; norms, biases and convolutions are a thousandth of them.
"""

from __future__ import annotations

from aisim_model.models.kv_cache.families.base import Kind
from aisim_model.models.kv_cache.families.heads import attention_heads, head_elements, heads_layer
from aisim_model.models.kv_cache.families.latent import RANKS, ROPES, is_latent
from aisim_model.models.kv_cache.families.linear import DELTA, KIMI, kimi_sizes
from aisim_model.models.kv_cache.families.mamba import Sizes
from aisim_model.models.kv_cache.families.matrix import head_sizes
from aisim_model.models.kv_cache.keys import HIDDEN, Keys
from aisim_model.models.kv_cache.parts import HeadKv


def hidden_size(keys: Keys) -> int:
    """Return the width of the residual stream [-]."""
    return keys.need(*HIDDEN, what="the size of the weights")


def mixer_weights(keys: Keys, kind: Kind) -> int:
    """Return the weights of what mixes tokens in a layer of a kind [-].

    Examples
    --------
    >>> mixer_weights(Keys({"hidden_size": 4096, "num_attention_heads": 32}), Kind("full"))
    67108864
    """
    name = kind.name
    if name in ("mlp", "moe"):
        return 0
    if name == "none":
        return 0 if keys.has("block_configs") else _reading(keys)
    if name == "mamba":
        return _mamba(keys)
    if name == "hybrid":
        return _heads(keys, kind) + _mamba(keys)
    if name in ("convolved", "convolved_sliding"):
        return _heads(keys, Kind("full" if name == "convolved" else "sliding"))
    if name == "linear":
        return _linear(keys)
    if name == "compressed":
        return _compressed(keys)
    if name == "matrix":
        return _matrix(keys)
    if name in ("recurrent", "conv", "hyena", "rwkv"):
        return _recurrent(keys, name)
    if name == "decoder":
        return 4 * _reading(keys)  # four matrices over itself, four over the source
    return _latent(keys) if is_latent(keys) else _heads(keys, kind)


def _heads(keys: Keys, kind: Kind) -> int:
    """Query, key, value and output."""
    hidden, heads = hidden_size(keys), attention_heads(keys)
    part = heads_layer(keys, kind)[0]
    if not isinstance(part, HeadKv):
        return 0
    both = part.key_elements + part.value_elements
    gate = heads * part.key_elements if _gated_output(keys) else 0
    return hidden * (both * (heads + part.kv_heads) + gate)


def _gated_output(keys: Keys) -> bool:
    """Whether attention's output is gated by as many elements as a query has."""
    return bool(keys.flag("attn_output_gate")) or keys.model_type == "qwen3_next"


def _reading(keys: Keys) -> int:
    """Query and output of a layer that reads another one's keys and values."""
    return 2 * hidden_size(keys) * attention_heads(keys) * head_elements(keys)


def _latent(keys: Keys) -> int:
    """MLA: low-rank queries, the latent and what is made of it, the output, an indexer."""
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


def _compressed(keys: Keys) -> int:
    """DeepSeek-V4: low-rank queries, one key that is its value, an output in low-rank groups."""
    hidden, heads = hidden_size(keys), attention_heads(keys)
    size, low_rank = head_elements(keys), keys.need("q_lora_rank", what="the query matrices")
    groups, group_rank = keys.whole("o_groups"), keys.whole("o_lora_rank")
    output = heads * size * hidden
    if groups and group_rank:
        output = heads * size * group_rank + groups * group_rank * hidden
    return low_rank * (hidden + heads * size) + hidden * size + output


def _mamba(keys: Keys) -> int:
    """In and out, and for Mamba 1 the projections of its state and time steps."""
    sizes, hidden = Sizes(keys), hidden_size(keys)
    if sizes.head_dim:
        return hidden * (3 * sizes.inner + 2 * sizes.groups * sizes.state + sizes.heads)
    rank = keys.whole("mamba_dt_rank", "time_step_rank") or -(-hidden // 16)
    return 3 * hidden * sizes.inner + sizes.inner * (2 * rank + 2 * sizes.state)


def _linear(keys: Keys) -> int:
    """Return queries, keys, values, gates and output of linear attention."""
    hidden = hidden_size(keys)
    if keys.has("linear_attn_config", KIMI):
        heads, size, _taps = kimi_sizes(keys)
        return 4 * hidden * heads * size + 2 * size * (hidden + heads * size)
    if keys.whole(DELTA):
        what = "a linear layer"
        value = keys.need(DELTA, what=what) * keys.need("linear_value_head_dim", what=what)
        key = keys.need("linear_num_key_heads", what=what) * keys.need("linear_key_head_dim", what=what)
        return hidden * (2 * key + 3 * value + 2 * keys.need(DELTA, what=what))
    return 5 * hidden * attention_heads(keys) * head_elements(keys)


def _matrix(keys: Keys) -> int:
    """Return queries and keys; values, their gate and the output."""
    heads, key, value = head_sizes(keys)
    return hidden_size(keys) * heads * (2 * key + 3 * value)


def _recurrent(keys: Keys, name: str) -> int:
    """RG-LRU, a short convolution, or RWKV's time mix."""
    hidden = hidden_size(keys)
    if name in ("conv", "hyena"):
        return 4 * hidden * hidden
    if name == "rwkv":
        return (5 if keys.model_type == "rwkv" else 6) * hidden * hidden  # one of them in the channel mix
    width = keys.whole("lru_width") or hidden
    return 3 * hidden * width + 2 * width * width // attention_heads(keys)
