"""Where a number comes from: measured, fitted, nominal, assumed, or yours."""

from __future__ import annotations

from aisim_model.compare.outcome import Outcome
from aisim_model.passes.registry import MODELS
from aisim_model.row.ttft import prefill_extrapolated
from aisim_model.scenario import Deployment
from aisim_ui.sentences.engines import counted_on_line

OWN = ("mfu", "memory_efficiency", "floor_scale", "weight_efficiency", "kv_efficiency")
COLORS = {
    "measured": "green",
    "fitted": "green",
    "nominal": "blue",
    "assumed": "orange",
    "yours": "violet",
    "config": "gray",
}


def badge(kind: str, text: str = "") -> str:
    """Markdown of a badge."""
    return f":{COLORS[kind]}-badge[{text or kind}]"


def _pass_model(name: str, row: Deployment) -> str:
    own = name in ("roofline", "simple_roofline") and any(getattr(row, field) is not None for field in OWN)
    basis = "yours" if own else MODELS[name].basis
    return badge(basis, f"{basis}: {name.replace('_', ' ')}")


def _bandwidth(row: Deployment) -> str:
    if row.link_model == "calibrated" and row.bandwidth_gb_s is not None:
        return badge("measured", "calibrated")
    if row.link_model == "calibrated" and (row.alpha_ms, row.per_descriptor_us, row.link_efficiency) != (
        0,
        0,
        1,
    ):
        return badge("nominal") + " with " + badge("yours", "yours: costs beside it")
    return badge("nominal" if row.bandwidth_gb_s is None else "yours")


def inputs_line(one: Outcome, kv_by_hand: bool) -> str:
    """Say in a line what the selected row's inputs are worth."""
    row = one.row
    parts = ["bytes per token " + (badge("yours") if kv_by_hand else badge("config", "from config.json"))]
    if row.split:
        parts.append("bandwidth " + _bandwidth(row))
    parts.append("prefill " + _pass_model(row.prefill_model, row))
    if prefill_extrapolated(one.x):
        parts[-1] += " " + badge("assumed", "extrapolated")
    parts.append("decode step " + _pass_model(row.decode_model, row))
    if asked := counted_on_line(row):
        parts.append(f"{asked} " + badge("assumed", "opt-in of the engine"))
    return " · ".join(parts)
