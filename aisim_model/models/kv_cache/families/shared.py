"""Layers that read another layer's keys and values, and keep none of their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from aisim_model.models.kv_cache.families.base import NONE, Family, Kind, no_pattern
from aisim_model.models.kv_cache.families.heads import reading_weights
from aisim_model.models.kv_cache.families.sources import kv_sources
from aisim_model.models.kv_cache.keys import Keys
from aisim_model.models.kv_cache.parts import Layer


def without_shared(keys: Keys, kinds: Sequence[Kind]) -> Sequence[Kind]:
    """Empty the layers that share: the last ones (Gemma-3n), or all but the first of each group (CLA)."""
    sources = kv_sources(keys, len(kinds))
    if sources is not None:
        return _by_source(kinds, sources)
    last = keys.whole("num_kv_shared_layers", low=0) or 0
    if last:
        if last >= len(kinds):
            raise keys.contradiction("num_kv_shared_layers", last, f"num_hidden_layers = {len(kinds)}")
        keys.note(f"The last {last} layers read the keys and values of earlier ones and keep none.")
        return [*kinds[: len(kinds) - last], *[NONE] * last]
    if keys.flag("use_cla"):
        factor = keys.need("cla_share_factor", what="how many layers share their keys and values")
        keys.note(f"Each {factor} layers in a row share one cache (use_cla).")
        return [kind if index % factor == 0 else NONE for index, kind in enumerate(kinds)]
    return kinds


def _by_source(kinds: Sequence[Kind], sources: Collection[int]) -> Sequence[Kind]:
    """Empty each layer whose source is another one; of a compressed layer what it compresses."""
    return [
        kind if index in sources else kind._replace(source=False) if kind.name == "compressed" else NONE
        for index, kind in enumerate(kinds)
    ]


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    return () if kind.name in ("none", "mlp", "moe") else None


def _weigh(keys: Keys, kind: Kind) -> int | None:
    if kind.name in ("mlp", "moe"):
        return 0
    if kind.name != "none":
        return None
    return 0 if keys.has("block_configs") else reading_weights(keys)


FAMILY = Family(
    "shared", "layers that keep nothing: Gemma-3n, Hunyuan-Large, MLP blocks", no_pattern, _keep, _weigh
)
