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
from aisim_model.scenario.reserve import exchange_gb, reserve_gb
from aisim_model.scenario.side import Side
from aisim_model.scenario.sides import SideName
from aisim_model.units import BYTES_PER_GB

# vLLM keeps an fp8 latent with sparse attention as 512 B, 16 B of scales and 64 elements in bf16
# (fp8_ds_mla, github.com/vllm-project/vllm csrc/cache_kernels.cu)
SPARSE_FP8_BYTES = 656.0 / 576.0
NO_STAGES = frozenset({"roofline", "simple_roofline", "aiconfigurator"})
SIDES: tuple[SideName, ...] = ("prefill", "decode")
ROW_NUMBERS = (
    "alpha_ms",
    "per_descriptor_us",
    "link_efficiency",
    "orchestration_ms",
    "mfu",
    "memory_efficiency",
    "floor_scale",
    "weight_efficiency",
    "kv_efficiency",
    "prefill_tokens_per_s",
    "prefill_pass_ms",
    "decode_step_ms",
)


class Room(NamedTuple):
    """Where the memory of a worker goes, over the GPUs of one of its DP groups: all of them without DP.

    Parameters
    ----------
    weight_bytes, reserve_bytes : float
        Its weights, and what its engine keeps for activations, graphs and communication [B].
    pool_bytes : float
        What its KV pool can hold [B]; below 0 where weights and reserve alone don't fit.
    gpus : int
        Its GPUs [-].
    """

    weight_bytes: float
    reserve_bytes: float
    pool_bytes: float
    gpus: int


@dataclass(frozen=True)
class ResolvedRow:
    """One row, resolved: what the engine, the catalogue and the model fill in stands here as numbers.

    Parameters
    ----------
    row, profile, spec, gpu, decode_gpu, link
        The row, its engine's choices, and what its ids name; `gpu` is that of prefill workers.
    model_id : str or None
        Of the catalogue; None for a model of one's own.
    by_hand : int or None
        KV bytes of a token that were given in place of the model's own curve [B].
    unique, wire, timed : KvCurve
        KV bytes of one request: as they are kept; as they cross the link, with head replication and copies
        of a latent; and as they count in time, where one broadcast copy has one rank's lanes.
    held_prefill, held_decode : KvCurve
        KV bytes of one request over the ranks of the prefill and of the decode worker's DP group that
        holds it, each with its ``ceil(heads / TP)`` heads and a latent whole; an aggregated worker's in both.
    prompt_tokens, prefill_cached_tokens, decode_cached_tokens : float or array
        Tokens [-].
    bandwidth_gb_s : float or array
        What one handoff gets in all [GB/s].
    measured_low_gb_s : float or None
        The same at the lowest bandwidth that was measured on this link [GB/s].
    stored : StoredWeights
        Formats of its weights, by part.
    speeds, decode_speeds : Speeds
        Of the GPUs of prefill and decode workers, on weights in these formats.
    prefill_room, decode_room : Room
        Where the memory of a prefill and of a decode worker goes.
    pool_tokens : float
        KV pool of a decode worker, of each of its DP groups [tokens].
    alpha_ms, per_descriptor_us, ... decode_step_ms
        The row's numbers of those names.
    """

    row: Deployment
    profile: EngineProfile
    model_id: str | None
    by_hand: int | None
    spec: ModelSpec
    gpu: Gpu
    decode_gpu: Gpu
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
    decode_speeds: Speeds
    prefill_room: Room
    decode_room: Room
    pool_tokens: float
    alpha_ms: Values
    per_descriptor_us: Values
    link_efficiency: Values
    orchestration_ms: Values
    mfu: Values | None
    memory_efficiency: Values | None
    floor_scale: Values | None
    weight_efficiency: Values | None
    kv_efficiency: Values | None
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
    prompt = workload.mean_prompt_tokens
    spec, gpu, link = workload.served, catalog.gpu(row.gpu), catalog.link(row.link)
    by_hand = row.kv_bytes_per_token if row.kv_bytes_per_token is not None else workload.kv_bytes_per_token
    unique, wire, timed = _curves(spec, row, by_hand)
    check_sides(spec, row)
    sides = row.side("prefill"), row.side("decode")
    held_prefill, held_decode = (held_by(spec, row, side, by_hand) for side in sides)
    _need_parameters(spec, row)
    stored = weights_in(spec, row.weight_format)
    prefill, decode = _rooms(spec, row, stored)
    ranks = sides[0].group_gpus, sides[1].group_gpus
    ways = lanes(link.scope, *ranks, row.nics_per_gpu, row.gpus_per_node)
    fast = [speeds(side.gpu, stored, attention_share(spec)) for side in sides]
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
        decode_gpu=catalog.gpu(sides[1].gpu),
        link=link,
        unique=unique,
        wire=wire,
        timed=timed,
        held_prefill=held_prefill,
        held_decode=held_decode,
        prompt_tokens=float(prompt),
        prefill_cached_tokens=float(min(workload.prefill_cached_tokens, prompt)),
        decode_cached_tokens=float(min(workload.decode_cached_tokens, prompt)),
        bandwidth_gb_s=nominal if row.bandwidth_gb_s is None else row.bandwidth_gb_s,
        measured_low_gb_s=low,
        stored=stored,
        speeds=fast[0],
        decode_speeds=fast[1],
        prefill_room=prefill,
        decode_room=decode,
        pool_tokens=(
            pool_tokens(decode.pool_bytes, held_decode) if row.pool_tokens is None else float(row.pool_tokens)
        ),
        **{name: getattr(row, name) for name in ROW_NUMBERS},
    )


