"""Layers that keep a window or a chunk of the last tokens, and which layers those are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from aisim_model.models.kv_cache.families.base import (
    FULL,
    Family,
    Kind,
    at_places,
    by_flags,
    fitted,
    keep_nothing_else,
    layer_count,
)
from aisim_model.models.kv_cache.families.heads import heads_layer
from aisim_model.models.kv_cache.keys import MAX_LAYERS, WINDOWS, Keys
from aisim_model.models.kv_cache.parts import Layer

PATTERNS = ("sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers")
WINDOW_LISTS = ("sliding_window", "interleaved_sliding_window")
OLDER_WINDOW = "local_attention"
_OF_OTHERS = re.compile(r"^window_size$|^attention_window_size$")  # an encoder's, in several classes
SLIDING, CHUNKED = Kind("sliding"), Kind("chunked")
NOPE_INTERVAL = 4


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    for find in (_binary, _chosen, _cycle, _object, _chunks, _every_nth, _letters, _neo):
        kinds = find(keys)
        if kinds is not None:
            return kinds
    return None


def _chunks(keys: Keys) -> Sequence[Kind] | None:
    """Llama-4: layers with rotary positions see a chunk, those without see all."""
    if keys.whole("attention_chunk_size") is None:
        return None
    # 1 where a layer has rotary positions, despite the name
    flagged = by_flags(keys, ("no_rope_layers",), CHUNKED, FULL)
    if flagged is not None:
        return flagged
    interval = keys.whole("no_rope_layer_interval")
    if interval is None:
        interval = NOPE_INTERVAL
        keys.note(
            f"Neither no_rope_layers nor its interval is in the config: every {interval}th layer sees all."
        )
    return [FULL if (index + 1) % interval == 0 else CHUNKED for index in range(layer_count(keys))]


def _binary(keys: Keys) -> Sequence[Kind] | None:
    """MiMo-V2, SmallThinker: 1 where a layer slides, 0 where it doesn't."""
    names = ("hybrid_layer_pattern", "sliding_window_layout")
    return by_flags(
        keys, [name for name in names if not isinstance(keys.config.get(name), str)], SLIDING, FULL
    )


def _chosen(keys: Keys) -> Sequence[Kind] | None:
    """Baichuan-M1: the places of the layers that slide."""
    return at_places(keys, "sliding_window_layers", SLIDING, FULL)


def _cycle(keys: Keys) -> Sequence[Kind] | None:
    """Mistral's own format, PLaMo-3: a window a layer, null for none, repeated to the last layer."""
    lists = [name for name in WINDOW_LISTS if isinstance(keys.config.get(name), list) and keys.config[name]]
    if not lists:
        return None
    name = lists[0]
    kinds = [
        FULL if window is None else Kind("sliding", window_tokens=keys.checked(name, window))
        for window in keys.config[name][:MAX_LAYERS]
    ]
    return [kinds[index % len(kinds)] for index in range(layer_count(keys))]


def _object(keys: Keys) -> Sequence[Kind] | None:
    """ONNX Runtime GenAI: an object with the window and its layers, all where it lists none."""
    if not isinstance(keys.config.get("sliding_window"), Mapping):
        return None
    nested = keys.sub("sliding_window")
    kind = Kind(
        "sliding", window_tokens=nested.need("window_size", what="how many tokens a window layer keeps")
    )
    if nested.items("layers"):
        count = layer_count(keys)
        places = {
            nested.checked("layers", place, low=0, high=count - 1) for place in nested.items("layers") or ()
        }
        return [kind if index in places else FULL for index in range(count)]
    return [kind] * layer_count(keys)


def _slides(keys: Keys) -> bool:
    """Whether the config has a window at all, and does not switch it off."""
    return keys.flag("use_sliding_window") is not False and keys.whole("sliding_window") is not None


