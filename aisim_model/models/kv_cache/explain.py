"""How the bytes are worked out, as records for a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from aisim_model.models.kv_cache.curve import whole
from aisim_model.models.kv_cache.dtypes import KvDtype
from aisim_model.models.kv_cache.parts import AnyPart, CrossKv, HeadKv, IndexKeys, LatentKv, Layer, State


class LayerGroup(NamedTuple):
    """Layers that keep the same, for a table.

    Parameters
    ----------
    layers : int
        How many [-].
    keeps : str
        What they keep.
    bytes_per_token : int or float
        Bytes of one token in all of them [B]; 0 for a state.
    window_tokens : int or None
        Tokens they keep, None for all [-].
    constant_bytes : int
        Bytes whatever the prompt [B].
    working : str
        How the bytes are worked out.
    """

    layers: int
    keeps: str
    bytes_per_token: int | float
    window_tokens: int | None
    constant_bytes: int
    working: str


def explained(blocks: Sequence[Layer], order: Sequence[int], dtype: KvDtype) -> tuple[LayerGroup, ...]:
    """Return a record for each part of each kind of layer, and one for the layers that keep nothing."""
    counts = Counter(order)
    rows = [_row(part, counts[index], dtype) for index, block in enumerate(blocks) for part in block]
    silent = sum(counts[index] for index, block in enumerate(blocks) if not block)
    if silent:
        rows.append(LayerGroup(silent, "nothing", 0, None, 0, "no cache of their own"))
    return tuple(rows)


def _row(part: AnyPart, layers: int, dtype: KvDtype) -> LayerGroup:
    each = f"{layers} layer{'s' if layers > 1 else ''} x "
    if isinstance(part, State):
        working = f"{each}({part.recurrent_bytes:,} B recurrent + {part.conv_bytes:,} B convolution)"
        return LayerGroup(layers, "recurrent state", 0, None, layers * part.constant_bytes, working)
    size = whole(layers * part.token_bytes(dtype))
    shared = (
        ""
        if isinstance(part, HeadKv | CrossKv) or part.tokens_per_entry == 1
        else (f" / {part.tokens_per_entry} tokens an entry")
    )
    element = f"{float(dtype.element_bytes):g} B"
    if isinstance(part, IndexKeys):
        return LayerGroup(layers, "indexer keys", size, None, 0, f"{each}{part.entry_bytes} B{shared}")
    if isinstance(part, LatentKv):
        entry = whole(part.token_bytes(dtype) * part.tokens_per_entry)
        elements = f"({part.latent_elements} + {part.rope_elements})"
        working = f"{each}{elements} in {dtype.name} = {entry} B{shared}"
        return LayerGroup(layers, "latent" + _window(part), size, part.window_tokens, 0, working)
    working = f"{each}{part.kv_heads} KV heads x ({part.key_elements} + {part.value_elements}) x {element}"
    if dtype.scale_bytes:
        working += f", scales counted: {whole(part.token_bytes(dtype))} B a layer"
    if isinstance(part, CrossKv):
        constant = int(size * (part.source_tokens or 0))
        return LayerGroup(layers, "cross-attention, by source position", size, None, constant, working)
    return LayerGroup(layers, "keys and values" + _window(part), size, part.window_tokens, 0, working)


def _window(part: HeadKv | LatentKv) -> str:
    if part.window_tokens is None:
        return ""
    chunked = isinstance(part, HeadKv) and part.chunked
    return f" of the {'chunk' if chunked else 'last'} {part.window_tokens:,} tokens"
