"""Decoders that attend to a source beside their own tokens: an encoder's output, or an image."""

from __future__ import annotations

from collections.abc import Sequence

from aisim_model.models.kv_cache.families.base import FULL, Family, Kind, at_places, layer_count
from aisim_model.models.kv_cache.families.heads import (
    attention_heads,
    head_elements,
    heads_layer,
    reading_weights,
)
from aisim_model.models.kv_cache.keys import KV_HEADS, MAX_LAYERS, Keys
from aisim_model.models.kv_cache.parts import CrossKv, HeadKv, Layer

DECODER_LAYERS = ("decoder_layers", "num_decoder_layers", "decoder_num_hidden_layers")
DECODER_KV_HEADS = ("decoder_num_key_value_heads",)
NESTED_DECODERS = ("decoder.", "decoder_config.")
FIXED_SOURCE = "max_source_positions"
NO_SOURCE = "Cross-attention bytes go with the source's tokens, which the config can't know: not in totals."


def _is_encoder_decoder(keys: Keys) -> bool:
    crossed = keys.flag("is_encoder_decoder") or keys.flag("add_cross_attention")
    return bool(crossed) or keys.has(*DECODER_LAYERS)


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    if _is_encoder_decoder(keys):
        count = keys.whole(*DECODER_LAYERS, high=MAX_LAYERS) or layer_count(keys)
        return [Kind("decoder")] * count
    if not keys.items("cross_attention_layers"):
        return None
    keys.note("Cross-attention layers keep the image, not the text: their bytes come with each image, apart.")
    return at_places(keys, "cross_attention_layers", Kind("image"), FULL)


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    if kind.name == "image":
        return tuple(_cross(part, None) for part in heads_layer(keys, kind) if isinstance(part, HeadKv))
    if kind.name != "decoder":
        return None
    heads = attention_heads(keys)
    size = head_elements(keys, heads)
    count = keys.whole(*DECODER_KV_HEADS) or keys.whole(*KV_HEADS) or heads
    part = HeadKv(kv_heads=count, key_elements=size, value_elements=size)
    # only audio is padded to one length; a text's own length is not in the config
    source = keys.whole(FIXED_SOURCE) if keys.has("num_mel_bins") else None
    if source is None:
        keys.note(NO_SOURCE)
    return part, _cross(part, source)


def with_source(keys: Keys, layer: Layer) -> Layer:
    """Return a decoder's layer with the source it attends to, where only the whole file says it has one."""
    nested = keys.path.endswith(NESTED_DECODERS) and keys.outer.get("is_encoder_decoder") is True
    heads = [part for part in layer if isinstance(part, HeadKv)]
    if not nested or not heads or any(isinstance(part, CrossKv) for part in layer):
        return layer
    keys.note(NO_SOURCE)
    count, size = keys.whole("cross_num_key_value_heads"), keys.whole("cross_head_dim")
    own = {"kv_heads": count} if count else {}
    own |= {"key_elements": size, "value_elements": size} if size else {}
    return layer + tuple(_cross(part.model_copy(update=own), None) for part in heads)


def _cross(part: HeadKv, source_tokens: int | None) -> CrossKv:
    return CrossKv(
        kv_heads=part.kv_heads,
        key_elements=part.key_elements,
        value_elements=part.value_elements,
        source_tokens=source_tokens,
    )


def _weigh(keys: Keys, kind: Kind) -> int | None:
    """Four matrices over its own tokens, four over the source."""
    return 4 * reading_weights(keys) if kind.name == "decoder" else None


FAMILY = Family("cross", "Whisper, T5, BART, Llama-3.2-Vision", _pattern, _keep, _weigh)
