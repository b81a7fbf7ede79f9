"""One worker as the models of a pass take it: what it serves, on what, and what was measured of it."""

from __future__ import annotations

from dataclasses import dataclass

from aisim_model.arrays import Values
from aisim_model.models.kv_cache.curve import ByteCurve

Table = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Worker:
    """A prefill, decode or aggregated worker.

    Parameters
    ----------
    active_parameters, total_parameters : float
        Weights that one token uses, and all of them [-]; 0 where they are not known.
    attention_layers, attention_heads : int
        Layers with attention over the request's own tokens, and query heads of each [-].
    head_dim : float
        Elements of a head, the mean of its key and its value [-].
    kv : ByteCurve
        KV bytes of one request over all ranks of the worker.
    weight_bytes_per_parameter : float
        2 for bf16, 1 for fp8 [B].
    peak_tflops : float
        Dense peak of one GPU at the precision of the arithmetic [TFLOPS].
    hbm_tb_s : float
        Memory bandwidth of one GPU [TB/s].
    tensor_parallel : int
        Ranks [-].
    mfu, memory_efficiency : float or array
        Shares of the two peaks that the simple roofline takes as reached [-].
    pool_tokens : float
        KV pool [tokens], of which the reference's polynomial takes a share.
    prefill_tokens_per_s, prefill_pass_ms, decode_step_ms : float, array or None
        Measured or fixed; None where not given [tokens/s], [ms], [ms].
    prefill_table : tuple of (float, float) or None
        Measured tokens [-] and milliseconds.
    """

    active_parameters: float
    total_parameters: float
    attention_layers: int
    attention_heads: int
    head_dim: float
    kv: ByteCurve
    weight_bytes_per_parameter: float
    peak_tflops: float
    hbm_tb_s: float
    tensor_parallel: int
    mfu: Values
    memory_efficiency: Values
    pool_tokens: float
    prefill_tokens_per_s: Values | None = None
    prefill_pass_ms: Values | None = None
    decode_step_ms: Values | None = None
    prefill_table: Table | None = None
