"""Recurrent models with a matrix a head whose sizes are shares of the width: GLA, RetNet, DeltaNet, xLSTM."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from aisim_model.models.kv_cache.families.base import Family, Kind, hidden_size, layer_count
from aisim_model.models.kv_cache.keys import HEADS, HIDDEN, Keys
from aisim_model.models.kv_cache.parts import Layer, State

KEY_SHARE, VALUE_SHARE = ("expand_k", "qk_dim_factor"), ("expand_v", "v_dim_factor")
STATE_BYTES = 4  # fp32
MAX_SHARE = 64
MATRIX = Kind("matrix")


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    """Every layer, but those that an `attn` object gives softmax attention."""
    if not keys.has(*KEY_SHARE, *VALUE_SHARE) or keys.has("linear_num_value_heads", "linear_attn_config"):
        return None
    count = layer_count(keys)
    attention = keys.sub("attn") if keys.has("attn") else None
    listed = attention.items("layers") if attention is not None else None
    if attention is None or not listed:
        return [MATRIX] * count
    heads, window = attention.need("num_heads", what="the KV heads"), attention.whole("window_size")
    softmax = Kind(
        "sliding" if window else "full",
        window_tokens=window,
        kv_heads=attention.whole("num_kv_heads") or heads,
        query_heads=heads,
    )
    places = {attention.checked("layers", place, low=0, high=count - 1) for place in listed}
    return [softmax if index in places else MATRIX for index in range(count)]


def head_sizes(keys: Keys) -> tuple[int, int, int]:
    """Return the heads, and the elements of one head's key and value [-]."""
    what = "the recurrent state"
    heads, hidden = keys.need(*HEADS, what=what), keys.need(*HIDDEN, what=what)
    declared = keys.whole("head_dim")  # gated DeltaNet sizes its keys by this and its values by them
    key = Fraction(declared) if declared else _share(keys, KEY_SHARE) * hidden / heads
    value = _share(keys, VALUE_SHARE) * (key if declared else Fraction(hidden, heads))
    if key.denominator > 1 or value.denominator > 1:
        raise keys.contradiction(
            HEADS[-1], heads, f"hidden_size = {hidden}: heads of {key} x {value} elements"
        )
    return heads, int(key), int(value)


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    if kind.name != "matrix":
        return None
    heads, key, value = head_sizes(keys)
    taps = (keys.whole("conv_size") or 4) if keys.flag("use_short_conv") else 1
    normaliser = key + 1 if keys.has("qk_dim_factor") else 0  # xLSTM also keeps a sum and a maximum
    return (
        State(
            heads=heads,
            recurrent_bytes=heads * (key * value + normaliser) * STATE_BYTES,
            conv_bytes=heads * (2 * key + value) * (taps - 1) * keys.dtype_bytes,
        ),
    )


def _share(keys: Keys, names: tuple[str, ...]) -> Fraction:
    """Return a share of the width; 1 where it is not declared."""
    for name in names:
        value = keys.config.get(name)
        if value is None:
            continue
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 < value <= MAX_SHARE:
            raise keys.refused(name, value, f"must be a number above 0 and at most {MAX_SHARE}")
        return Fraction(value)
    return Fraction(1)


def _weigh(keys: Keys, kind: Kind) -> int | None:
    """Return queries and keys; values, their gate and the output [-]."""
    if kind.name != "matrix":
        return None
    heads, key, value = head_sizes(keys)
    return hidden_size(keys) * heads * (2 * key + 3 * value)


FAMILY = Family("matrix", "GLA, RetNet, DeltaNet, xLSTM", _pattern, _keep, _weigh)
