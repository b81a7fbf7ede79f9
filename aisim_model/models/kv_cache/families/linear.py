"""Linear attention: a matrix a head instead of a cache (gated DeltaNet, Kimi delta attention, lightning)."""

from __future__ import annotations

from collections.abc import Sequence

from aisim_model.models.kv_cache.families.base import (
    FULL,
    Family,
    Kind,
    at_places,
    by_flags,
    hidden_size,
    layer_count,
)
from aisim_model.models.kv_cache.families.evidence import evidence
from aisim_model.models.kv_cache.families.heads import attention_heads, head_elements
from aisim_model.models.kv_cache.families.state import recurrent_bytes
from aisim_model.models.kv_cache.keys import Keys
from aisim_model.models.kv_cache.parts import Layer, State

LINEAR = Kind("linear")
DELTA = "linear_num_value_heads"
KIMI = ("linear_num_heads", "kda_num_heads")
KIMI_SIZE = ("linear_head_dim", "kda_head_dim")
TAPS = ("linear_conv_kernel_dim", "kda_conv_kernel_dim", "kda_conv_size", "kda_short_conv_kernel_size")


def names_linear_heads(keys: Keys) -> bool:
    """Whether the config sizes layers of linear attention by keys of their own."""
    return keys.has(DELTA, *KIMI, "linear_attn_config")


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    for find in (_solar, _kimi, _interval, _flags, _groups):
        kinds = find(keys)
        if kinds is not None:
            return kinds
    return None


def _solar(keys: Keys) -> Sequence[Kind] | None:
    """Solar Open 2: the layers with softmax attention, counted from 0."""
    return at_places(keys, "gqa_layers", FULL, LINEAR) if keys.has("linear_attn_config") else None


def _kimi(keys: Keys) -> Sequence[Kind] | None:
    """Kimi-Linear: two lists of layers, counted from 1 unless one of them has layer 0."""
    nested = keys.sub("linear_attn_config") if keys.has("linear_attn_config") else None
    if nested is None:
        return None
    count, listed, linear = layer_count(keys), nested.items("full_attn_layers"), nested.items("kda_layers")
    if listed is None and linear is None:
        raise nested.missing("full_attn_layers", "which layers keep every token")
    first = 0 if 0 in [*(listed or []), *(linear or [])] else 1
    last = count - 1 + first
    if listed is None:
        linear_places = {nested.checked("kda_layers", place, low=first, high=last) for place in linear or []}
        return [LINEAR if index + first in linear_places else FULL for index in range(count)]
    places = {nested.checked("full_attn_layers", place, low=first, high=last) for place in listed}
    if linear is not None and len(linear) + len(places) != count:
        found = f"{len(linear)} entries"
        raise nested.contradiction("kda_layers", found, f"full_attn_layers, {len(places)} of {count} layers")
    return [FULL if index + first in places else LINEAR for index in range(count)]


def _interval(keys: Keys) -> Sequence[Kind] | None:
    """Qwen3-Next: every n-th layer in full."""
    every = keys.whole("full_attention_interval")
    if every is None or ("linear" not in evidence(keys, defaults=True) and evidence(keys)):
        return None  # the others are of another kind
    return [FULL if (index + 1) % every == 0 else LINEAR for index in range(layer_count(keys))]


def _flags(keys: Keys) -> Sequence[Kind] | None:
    """MiniMax: 1 where a layer has softmax attention, 0 where it is linear."""
    return by_flags(keys, ("attn_type_list", "decoder_attention_types"), FULL, LINEAR)


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
    if keys.has("linear_attn_config") or keys.has(*KIMI):
        return (_kimi_state(keys),)
    return (_delta_state(keys) if keys.whole(DELTA) else _lightning_state(keys),)


def kimi_sizes(keys: Keys) -> tuple[int, int, int]:
    """Return heads, elements of a head and taps of Kimi delta attention, nested or beside the others [-]."""
    what = "the state of a linear layer"
    if keys.has("linear_attn_config"):
        nested = keys.sub("linear_attn_config")
        taps = nested.whole("short_conv_kernel_size") or 4
        return nested.need("num_heads", what=what), nested.need("head_dim", what=what), taps
    return keys.need(*KIMI, what=what), keys.need(*KIMI_SIZE, what=what), keys.whole(*TAPS) or 4


def _delta_state(keys: Keys) -> State:
    """Gated DeltaNet: key x value elements a value head, and a convolution over queries, keys and values."""
    what = "the state of a linear layer"
    heads, value = keys.need(DELTA, what=what), keys.need("linear_value_head_dim", what=what)
    key_heads, key = keys.need("linear_num_key_heads", what=what), keys.need("linear_key_head_dim", what=what)
    taps = keys.need("linear_conv_kernel_dim", what=what)
    if heads % key_heads:
        other = f"{DELTA} = {heads}, which it must divide"
        raise keys.contradiction("linear_num_key_heads", key_heads, other)
    channels = 2 * key_heads * key + heads * value
    return State(
        heads=heads,
        recurrent_bytes=recurrent_bytes(keys, heads * key * value),
        conv_bytes=channels * (taps - 1) * keys.dtype_bytes,
    )


def _kimi_state(keys: Keys) -> State:
    """Kimi delta attention: as gated DeltaNet, with as many heads of keys as of values."""
    heads, size, taps = kimi_sizes(keys)
    return _square_state(keys, heads, size, taps)


def _square_state(keys: Keys, heads: int, size: int, taps: int) -> State:
    """Return a square matrix a head, and a convolution over queries, keys and values."""
    return State(
        heads=heads,
        recurrent_bytes=recurrent_bytes(keys, heads * size * size, always_fp32=True),
        conv_bytes=3 * heads * size * (taps - 1) * keys.dtype_bytes,
    )


def _lightning_state(keys: Keys) -> State:
    """Lightning attention: one square matrix a head; a convolution only where the config sizes one."""
    heads = keys.whole("lightning_nh") or attention_heads(keys)
    size = keys.whole("lightning_head_dim") or head_elements(keys)
    return _square_state(keys, heads, size, keys.whole("short_conv_kernel_size") or 1)


def _weigh(keys: Keys, kind: Kind) -> int | None:
    """Return queries, keys, values, gates and output [-]."""
    if kind.name != "linear":
        return None
    hidden = hidden_size(keys)
    if keys.has("linear_attn_config", *KIMI):
        heads, size, _taps = kimi_sizes(keys)
        return 4 * hidden * heads * size + 2 * size * (hidden + heads * size)
    if keys.whole(DELTA):
        what = "a linear layer"
        value = keys.need(DELTA, what=what) * keys.need("linear_value_head_dim", what=what)
        key = keys.need("linear_num_key_heads", what=what) * keys.need("linear_key_head_dim", what=what)
        return hidden * (2 * key + 3 * value + 2 * keys.need(DELTA, what=what))
    return 5 * hidden * attention_heads(keys) * head_elements(keys)


FAMILY = Family(
    "linear",
    "Qwen3-Next, Qwen3.5, Kimi-Linear, Solar Open 2, MiniMax-Text-01, Ring-linear",
    _pattern,
    _keep,
    _weigh,
)
