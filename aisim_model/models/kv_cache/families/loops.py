"""Models that run layers several times over a token, and keep a cache for each time."""

from __future__ import annotations

from aisim_model.models.kv_cache.families.base import Kind
from aisim_model.models.kv_cache.families.windowed import window_tokens
from aisim_model.models.kv_cache.keys import Keys
from aisim_model.models.kv_cache.parts import HeadKv, Layer

PASSES = ("total_ut_steps", "loop_num")
PART_PASSES = ("loop_num_passes", "n_recurrent_loops")
PART_START = ("loop_layer_index_start", "n_input_layers")
MAX_PASSES = 64
WINDOW = "loop_window_size"


def with_passes(keys: Keys, layer: Layer, index: int) -> Layer:
    """Return what a layer keeps over all passes: the same again (Ouro), or a window (IQuest-Coder-Loop)."""
    passes = _passes(keys, index)
    if passes == 1 or not layer:
        return layer
    keys.note("Layers that run several times over a token keep a cache for each time.")
    window = keys.whole(WINDOW)
    if window is None:
        return layer * passes
    later = window_tokens(keys, Kind("sliding", window_tokens=window))
    again = tuple(
        part.model_copy(update={"window_tokens": later}) if isinstance(part, HeadKv) else part
        for part in layer
    )
    return layer + again * (passes - 1)


def _passes(keys: Keys, index: int) -> int:
    """Return how often a layer runs: all of them alike, or those from a start to before an end [-]."""
    part = keys.whole(*PART_PASSES, high=MAX_PASSES)
    if part is None:
        return keys.whole(*PASSES, high=MAX_PASSES) or 1
    if keys.text("recurrent_kv_cache_mode") == "last_loop":
        return 1
    start = keys.whole(*PART_START, low=0) or 0
    length = keys.whole("n_recurrent_layers")
    end = keys.whole("loop_layer_index_end", low=0) if length is None else start + length
    return part if start <= index and (end is None or index < end) else 1
