"""Everything that the TTFT of one deployment row is made of, looked up once.

The number fields may be arrays that broadcast against each other: a sweep replaces them, the formulas stay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from aisim_model import catalog
from aisim_model.arrays import Values
from aisim_model.catalog import Gpu, Link
from aisim_model.errors import InputError
from aisim_model.link import lanes
from aisim_model.models.kv_cache import KvCurve
from aisim_model.models.spec import ModelSpec
from aisim_model.models.weights.formats import StoredWeights
from aisim_model.models.weights.stored import attention_share, weight_bytes, weights_in
from aisim_model.passes.registry import MODELS
from aisim_model.passes.speeds import Speeds, speeds
from aisim_model.row.fit import pool_bytes, pool_tokens
from aisim_model.scenario import Deployment, Workload
from aisim_model.scenario.engines import EngineProfile
from aisim_model.scenario.reserve import reserve_gb
from aisim_model.units import BYTES_PER_GB

ROW_NUMBERS = (
    "alpha_ms",
    "per_descriptor_us",
    "link_efficiency",
    "orchestration_ms",
    "mfu",
    "memory_efficiency",
    "prefill_tokens_per_s",
    "prefill_pass_ms",
    "decode_step_ms",
)


class Room(NamedTuple):
    """Where the memory of a worker goes, over all its ranks.

    Parameters
    ----------
    weight_bytes, reserve_bytes : float
        Its weights, and what its engine keeps for activations, graphs and communication [B].
    pool_bytes : float
        What its KV pool can hold [B]; below 0 where weights and reserve alone don't fit.
    """

    weight_bytes: float
    reserve_bytes: float
    pool_bytes: float


@dataclass(frozen=True)
class ResolvedRow:
    """One row, resolved: what the engine, the catalogue and the model fill in stands here as numbers.

    Parameters
    ----------
    row, profile, spec, gpu, link
        The row, its engine's choices, and what its ids name.
    model_id : str or None
        Of the catalogue; None for a model of one's own.
    by_hand : int or None
        KV bytes of a token that were given in place of the model's own curve [B].
    unique, wire, timed : KvCurve
        KV bytes of one request: as they are kept; as they cross the link, with head replication and copies
        of a latent; and as they count in time, where one broadcast copy has one rank's lanes.
    held_prefill, held_decode : KvCurve
        KV bytes of one request over all ranks of a prefill and of a decode worker, each rank with its
        ``ceil(heads / TP)`` heads and a latent whole; an aggregated worker's in both.
    prompt_tokens, prefill_cached_tokens, decode_cached_tokens : float or array
        Tokens [-].
    bandwidth_gb_s : float or array
        What one handoff gets in all [GB/s].
    measured_low_gb_s : float or None
        The same at the lowest bandwidth that was measured on this link [GB/s].
    stored : StoredWeights
        Formats of its weights, by part.
    speeds : Speeds
        Of its GPU, on weights in these formats.
    prefill_room, decode_room : Room
        Where the memory of a prefill and of a decode worker goes.
    pool_tokens : float
        KV pool of a decode worker [tokens].
    alpha_ms, per_descriptor_us, ... decode_step_ms
        The row's numbers of those names.
    """

    row: Deployment
    profile: EngineProfile
    model_id: str | None
    by_hand: int | None
    spec: ModelSpec
    gpu: Gpu
    link: Link
    unique: KvCurve
    wire: KvCurve
    timed: KvCurve
    held_prefill: KvCurve
    held_decode: KvCurve
    prompt_tokens: Values
    prefill_cached_tokens: Values
    decode_cached_tokens: Values
    bandwidth_gb_s: Values
    measured_low_gb_s: float | None
    stored: StoredWeights
    speeds: Speeds
    prefill_room: Room
    decode_room: Room
    pool_tokens: float
    alpha_ms: Values
    per_descriptor_us: Values
    link_efficiency: Values
    orchestration_ms: Values
    mfu: Values | None
    memory_efficiency: Values | None
    prefill_tokens_per_s: Values | None
    prefill_pass_ms: Values | None
    decode_step_ms: Values | None


def resolve(workload: Workload, row: Deployment) -> ResolvedRow:
    """Look up all that a row names.

    Parameters
    ----------
    workload : Workload
        Model and tokens.
    row : Deployment
        The row.

    Raises
    ------
    InputError
        For a roofline of a model whose size isn't known, or a KV dtype that the model can't be kept in.

    Examples
    --------
    >>> resolve(Workload(), Deployment(id="a", name="Split")).bandwidth_gb_s
    200.0
    """
    spec, gpu, link = workload.served, catalog.gpu(row.gpu), catalog.link(row.link)
    by_hand = row.kv_bytes_per_token if row.kv_bytes_per_token is not None else workload.kv_bytes_per_token
    unique, wire, timed = _curves(spec, row, by_hand)
    decode_tp = row.decode_tp if row.split else row.prefill_tp
    held_prefill, held_decode = (held_by(spec, row, ranks, by_hand) for ranks in (row.prefill_tp, decode_tp))
    _need_parameters(spec, row)
    stored = weights_in(spec, row.weight_format)
    prefill, decode = (room_of(spec, row, stored, ranks) for ranks in (row.prefill_tp, decode_tp))
    ways = lanes(link.scope, row.prefill_tp, row.decode_tp, row.nics_per_gpu, row.gpus_per_node)
    nominal = link.nominal_gb_s * ways
    low = (
        None
        if link.usable_low_gb_s is None or row.bandwidth_gb_s is not None
        else link.usable_low_gb_s * ways
    )
    return ResolvedRow(
        row=row,
        profile=row.profile,
        model_id=workload.model_id if workload.model is None else None,
        by_hand=by_hand,
        spec=spec,
        gpu=gpu,
        link=link,
        unique=unique,
        wire=wire,
        timed=timed,
        held_prefill=held_prefill,
        held_decode=held_decode,
        prompt_tokens=float(workload.prompt_tokens),
        prefill_cached_tokens=float(workload.prefill_cached_tokens),
        decode_cached_tokens=float(workload.decode_cached_tokens),
        bandwidth_gb_s=nominal if row.bandwidth_gb_s is None else row.bandwidth_gb_s,
        measured_low_gb_s=low,
        stored=stored,
        speeds=speeds(gpu.id, stored, attention_share(spec)),
        prefill_room=prefill,
        decode_room=decode,
        pool_tokens=(
            pool_tokens(decode.pool_bytes, held_decode) if row.pool_tokens is None else float(row.pool_tokens)
        ),
        **{name: getattr(row, name) for name in ROW_NUMBERS},
    )


def room_of(spec: ModelSpec, row: Deployment, stored: StoredWeights, ranks: int) -> Room:
    """Share out the memory of a worker of so many GPUs."""
    profile, memory_gb = row.profile, catalog.gpu(row.gpu).memory_gb
    kept_gb = reserve_gb(profile.reserve, spec, ranks, row.pass_tokens, row.sequences_limit)
    weights = weight_bytes(spec, stored, ranks)
    pool = pool_bytes(weights, memory_gb, ranks, row.memory_share(ranks), profile.share_is_of, kept_gb)
    return Room(weights, ranks * kept_gb * BYTES_PER_GB, pool)


def with_row(x: ResolvedRow, row: Deployment) -> ResolvedRow:
    """Return a resolved row of another limit of sequences and pass budget: they change what is reserved."""
    decode_tp = row.decode_tp if row.split else row.prefill_tp
    prefill, decode = (room_of(x.spec, row, x.stored, ranks) for ranks in (row.prefill_tp, decode_tp))
    tokens = row.pool_tokens or pool_tokens(decode.pool_bytes, x.held_decode)
    return replace(x, row=row, prefill_room=prefill, decode_room=decode, pool_tokens=float(tokens))


def _need_parameters(spec: ModelSpec, row: Deployment) -> None:
    """Refuse a roofline of a model whose size isn't known."""
    unknown = spec.total_parameters is None or spec.active_parameters is None
    if unknown and any(MODELS[name].assumes_parameters for name in (row.prefill_model, row.decode_model)):
        problem = f"times {spec.name}, whose parameters are not known ({spec.parameters_from})"
        remedy = (
            "Give the model's parameters, add the missing keys to its config.json, or choose measured times."
        )
        raise InputError("roofline", row.name, problem, remedy)


