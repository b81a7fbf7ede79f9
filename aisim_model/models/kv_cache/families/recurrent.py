"""Recurrent layers whose state is a vector or a matrix a head: RG-LRU, RWKV, and short convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from aisim_model.models.kv_cache.families.base import FULL, Family, Kind, at_places, hidden_size, layer_count
from aisim_model.models.kv_cache.families.heads import attention_heads
from aisim_model.models.kv_cache.keys import HEADS, HIDDEN, Keys
from aisim_model.models.kv_cache.parts import Layer, State

STATE_BYTES = 4  # fp32
RWKV_SIZES = ("head_size", "head_dim", "head_size_a")
HYENA_STATES, HYENA_TAPS, HYENA_PROJECTIONS = 2, 3, 3  # what its class takes where the file says nothing
COMPLEX_BYTES = 8  # two of fp32
RWKV4_STATES = 3  # numerator, denominator and running maximum
RWKV_SHIFTS = 2  # the token before, for time mix and for channel mix


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    if keys.model_type.startswith("rwkv"):
        return [Kind("rwkv")] * layer_count(keys)
    for name, other in (("full_attn_idxs", "conv"), ("attn_layer_idxs", "hyena")):
        found = at_places(keys, name, FULL, Kind(other))
        if found is not None:
            return found
    return None


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    if kind.name not in ("recurrent", "conv", "hyena", "rwkv"):
        return None
    hidden = keys.need(*HIDDEN, what="the recurrent state")
    if kind.name == "rwkv":
        return (_rwkv(keys, hidden),)
    if kind.name == "hyena":
        return (_hyena(keys, hidden),)
    if kind.name == "conv":
        taps = keys.need("conv_L_cache", what="the convolution's inputs")
        return (State(heads=hidden, recurrent_bytes=0, conv_bytes=hidden * (taps - 1) * keys.dtype_bytes),)
    width = keys.whole("lru_width") or hidden
    taps = keys.whole("conv1d_width") or 4
    return (
        State(
            heads=width,
            recurrent_bytes=width * STATE_BYTES,
            conv_bytes=width * (taps - 1) * keys.dtype_bytes,
        ),
    )


def _hyena(keys: Keys, hidden: int) -> State:
    """StripedHyena: complex states a channel, and the last inputs of a filter over three projections."""
    states = keys.whole("state_size") or HYENA_STATES
    taps = keys.whole("short_filter_length") or HYENA_TAPS
    return State(
        heads=hidden,
        recurrent_bytes=hidden * states * COMPLEX_BYTES,
        conv_bytes=HYENA_PROJECTIONS * hidden * (taps - 1) * keys.dtype_bytes,
    )


def _rwkv(keys: Keys, hidden: int) -> State:
    """RWKV-4 keeps three vectors; later ones a square matrix a head; all the token before, twice."""
    width = keys.whole("attention_hidden_size") or hidden
    shifts = RWKV_SHIFTS * hidden * keys.dtype_bytes
    size = keys.whole(*RWKV_SIZES)
    if keys.model_type == "rwkv" and size is None:
        return State(heads=width, recurrent_bytes=RWKV4_STATES * width * STATE_BYTES, conv_bytes=shifts)
    heads = keys.whole("num_heads") or (None if size else keys.whole(*HEADS))
    size = size or (width // heads if heads else 64)
    heads = heads or max(width // size, 1)
    return State(heads=heads, recurrent_bytes=heads * size * size * STATE_BYTES, conv_bytes=shifts)


def _weigh(keys: Keys, kind: Kind) -> int | None:
    """RG-LRU, a short convolution, or RWKV's time mix."""
    if kind.name not in ("recurrent", "conv", "hyena", "rwkv"):
        return None
    hidden = hidden_size(keys)
    if kind.name in ("conv", "hyena"):
        return 4 * hidden * hidden
    if kind.name == "rwkv":
        return (5 if keys.model_type == "rwkv" else 6) * hidden * hidden  # one of them in the channel mix
    width = keys.whole("lru_width") or hidden
    return 3 * hidden * width + 2 * width * width // attention_heads(keys)


FAMILY = Family("recurrent", "RecurrentGemma, RWKV 4 to 7, LFM2, StripedHyena", _pattern, _keep, _weigh)
