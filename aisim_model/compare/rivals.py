"""The rival models of one row side by side: what each says of transfer, prefill and decode step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

from aisim_model.errors import InputError
from aisim_model.link import Overlap
from aisim_model.passes.operator_pass import is_tabulated, operators_of
from aisim_model.passes.registry import DECODE_MODELS, MODELS, PREFILL_MODELS, Kind
from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import breakdown, decode_step_ms, prefill_extrapolated, prefill_ms, transfer_ms
from aisim_model.row.workers import decode_worker, prefill_worker
from aisim_model.scenario.deployment import NEEDED_FIELDS, LinkModel


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
    extrapolated : bool
        Whether a table is extrapolated beyond its rows.
    """

    quantity: str
    model: str
    milliseconds: float
    chosen: bool
    extrapolated: bool = False


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
    for model in get_args(LinkModel):
        yield Rival(
            "transfer", model, float(transfer_ms(_as(x, link_model=model))), x.row.link_model == model
        )
    if x.measured_low_gb_s is not None:
        slow = replace(x, bandwidth_gb_s=x.measured_low_gb_s)
        yield Rival("transfer", f"{x.row.link_model}, low", float(transfer_ms(slow)), False)


def _overlaps(x: ResolvedRow) -> Iterator[Rival]:
    if not x.row.split:
        return
    for overlap in get_args(Overlap):
        profile = x.profile.model_copy(update={"overlap": overlap, "first_token_from": "decode_step"})
        found = float(breakdown(replace(x, profile=profile)).transfer_ms)
        yield Rival("exposed transfer", overlap, found, x.profile.overlap == overlap)


def _prefills(x: ResolvedRow) -> Iterator[Rival]:
    for name in PREFILL_MODELS:
        if has_its_inputs(x, "prefill", name):
            asked = _as(x, prefill_model=name)
            beyond = bool(prefill_extrapolated(asked))
            yield Rival("prefill", name, float(prefill_ms(asked)), x.row.prefill_model == name, beyond)


def _decodes(x: ResolvedRow) -> Iterator[Rival]:
    for name in DECODE_MODELS:
        if has_its_inputs(x, "decode", name):
            found = float(decode_step_ms(_as(x, decode_model=name)))
            yield Rival("decode step", name, found, x.row.decode_model == name)


def has_its_inputs(x: ResolvedRow, side: Literal["prefill", "decode"], name: str) -> bool:
    """Say whether a row has what a model of a pass asks for: parameters, a measured number, or tables.

    Tables that aren't made yet are not waited for.
    """
    if MODELS[name].kind is Kind.OPERATORS:
        worker = prefill_worker(x) if side == "prefill" else decode_worker(x)
        try:
            return is_tabulated(operators_of(worker))
        except InputError:
            return False
    if MODELS[name].assumes_parameters:
        return x.spec.total_parameters is not None
    field = NEEDED_FIELDS.get((f"{side}_model", name))
    return field is None or getattr(x.row, field) is not None
