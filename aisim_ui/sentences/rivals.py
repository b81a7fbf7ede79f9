"""What each rival model of a row rests on."""

from __future__ import annotations

from typing import Any

from aisim_model.compare.rivals import Rival, rivals
from aisim_model.passes.registry import MODELS
from aisim_model.row.resolved import ResolvedRow
from aisim_ui.words import milliseconds

KNOWING = ("roofline", "simple_roofline", "aiconfigurator")  # of the models of a pass
APART = 1.25


def disagreement(x: ResolvedRow) -> str:
    """Say where models that know the served model and GPU time a pass more than 25% apart; else nothing.

    They are the rooflines, aiconfigurator where its operators are tabulated, and the row's own choice.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> disagreement(resolve(Scenario().workload, Scenario().selected)).split(" takes")[0]
    'Models of a pass disagree: prefill'
    """
    if x.row.prefill_model == "polynomial" or x.row.decode_model == "polynomial":
        return ""  # it knows no model: beside it all others are far off
    asked = [one for one in rivals(x) if one.chosen or one.model in KNOWING]
    said = []
    for quantity, name in (("prefill", "prefill"), ("decode step", "a decode step")):
        ones = sorted(
            (one for one in asked if one.quantity == quantity and one.milliseconds > 0.0),
            key=lambda one: one.milliseconds,
        )
        if len(ones) > 1 and ones[-1].milliseconds > APART * ones[0].milliseconds:
            low, high = (
                f"{milliseconds(one.milliseconds)} by {one.model.replace('_', ' ')}"
                for one in (ones[0], ones[-1])
            )
            said.append(f"{name} takes {low} and {high}")
    return f"Models of a pass disagree: {'; '.join(said)}." if said else ""


def rivals_table(x: ResolvedRow) -> dict[str, list[Any]]:
    """Lay the rival models of a row out as columns, with what each rests on."""
    found = rivals(x)
    columns = {
        name: [getattr(one, name) for one in found] for name in Rival._fields if name != "extrapolated"
    }
    return {**columns, "assumes": [assumes(one, x) for one in found]}


def assumes(one: Rival, x: ResolvedRow) -> str:
    """Say what a model's number rests on."""
    if one.quantity in ("prefill", "decode step"):
        return _pass_assumes(one, x)
    low = f"the lowest that was reached on this link, {x.measured_low_gb_s or 0:,.4g} GB/s"
    said = {
        ("transfer", "reference"): f"bytes over {float(x.bandwidth_gb_s):,.4g} GB/s, nothing else",
        ("transfer", "calibrated"): f"start-up {x.alpha_ms:g} ms, {x.per_descriptor_us:g} µs a descriptor, "
        f"{x.link_efficiency:.3g} of the bandwidth",
        ("exposed transfer", "none"): "the transfer starts when the prompt is done",
        ("exposed transfer", "layer"): f"each of {x.spec.layers} layers is sent once its own prefill ends",
        ("exposed transfer", "chunk"): f"each chunk of {x.row.pass_tokens:,} tokens is sent once its own "
        "prefill ends",
    }
    return said.get((one.quantity, one.model), low)


def _pass_assumes(one: Rival, x: ResolvedRow) -> str:
    model = MODELS[one.model]
    said = [model.assumes]
    if model.reached:
        mfu = model.reached["mfu"] if x.mfu is None else x.mfu
        hbm = model.reached["memory_efficiency"] if x.memory_efficiency is None else x.memory_efficiency
        said.append(f"{x.speeds.dense_tflops:,.0f} TFLOPS x MFU {mfu:g}, {x.gpu.hbm_tb_s:g} TB/s x {hbm:.3g}")
    if one.model == "roofline":
        own = {"floor x": x.floor_scale, "weights at": x.weight_efficiency, "cache at": x.kv_efficiency}
        if yours := [f"{name} {value:.3g}" for name, value in own.items() if value is not None]:
            said.append(f"yours: {', '.join(yours)}")
    if one.model == "polynomial":
        said.append(f"a pool of {x.pool_tokens:,.0f} tokens")
    if one.extrapolated:
        said.append("extrapolated: the prompt is outside its rows")
    return "; ".join(said)
