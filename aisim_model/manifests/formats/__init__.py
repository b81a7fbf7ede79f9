"""Formats in the order in which they are tried: a new one is a module here and its name in the list."""

from __future__ import annotations

from aisim_model.manifests.formats import (
    aisimulate,
    dynamo,
    engine_yaml,
    kserve,
    kubernetes,
    llmd,
    pstack,
    ray,
    srtslurm,
    stormservice,
    trtllm,
)

FORMATS = (
    dynamo,
    kserve,
    stormservice,
    pstack,
    llmd,
    ray,
    aisimulate,
    srtslurm,
    trtllm,
    kubernetes,
    engine_yaml,
)
