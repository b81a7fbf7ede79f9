"""What a model keeps, as tables for a page: its curve over prompt lengths, and its groups of layers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from aisim_model.models.kv_cache import KV_DTYPES, KvLayout

POINTS = 45
SHORTEST, LONGEST = 16, 1_000_000
COMPARED = ("bf16", "fp8", "nvfp4")


def curves(layout: KvLayout, kv_dtype: str) -> pd.DataFrame:
    """Bytes over prompt lengths: the chosen KV dtype, its rivals, and windows kept in full.

    Returns
    -------
    DataFrame
        `series`, `kv_dtype`, `window_layers`, `tokens`, `kv_bytes`.
    """
    tokens = np.unique(np.round(np.geomspace(SHORTEST, LONGEST, POINTS)))
    asked = [(kv_dtype, "window"), *((name, "window") for name in COMPARED if name != kv_dtype)]
    if layout.curve(kv_dtype).windowed:
        asked.insert(1, (kv_dtype, "full"))
    parts = []
    for name, windows in asked:
        curve = layout.curve(name, "full" if windows == "full" else "window")
        parts.append(
            pd.DataFrame(
                {
                    "series": f"{name}, window layers in full" if windows == "full" else name,
                    "kv_dtype": name,
                    "window_layers": windows,
                    "tokens": tokens.astype(np.int64),
                    "kv_bytes": curve.bytes(tokens),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def groups(layout: KvLayout, kv_dtype: str) -> pd.DataFrame:
    """Groups of layers that keep the same, each with how its bytes are worked out."""
    return pd.DataFrame([group._asdict() for group in layout.explain(kv_dtype)])


def has_windows(layout: KvLayout) -> bool:
    """Whether some layers stop growing at a window."""
    return bool(layout.curve().windowed)


def has_latent(layout: KvLayout) -> bool:
    """Whether some layers keep one latent for all heads (MLA)."""
    return any(part.kind == "latent" for block in layout.blocks for part in block)


def fitting_dtypes(layout: KvLayout) -> tuple[str, ...]:
    """KV dtypes that this model can be kept in: layouts of latents only where all its layers are latents."""
    parts = [part.kind for block in layout.blocks for part in block]
    fits = has_latent(layout) and all(kind in ("latent", "index", "state") for kind in parts)
    return tuple(name for name, dtype in KV_DTYPES.items() if fits or not dtype.latent_only)
