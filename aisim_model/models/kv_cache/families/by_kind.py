"""Sizes of one kind of layer: ``swa_X`` before ``X`` in a window, ``global_X`` before it elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aisim_model.models.kv_cache.families.base import Kind
from aisim_model.models.kv_cache.keys import HEADS, KV_HEADS, Keys

HEAD_SIZES = ("head_dim", "attention_head_dim", "head_size", "kv_channels", "d_kv", "d_head", "dim_head")
_VALUE_SIZE = "v_head_dim"
# names of one size: where a kind has its own, the others' no longer hold
SIZES = (
    HEADS,
    KV_HEADS,
    HEAD_SIZES,
    (_VALUE_SIZE,),
    ("kv_lora_rank", "attention_kv_lora_dim"),
    ("qk_rope_head_dim", "attention_qk_rope_dim"),
    ("q_lora_rank", "attention_q_lora_dim"),
    ("qk_nope_head_dim", "attention_qk_dim"),
)
IN_WINDOW = (
    "swa",
    "sliding",
    "sliding_window",
    "sliding_attention",
    "local",
    "local_attention",
    "local_attn",
)
IN_FULL = ("full", "full_attention", "full_attn", "global", "global_attention", "global_attn")
_GEMMA = ("global_head_dim", "num_global_key_value_heads")  # which hold under a condition of their own


def for_kind(keys: Keys, kind: Kind) -> Keys:
    """Return the keys with the sizes of a kind of layer in place of those of all layers.

    Examples
    --------
    >>> keys = Keys({"head_dim": 128, "swa_head_dim": 64, "kv_lora_rank": 512, "kv_lora_rank_swa": 256})
    >>> own = for_kind(keys, Kind("sliding"))
    >>> own.whole("head_dim"), own.whole("kv_lora_rank"), for_kind(keys, Kind("full")) is keys
    (64, 256, True)
    """
    window = kind.window_tokens is not None or kind.name in ("sliding", "hybrid_sliding", "convolved_sliding")
    if not window and kind.name not in ("full", "hybrid", "convolved"):
        return keys
    own: dict[str, Any] = {}
    for names in SIZES:
        for name in names:
            found = next((key for key in _spelled(name, window) if keys.has(key) and key not in _GEMMA), None)
            if found is not None:
                own |= dict.fromkeys(names) | {name: keys.raw(found)}
                if names is HEAD_SIZES:
                    own.setdefault(_VALUE_SIZE, None)  # a head's own size is that of its values too
                break
    return keys.replaced(own) if own else keys


def kinds_sized(keys: Keys) -> str | None:
    """Return the first key that sizes layers in a window apart from the others; None without one."""
    names = (key for names in SIZES for name in names for key in _spelled(name, True))
    return next((key for key in names if keys.has(key)), None)


def _spelled(name: str, window: bool) -> Iterator[str]:
    """Yield the ways in which configs spell a size of a kind: before it, after it, or after ``num_``."""
    for kind in IN_WINDOW if window else IN_FULL:
        yield f"{kind}_{name}"
        yield f"{name}_{kind}"
        if name.startswith("num_"):
            yield f"num_{kind}_{name.removeprefix('num_')}"
