"""One worker as the models of a pass take it: what it serves, on what, and what was measured of it."""

from __future__ import annotations

from dataclasses import dataclass

from aisim_model.arrays import Values
from aisim_model.models.kv_cache.curve import ByteCurve
from aisim_model.models.shape import Shape
from aisim_model.passes.speeds import Speeds

Table = tuple[tuple[float, float], ...]
DecodeTable = tuple[tuple[float, float, float], ...]


@dataclass(frozen=True)
class Worker:
    """A prefill, decode or aggregated worker.

    Parameters
    ----------
    active_parameters, total_parameters : float
        Weights that one token uses, and all of them [-]; 0 where they are not known.
    shape : Shape
        Sizes of the model.
    kv : ByteCurve
        KV bytes of one request over the ranks that hold it.
    speeds : Speeds
        Of its GPUs, at the precision of the weights.
    tensor_parallel : int
        Ranks that split the heads of a request [-].
    attention_dp : int
        Groups of such ranks, each as busy as the others; a pass's work is what one of them does [-].
    expert_parallel : int
        Ranks that experts are dealt out to whole [-]; 1: each rank has a slice of all.
    engine : str
        Whose floor of a pass counts.
    mfu, memory_efficiency : float, array or None
        Shares of the peaks of arithmetic and memory that are reached [-]; None leaves them to the model.
    floor_scale, weight_efficiency, kv_efficiency : float, array or None
        Of the roofline with a floor: its floor over the fitted one, and shares of the memory bandwidth at
        which weights and cache are read [-]; None leaves them to the model.
    pool_tokens : float
        KV pool [tokens], of which the reference's polynomial takes a share.
    prefill_tokens_per_s, prefill_pass_ms, decode_step_ms : float, array or None
        Measured or fixed; None where not given [tokens/s], [ms], [ms].
    prefill_table : tuple of (float, float) or None
        Measured tokens [-] and milliseconds.
    decode_table : tuple of (float, float, float) or None
        Measured sequences [-], context tokens [-] and milliseconds.
    model_id : str or None
        Of the catalogue; None for a model of one's own.
    gpu, precision : str
        Of the catalogue, and of the weights.
    """

    active_parameters: float
    total_parameters: float
    shape: Shape
    kv: ByteCurve
    speeds: Speeds
    tensor_parallel: int
    engine: str
    mfu: Values | None
    memory_efficiency: Values | None
    pool_tokens: float
    floor_scale: Values | None = None
    weight_efficiency: Values | None = None
    kv_efficiency: Values | None = None
    prefill_tokens_per_s: Values | None = None
    prefill_pass_ms: Values | None = None
    decode_step_ms: Values | None = None
    prefill_table: Table | None = None
    decode_table: DecodeTable | None = None
    model_id: str | None = None
    gpu: str = ""
    precision: str = ""
    attention_dp: int = 1
    expert_parallel: int = 1
