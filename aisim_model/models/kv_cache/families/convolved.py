"""Attention with short convolutions beside it, whose last inputs are kept: ZAYA's CCA, Inkling."""

from __future__ import annotations

from collections.abc import Sequence

from aisim_model.models.kv_cache.families.base import Family, Kind, at_places, layer_count
from aisim_model.models.kv_cache.families.heads import attention_heads, heads_layer, heads_weights
from aisim_model.models.kv_cache.families.windowed import window_tokens
from aisim_model.models.kv_cache.keys import HIDDEN, MAX_LAYERS, Keys
from aisim_model.models.kv_cache.parts import HeadKv, Layer, State

CCA_TAPS = ("cca_time0", "cca_time1")
DEFAULT_CCA_TAPS = 2
TAPS = ("conv_kernel_size", "sconv_kernel_size")
CONVOLVED, CONVOLVED_SLIDING = Kind("convolved"), Kind("convolved_sliding")
STREAMS = 2  # Inkling also runs what attention and the MLP give back through a convolution each


def is_cca(keys: Keys) -> bool:
    """Whether queries and keys run through the two convolutions of CCA."""
    return keys.has(*CCA_TAPS) or bool(keys.flag("cca"))


def is_convolved(keys: Keys) -> bool:
    """Whether layers called hybrid hold convolutions rather than Mamba."""
    return is_cca(keys) or keys.has(*TAPS)


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    if is_cca(keys):
        return _cca(keys)
    return at_places(keys, "local_layer_ids", CONVOLVED_SLIDING, CONVOLVED) if keys.has(*TAPS) else None


def _cca(keys: Keys) -> Sequence[Kind]:
    """Attention in every layer; in ZAYA's older files, a layer is ``a`` or a number of experts."""
    if not keys.flag("cca"):
        return [CONVOLVED] * layer_count(keys)
    listed = keys.items("zaya_layers")
    if not listed:  # attention and experts take turns
        return [Kind("moe") if index % 2 else CONVOLVED for index in range(layer_count(keys))]
    for entry in listed:
        if entry != "a":
            keys.checked("zaya_layers", entry)
    return [CONVOLVED if entry == "a" else Kind("moe") for entry in listed[:MAX_LAYERS]]


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    if kind.name not in ("convolved", "convolved_sliding"):
        return None
    attention = Kind("full" if kind.name == "convolved" else "sliding")
    window = window_tokens(keys, attention) if attention.name == "sliding" else None
    part = next(part for part in heads_layer(keys, attention, window) if isinstance(part, HeadKv))
    hidden = keys.need(*HIDDEN, what="the convolution's inputs")
    split, whole = _cca_inputs(keys, part, hidden) if is_cca(keys) else _inputs(keys, part, hidden)
    return part, _inputs_state(keys, part.kv_heads, split), _inputs_state(keys, 1, whole)


def _cca_inputs(keys: Keys, part: HeadKv, hidden: int) -> tuple[int, int]:
    """Return what two convolutions over queries and keys keep, and the token before of the values [-]."""
    taps = [keys.whole(name) or DEFAULT_CCA_TAPS for name in CCA_TAPS]
    declared = keys.config.get("cca_num_q_heads")
    queries = None if isinstance(declared, list) else keys.whole("cca_num_q_heads")
    heads = (queries or attention_heads(keys)) + part.kv_heads
    return heads * part.key_elements * (sum(taps) - len(taps)), hidden


def _inputs(keys: Keys, part: HeadKv, hidden: int) -> tuple[int, int]:
    """Return what convolutions over keys and values keep, and those over two streams of the width [-]."""
    taps = keys.need(*TAPS, what="the convolution's inputs")
    both = part.kv_heads * (part.key_elements + part.value_elements)
    return both * (taps - 1), STREAMS * hidden * (taps - 1)


def _inputs_state(keys: Keys, heads: int, elements: int) -> State:
    return State(heads=heads, recurrent_bytes=0, conv_bytes=elements * keys.dtype_bytes)


def _weigh(keys: Keys, kind: Kind) -> int | None:
    if kind.name not in ("convolved", "convolved_sliding"):
        return None
    return heads_weights(keys, Kind("full" if kind.name == "convolved" else "sliding"))


FAMILY = Family("convolved", "ZAYA, Inkling", _pattern, _keep, _weigh)
