"""Bytes of a model's weights in a format, by part: embedding and head stay in bf16, experts are padded.

Source of both: what engines load. Llama-3.1-70B in int8 takes 67.7 GiB on one GPU
(github.com/vllm-project/vllm issue 12569), gpt-oss-120b in mxfp4 65.97 GiB (issue 23278), not 60.8.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from aisim_model.models.weights.formats import BYTES, CHECKPOINT, StoredWeights, stored_as

if TYPE_CHECKING:
    from aisim_model.models.spec import ModelSpec

# tiles that kernels for mxfp4 pad a rank's expert matrices to, columns by rows
# (github.com/vllm-project/vllm model_executor/layers/quantization/mxfp4.py, Marlin)
MXFP4_TILES = 128, 256


class Parts(NamedTuple):
    """Parameters of a model's parts; they add up to all of them.

    Parameters
    ----------
    head, attention, feed_forward, experts : float
        Embedding and head; what mixes tokens; MLPs, shared experts and routers; routed experts [-].
    """

    head: float
    attention: float
    feed_forward: float
    experts: float


def parts_of(spec: ModelSpec) -> Parts:
    """Split a model's parameters into parts.

    Examples
    --------
    >>> from aisim_model import catalog
    >>> [round(part / 1e9, 2) for part in parts_of(catalog.model("gpt-oss-120b").spec())]
    [1.16, 0.96, 0.05, 114.66]
    """
    total = float(spec.total_parameters or 0)
    experts = min(float(spec.experts.routed_parameters or spec.shape.expert_parameters), total)
    head = min(float(spec.experts.head_parameters + spec.experts.looked_up_parameters), total - experts)
    attention = min(float(spec.experts.attention_parameters), total - experts - head)
    return Parts(head, attention, total - experts - head - attention, experts)


def weights_in(spec: ModelSpec, name: str) -> StoredWeights:
    """Return how a model is stored in a format: as its own checkpoint where that is in it.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    name : str
        One of `WEIGHT_FORMATS`.

    Examples
    --------
    >>> from aisim_model import catalog
    >>> weights_in(catalog.model("kimi-k2.5").spec(), "int4").group_size
    32
    """
    if name == CHECKPOINT or (name != "bf16" and name in (spec.stored.experts, spec.stored.feed_forward)):
        return spec.stored
    return stored_as(name, mixture=spec.total_parameters != spec.active_parameters)


def weight_bytes(
    spec: ModelSpec, stored: StoredWeights, ranks: int, attention_dp: int = 1, expert_parallel: int = 1
) -> float:
    """Return the bytes of a worker's weights over the ranks of one DP group: all its ranks without DP [B].

    Each group has all but the routed experts, which are dealt out over the groups too: slices of each, or by
    expert parallelism ``ceil(experts / EP)`` whole ones a rank. 0 where the parameters aren't known.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    stored : StoredWeights
        Formats of its parts.
    ranks : int
        Ranks of a group [-], over all pipeline stages as over one.
    attention_dp, expert_parallel : int
        Groups, and ranks that experts are dealt out to whole [-].

    Examples
    --------
    >>> from aisim_model import catalog
    >>> oss, kimi = (catalog.model(name).spec() for name in ("gpt-oss-120b", "kimi-k2.5"))
    >>> round(weight_bytes(oss, oss.stored, 1) / 1e9, 1), round(weight_bytes(kimi, kimi.stored, 8) / 1e9)
    (70.7, 594)
    """
    head, attention, forward, experts = parts_of(spec)
    slices = ranks * attention_dp / expert_parallel
    padded = _padded(spec, slices) if stored.experts == "mxfp4" else 1.0
    dealt = math.ceil(spec.experts.experts / expert_parallel) * expert_parallel
    uneven = dealt / spec.experts.experts if expert_parallel > 1 and spec.experts.experts else 1.0
    return (
        head * BYTES["bf16"]
        + attention * stored.bytes_of("attention")
        + forward * stored.bytes_of("feed_forward")
        + experts * stored.bytes_of("experts") * padded * uneven / attention_dp
    )


def _padded(spec: ModelSpec, ranks: float) -> float:
    """Return what an expert's padded matrices are of their own size [-]."""
    columns, rows = spec.experts.width / ranks, float(spec.hidden_size)
    if not columns:
        return 1.0
    wide, high = (
        math.ceil(size / tile) * tile for size, tile in zip((columns, rows), MXFP4_TILES, strict=True)
    )
    return wide / columns * high / rows


def attention_share(spec: ModelSpec) -> float:
    """Return attention's share of the weights that every token uses [-]; 0 where it isn't known.

    Examples
    --------
    >>> from aisim_model import catalog
    >>> round(attention_share(catalog.model("gpt-oss-120b").spec()), 2)
    0.95
    """
    _, attention, forward, _ = parts_of(spec)
    return attention / (attention + forward) if attention + forward > 0 else 0.0