def held_by(spec: ModelSpec, row: Deployment, ranks: int, by_hand: int | None) -> KvCurve:
    """Return what all ranks of a worker hold of a request."""
    if by_hand is not None:
        return KvCurve(growing_bytes_per_token=by_hand)
    return spec.kv.wire_curve(row.kv_dtype, ranks, row.window_layers)


def _curves(spec: ModelSpec, row: Deployment, by_hand: int | None) -> tuple[KvCurve, KvCurve, KvCurve]:
    """Return the unique, wire and timed curve of a row."""
    if by_hand is not None:
        curve = KvCurve(growing_bytes_per_token=by_hand)
        return curve, curve, curve
    unique = spec.kv.curve(row.kv_dtype, row.window_layers)
    if not row.split:
        return unique, unique, unique
    wire = spec.kv.wire_curve(row.kv_dtype, row.decode_tp, row.window_layers, row.mla_copies)
    if row.mla_copies == "per_rank" or row.bandwidth_gb_s is not None:
        return unique, wire, wire
    # one broadcast copy has one rank's lanes: against the bandwidth of all lanes it counts as many times
    link = catalog.link(row.link)
    every = lanes(link.scope, row.prefill_tp, row.decode_tp, row.nics_per_gpu, row.gpus_per_node)
    one = lanes(link.scope, row.prefill_tp, row.decode_tp, row.nics_per_gpu, row.gpus_per_node, copies=1)
    return (
        unique,
        wire,
        spec.kv.wire_curve(row.kv_dtype, row.decode_tp, row.window_layers, round(every / one)),
    )
