"""Linear attention: a matrix a head instead of a cache (gated DeltaNet, Kimi delta attention, lightning)."""

from __future__ import annotations

from collections.abc import Sequence

from aisim_model.kv_cache.families.base import FULL, Family, Kind, fitted, layer_count
from aisim_model.kv_cache.families.heads import attention_heads, head_elements
from aisim_model.kv_cache.keys import Keys
from aisim_model.kv_cache.parts import Layer, State

LINEAR = Kind("linear")
STATE_BYTES = 4  # fp32 unless the config names another dtype
DELTA = "linear_num_value_heads"


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    for find in (_kimi, _interval, _flags, _groups):
        kinds = find(keys)
        if kinds is not None:
            return kinds
    return None


def _kimi(keys: Keys) -> Sequence[Kind] | None:
    """Kimi-Linear: two lists of layers, counted from 1."""
    nested = keys.sub("linear_attn_config") if keys.has("linear_attn_config") else None
    if nested is None:
        return None
    count = layer_count(keys)
    places = {
        nested.checked("full_attn_layers", place, low=1, high=count)
        for place in nested.items("full_attn_layers") or []
    }
    linear = nested.items("kda_layers")
    if linear is not None and len(linear) + len(places) != count:
        found = f"{len(linear)} entries"
        raise nested.contradiction("kda_layers", found, f"full_attn_layers, {len(places)} of {count} layers")
    return [FULL if index + 1 in places else LINEAR for index in range(count)]


def _interval(keys: Keys) -> Sequence[Kind] | None:
    """Qwen3-Next: every n-th layer in full."""
    every = keys.whole("full_attention_interval")
    if every is None:
        return None
    return [FULL if (index + 1) % every == 0 else LINEAR for index in range(layer_count(keys))]


def _flags(keys: Keys) -> Sequence[Kind] | None:
    """MiniMax: 1 where a layer has softmax attention, 0 where it is linear."""
    for name in ("attn_type_list", "decoder_attention_types"):
        flags = keys.items(name)
        if flags:
            checked = [keys.checked(name, flag, low=0, high=1) for flag in flags]
            return fitted(keys, name, [FULL if flag else LINEAR for flag in checked])
    return None


def _groups(keys: Keys) -> Sequence[Kind] | None:
    """Ring and Ling linear: the last layer of each group in full, and a last short group as well."""
    size = keys.whole("layer_group_size")
    if size is None or size == 1:
        return None
    count = layer_count(keys)
    tail = count // size * size
    return [FULL if (i + 1) % size == 0 or i >= tail else LINEAR for i in range(count)]


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    if kind.name != "linear":
        return None
    if keys.has("linear_attn_config"):
        return (_kimi_state(keys, keys.sub("linear_attn_config")),)
    return (_delta_state(keys) if keys.whole(DELTA) else _lightning_state(keys),)


def _state_bytes(keys: Keys) -> int:
    declared = keys.raw("mamba_ssm_dtype", "mamba_ssm_cache_dtype")
    return 2 if declared in ("bfloat16", "float16") else STATE_BYTES


def _delta_state(keys: Keys) -> State:
    """Gated DeltaNet: key x value elements a value head, and a convolution over queries, keys and values."""
    what = "the state of a linear layer"
    heads, value = keys.need(DELTA, what=what), keys.need("linear_value_head_dim", what=what)
    key_heads, key = keys.need("linear_num_key_heads", what=what), keys.need("linear_key_head_dim", what=what)
    taps = keys.need("linear_conv_kernel_dim", what=what)
    channels = 2 * key_heads * key + heads * value
    return State(
        heads=heads,
        recurrent_bytes=heads * key * value * _state_bytes(keys),
        conv_bytes=channels * (taps - 1) * keys.dtype_bytes,
    )


def _kimi_state(keys: Keys, nested: Keys) -> State:
    """Kimi delta attention: as gated DeltaNet, with as many heads of keys as of values."""
    what = "the state of a linear layer"
    heads, size = nested.need("num_heads", what=what), nested.need("head_dim", what=what)
    taps = nested.whole("short_conv_kernel_size") or 4
    return State(
        heads=heads,
        recurrent_bytes=heads * size * size * _state_bytes(keys),
        conv_bytes=3 * heads * size * (taps - 1) * keys.dtype_bytes,
    )


def _lightning_state(keys: Keys) -> State:
    """Lightning attention: one square matrix a head, no convolution."""
    heads = attention_heads(keys)
    size = head_elements(keys)
    return State(heads=heads, recurrent_bytes=heads * size * size * _state_bytes(keys))


FAMILY = Family("linear", "Qwen3-Next, Qwen3.5, Kimi-Linear, MiniMax-Text-01, Ring-linear", _pattern, _keep)
