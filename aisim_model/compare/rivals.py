"""The rival models of one row side by side: what each says of transfer, prefill and decode step, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import breakdown, decode_step_ms, prefill_extrapolated, prefill_ms, transfer_ms


class Rival(NamedTuple):
    """One model's answer.

    Parameters
    ----------
    quantity, model : str
        What is timed, and by which model.
    milliseconds : float
        Its answer [ms].
    chosen : bool
        Whether the row uses it.
    assumes : str
        What the answer rests on.
    """

    quantity: str
    model: str
    milliseconds: float
    chosen: bool
    assumes: str


def rivals(x: ResolvedRow) -> tuple[Rival, ...]:
    """Ask every model that has its inputs.

    Parameters
    ----------
    x : ResolvedRow
        A resolved row, its numbers single ones.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> found = rivals(resolve(Scenario().workload, Scenario().selected))
    >>> [(one.model, round(one.milliseconds, 2)) for one in found if one.quantity == "exposed transfer"]
    [('none', 15.73), ('layer', 0.25), ('chunk', 4.99)]
    """
    return (*_transfers(x), *_overlaps(x), *_prefills(x), *_decodes(x))


def _as(x: ResolvedRow, **values: object) -> ResolvedRow:
    """Return the inputs with another choice in their row; its checks don't matter to a rival."""
    return replace(x, row=x.row.model_copy(update=values))


def _transfers(x: ResolvedRow) -> Iterator[Rival]:
    if not x.row.split:
        return
    asked = {
        "reference": f"bytes over {float(x.bandwidth_gb_s):,.4g} GB/s, nothing else",
        "calibrated": f"start-up {x.alpha_ms:g} ms, {x.per_descriptor_us:g} µs a descriptor, "
        f"{x.link_efficiency:.3g} of the bandwidth",
    }
    for model, assumes in asked.items():
        found = float(transfer_ms(_as(x, link_model=model)))
        yield Rival("transfer", model, found, x.row.link_model == model, assumes)
    if x.measured_low_gb_s is not None:
        slow = replace(x, bandwidth_gb_s=x.measured_low_gb_s)
        assumes = f"the lowest that was reached on this link, {x.measured_low_gb_s:,.4g} GB/s"
        yield Rival("transfer", f"{x.row.link_model}, low", float(transfer_ms(slow)), False, assumes)


def _overlaps(x: ResolvedRow) -> Iterator[Rival]:
    if not x.row.split:
        return
    asked = {
        "none": "the transfer starts when the prompt is done",
        "layer": f"each of {x.spec.layers} layers is sent once its own prefill ends",
        "chunk": f"each chunk of {x.row.chunk_tokens:,} tokens is sent once its own prefill ends",
    }
    for overlap, assumes in asked.items():
        profile = x.profile.model_copy(update={"overlap": overlap, "first_token_from": "decode_step"})
        found = float(breakdown(replace(x, profile=profile)).transfer_ms)
        yield Rival("exposed transfer", overlap, found, x.profile.overlap == overlap, assumes)


def _prefills(x: ResolvedRow) -> Iterator[Rival]:
    table = x.row.prefill_table
    beyond = bool(table) and bool(prefill_extrapolated(_as(x, prefill_model="table")))
    asked = {
        "roofline": (
            x.spec.total_parameters is not None,
            f"{x.peak_tflops:,.0f} TFLOPS x MFU {x.mfu:g}, {x.gpu.hbm_tb_s:g} TB/s x {x.memory_efficiency:g}",
        ),
        "rate": (x.prefill_tokens_per_s is not None, "your measured rate"),
        "table": (
            bool(table),
            "your table" + (", its last line carried on: outside its rows" if beyond else ""),
        ),
        "fixed": (x.prefill_pass_ms is not None, "your time a pass"),
        "polynomial": (True, "the reference engine's own timing, which knows no model"),
    }
    for model, (known, assumes) in asked.items():
        if known:
            found = float(prefill_ms(_as(x, prefill_model=model)))
            yield Rival("prefill", model, found, x.row.prefill_model == model, assumes)


def _decodes(x: ResolvedRow) -> Iterator[Rival]:
    asked = {
        "roofline": (
            x.spec.total_parameters is not None,
            f"weights and KV read once at {x.gpu.hbm_tb_s:g} TB/s x {x.memory_efficiency:g}",
        ),
        "fixed": (x.decode_step_ms is not None, "your measured step"),
        "polynomial": (True, f"the reference engine's own timing, a pool of {x.pool_tokens:,.0f} tokens"),
    }
    for model, (known, assumes) in asked.items():
        if known:
            found = float(decode_step_ms(_as(x, decode_model=model)))
            yield Rival("decode step", model, found, x.row.decode_model == model, assumes)