def _rooms(spec: ModelSpec, row: Deployment, stored: StoredWeights) -> tuple[Room, Room]:
    return room_of(spec, row, stored, "prefill"), room_of(spec, row, stored, "decode")


def room_of(
    spec: ModelSpec, row: Deployment, stored: StoredWeights, name: SideName, built: Side | None = None
) -> Room:
    """Share out the memory of a worker of a side, or of one that is built otherwise."""
    side = built or row.side(name)
    profile, memory_gb, gpus = row.profile, catalog.gpu(side.gpu).memory_gb, side.group_gpus
    tokens, sequences = row.pass_tokens_of(name), row.sequences_limit_of(name)
    kept_gb = reserve_gb(profile.reserve, spec, side.gpus, tokens, sequences)
    kept_gb += exchange_gb(profile.reserve, side)
    weights = weight_bytes(spec, stored, side.tensor_parallel, side.attention_dp, side.expert_parallel)
    share = row.memory_share(name, side.gpus)
    pool = pool_bytes(weights, memory_gb, gpus, share, profile.share_is_of, kept_gb)
    return Room(weights, gpus * kept_gb * BYTES_PER_GB, pool, gpus)


def with_row(x: ResolvedRow, row: Deployment) -> ResolvedRow:
    """Return a resolved row of another limit of sequences and pass budget: they change what is reserved."""
    prefill, decode = _rooms(x.spec, row, x.stored)
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


def held_by(spec: ModelSpec, row: Deployment, side: Side, by_hand: int | None) -> KvCurve:
    """Return what the ranks of a worker hold of a request: those of one DP group, of all its stages."""
    if by_hand is not None:
        return KvCurve(growing_bytes_per_token=by_hand)
    curve = spec.kv.wire_curve(row.kv_dtype, side.tensor_parallel, row.window_layers)
    if row.engine == "vllm" and row.kv_dtype == "fp8" and curve.indexer_bytes_per_token:
        return curve.model_copy(
            update={"growing_bytes_per_token": curve.growing_bytes_per_token * SPARSE_FP8_BYTES}
        )
    return curve


def check_sides(spec: ModelSpec, row: Deployment) -> None:
    """Refuse workers that this model can't be dealt out to, or whose passes the row's models can't time.

    Raises
    ------
    InputError
        For expert parallelism beyond its experts, more stages than layers, stages or DP groups without times.
    """
    chosen = {"prefill": row.prefill_model, "decode": row.decode_model}
    for name in SIDES:
        side = row.side(name)
        field = "decode_" if name == "decode" and row.split else ""
        if side.expert_parallel > max(spec.experts.experts, 1):
            has = f"{spec.experts.experts} experts" if spec.experts.experts else "no experts"
            problem = f"is more than {spec.name} can be dealt out to, which has {has}"
            remedy = f"Give at most {max(spec.experts.experts, 1)}."
            raise InputError(f"{field}expert_parallel", side.expert_parallel, problem, remedy)
        if side.pipeline > spec.layers:
            problem = f"is more stages than {spec.name} has layers"
            raise InputError(f"{field}pipeline", side.pipeline, problem, f"Give at most {spec.layers}.")
        models = {chosen[name]} if row.split else set(chosen.values())
        if side.pipeline > 1 and (untimed := sorted(models & NO_STAGES)):
            problem = f"has no time known: {untimed[0]} knows no pipeline stages"
            remedy = "Give measured times (rate, table or fixed), or 1: bytes and memory count either way."
            raise InputError(f"{field}pipeline", side.pipeline, problem, remedy)
        if side.attention_dp > 1 and "simple_roofline" in models:
            problem = "has no time known: simple_roofline knows no attention DP"
            raise InputError(
                f"{field}attention_dp", side.attention_dp, problem, "Choose roofline, or give 1."
            )


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
    ranks = row.side("prefill").group_gpus, row.side("decode").group_gpus
    every = lanes(link.scope, *ranks, row.nics_per_gpu, row.gpus_per_node)
    one = lanes(link.scope, *ranks, row.nics_per_gpu, row.gpus_per_node, copies=row.side("decode").pipeline)
    return (
        unique,
        wire,
        spec.kv.wire_curve(row.kv_dtype, row.decode_tp, row.window_layers, round(every / one)),
    )
