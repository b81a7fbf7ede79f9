"""The families, in the order in which they are asked: a new architecture is one file and one line here."""

from __future__ import annotations

from aisim_model.models.kv_cache.families import (
    compressed,
    convolved,
    cross,
    heads,
    latent,
    linear,
    listed,
    mamba,
    matrix,
    pruned,
    recurrent,
    schedule,
    shared,
    windowed,
    yoco,
)
from aisim_model.models.kv_cache.families.base import Family

FAMILIES: tuple[Family, ...] = (
    pruned.FAMILY,
    compressed.FAMILY,
    cross.FAMILY,
    yoco.FAMILY,
    listed.FAMILY,
    convolved.FAMILY,
    linear.FAMILY,
    mamba.FAMILY,
    matrix.FAMILY,
    recurrent.FAMILY,
    windowed.FAMILY,
    schedule.FAMILY,
    latent.FAMILY,
    windowed.EVERYWHERE,
    shared.FAMILY,
    heads.FAMILY,
)