def _every_nth(keys: Keys) -> Sequence[Kind] | None:
    """Gemma-3, Cohere-2: every n-th layer in full; ModernBERT counts from the first."""
    values = {name: keys.raw(name) for name in PATTERNS}
    name = next((name for name, value in values.items() if not isinstance(value, str | None)), None)
    if name is None:
        return None
    if not (_slides(keys) or keys.whole(OLDER_WINDOW) is not None):
        off = "sliding_window" in keys.config or keys.flag("use_sliding_window") is False
        if keys.has(name) and not off and not keys.has(*WINDOWS):
            raise keys.missing("sliding_window", f"how many tokens the layers that {name} names keep")
        return None
    every = keys.whole(name)
    if every is None:
        return None
    first = 0 if keys.model_type.startswith("modernbert") else 1
    return [FULL if (index + first) % every == 0 else SLIDING for index in range(layer_count(keys))]


def _letters(keys: Keys) -> Sequence[Kind] | None:
    """Exaone-4: a cycle of L for local and G for global."""
    pattern = keys.raw(PATTERNS[0])
    if not isinstance(pattern, str) or not _slides(keys):
        return None
    if not pattern or set(pattern) - set("LG"):
        raise keys.refused(PATTERNS[0], pattern, "must hold L for local and G for global")
    return [FULL if pattern[i % len(pattern)] == "G" else SLIDING for i in range(layer_count(keys))]


def _neo(keys: Keys) -> Sequence[Kind] | None:
    """GPT-Neo: lists of kinds, each with how often it is repeated."""
    kinds: list[Kind] = []
    for entry in keys.items("attention_types") or []:
        if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], list)):
            raise keys.refused("attention_types", entry, "must hold a list of kinds and a number each")
        cycle = [SLIDING if name == "local" else FULL for name in entry[0]]
        kinds += cycle * keys.checked("attention_types", entry[1], high=1000)
    return fitted(keys, "attention_types", kinds) if kinds else None


def _all(keys: Keys) -> Sequence[Kind] | None:
    """Mistral, Phi-3: every layer; Qwen-2, dots1: those from `max_window_layers` on."""
    if keys.has("kv_lora_rank") or not _slides(keys):
        return None
    full = keys.whole("max_window_layers", low=0) or 0
    if not keys.has("max_window_layers") and not keys.model_type:
        keys.note(
            "No key says which layers keep the window: every layer is taken to, as in Mistral's first models."
        )
    return [FULL if index < full else SLIDING for index in range(layer_count(keys))]


def window_tokens(keys: Keys, kind: Kind) -> int | None:
    """Return the tokens that a layer keeps [-]; None where the window covers the longest prompt."""
    if kind.name == "sliding" and keys.flag("use_sliding_window") is False:
        keys.note("use_sliding_window is false: the layers that would slide keep all tokens.")
        return None
    names = ("attention_chunk_size",) if kind.name == "chunked" else WINDOWS
    found = {} if kind.window_tokens else {name: keys.whole(name) for name in names}
    found = {name: value for name, value in found.items() if value is not None}
    window = kind.window_tokens or next(iter(found.values()), None)
    for name, value in found.items():
        if value != window and not _OF_OTHERS.search(name):
            keys.note(f"{next(iter(found))} = {window:,} is taken for the window, not {name} = {value:,}.")
    if window is None:
        raise keys.missing(names[0], "how many tokens a window layer keeps")
    longest = keys.positions()
    if longest is not None and window >= longest:
        keys.note(
            f"The window of {window:,} tokens is no shorter than the longest prompt: it counts as none."
        )
        return None
    if kind.name == "chunked":
        keys.note("Layers in chunks start anew at each chunk: min(tokens, chunk) is an upper bound.")
    return window


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    if kind.name not in ("sliding", "chunked"):
        return None
    return heads_layer(keys, kind, window_tokens(keys, kind))


FAMILY = Family(
    "windowed", "Gemma-2 and 3, gpt-oss, Llama-4, Cohere-2, MiMo-V2, GPT-Neo", _pattern, keep_nothing_else
)
EVERYWHERE = Family("windowed everywhere", "Mistral, Phi-3, Qwen-2", _all, _keep)
