"""The families, in the order in which they are asked: a new architecture is one file and one line here."""

from __future__ import annotations

from aisim_model.kv_cache.families import heads, latent
from aisim_model.kv_cache.families.base import Family

FAMILIES: tuple[Family, ...] = (
    latent.FAMILY,
    heads.FAMILY,
)
