"""A row's workers as the models of a pass take them, and the one time of their passes."""

from __future__ import annotations

from dataclasses import replace

from aisim_model.errors import InputError
from aisim_model.models.weights.formats import precision_of
from aisim_model.passes.pass_time import Drafts, PassTime, pass_time
from aisim_model.passes.worker import Worker
from aisim_model.row.resolved import ResolvedRow
from aisim_model.scenario.sides import SideName


def prefill_worker(x: ResolvedRow) -> Worker:
    """Return a prefill worker; an aggregated row's worker, which decodes too."""
    return _worker(x, "prefill", decodes=not x.row.split)


def decode_worker(x: ResolvedRow) -> Worker:
    """Return a decode worker; an aggregated row's worker, which prefills too."""
    return _worker(x, "decode", decodes=True)


def _worker(x: ResolvedRow, name: SideName, decodes: bool) -> Worker:
    side = x.row.side(name)
    return Worker(
        active_parameters=float(x.spec.active_parameters or 0),
        total_parameters=float(x.spec.total_parameters or 0),
        shape=x.spec.shape,
        kv=x.held_decode if decodes else x.held_prefill,
        speeds=x.speeds if name == "prefill" else x.decode_speeds,
        tensor_parallel=side.tensor_parallel,
        attention_dp=side.attention_dp,
        expert_parallel=side.expert_parallel,
        engine=x.row.engine,
        mfu=x.mfu,
        memory_efficiency=x.memory_efficiency,
        floor_scale=x.floor_scale,
        weight_efficiency=x.weight_efficiency,
        kv_efficiency=x.kv_efficiency,
        pool_tokens=x.pool_tokens,
        prefill_tokens_per_s=x.prefill_tokens_per_s,
        prefill_pass_ms=x.prefill_pass_ms,
        decode_step_ms=x.decode_step_ms,
        prefill_table=x.row.prefill_table,
        decode_table=x.row.decode_table,
        model_id=x.model_id,
        gpu=side.gpu,
        precision=precision_of(x.stored, mixture=x.spec.total_parameters != x.spec.active_parameters),
    )


def prefill_pass_time(x: ResolvedRow) -> PassTime:
    """Return the time of the passes of a worker that prefills.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> example = Scenario()
    >>> round(prefill_pass_time(resolve(example.workload, example.selected)).pass_ms(8192.0))
    374
    """
    return pass_time(prefill_worker(x), x.row.prefill_model, x.row.decode_model)


def decode_pass_time(x: ResolvedRow) -> PassTime:
    """Return the time of the passes of a worker that decodes.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> example = Scenario()
    >>> round(decode_pass_time(resolve(example.workload, example.selected)).step_ms(1.0, 12_000.0), 2)
    8.44
    """
    times = pass_time(decode_worker(x), x.row.prefill_model, x.row.decode_model)
    if not x.row.draft_tokens:
        return times
    if x.row.decode_model == "aiconfigurator":
        problem = "has no time known: its step of aiconfigurator has no drafts here"
        raise InputError("draft_tokens", x.row.draft_tokens, problem, "Choose roofline, or a measured step.")
    drafts = Drafts(x.row.draft_tokens, x.row.tokens_per_step(x.model_id), 1.0 / x.spec.layers)
    return replace(times, drafts=drafts)
