"""In what format a row's weights are stored, part by part, and what they are multiplied in."""

from __future__ import annotations

from aisim_model.models.weights.formats import CHECKPOINT, StoredWeights
from aisim_model.models.weights.stored import parts_of
from aisim_model.passes.speeds import arithmetic
from aisim_model.row.resolved import ResolvedRow
from aisim_model.scenario import Deployment

PARTS = {"experts": "experts", "attention": "attention", "feed_forward": "MLPs"}


def weights_sentence(x: ResolvedRow) -> str:
    """Say how a row's weights are stored and multiplied.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> oss = Workload(model_id="gpt-oss-120b")
    >>> weights_sentence(resolve(oss, Deployment(id="a", name="a", gpu="h100-sxm")))
    'experts mxfp4 in bf16 arithmetic; attention bf16'
    """
    held = parts_of(x.spec)
    kept = {
        part: name
        for part, name in PARTS.items()
        if getattr(held, part) > 0.001 * float(x.spec.total_parameters or 0)
    } or {"feed_forward": "weights"}
    formats = {part: getattr(x.stored, part) for part in kept}
    if len(set(formats.values())) == 1:
        return _multiplied(x.gpu.id, next(iter(formats.values())))
    return "; ".join(f"{kept[part]} {_multiplied(x.gpu.id, name)}" for part, name in formats.items())


def _multiplied(gpu_id: str, stored: str) -> str:
    """Name a format, and the arithmetic where it is another."""
    name = arithmetic(gpu_id, stored).name
    return (
        stored if name == stored or (stored, name) == ("nvfp4", "fp4") else f"{stored} in {name} arithmetic"
    )


def weights_named(row: Deployment) -> str:
    """Name a row's weights by the format that was chosen.

    Examples
    --------
    >>> weights_named(Deployment(id="a", name="a", weight_format="fp8"))
    'fp8 weights'
    """
    return "the checkpoint's weights" if row.weight_format == CHECKPOINT else f"{row.weight_format} weights"


def unread_sentence(name: str, stored: StoredWeights) -> str:
    """Ask for the format of a checkpoint whose quantisation isn't known here; empty where it is."""
    if not stored.unread:
        return ""
    return (
        f"{name} is quantised by {stored.unread}, which is not read here: its weights count as bf16. "
        "Choose the format they are stored in under Deployments, Weights."
    )
