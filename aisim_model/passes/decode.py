"""Time of one decode step, and inter-token latency where prefill passes come between: rivals side by side.

*Measured* or *fixed* is the number itself; beside it stand the reference engine's *polynomial* and the
*roofline*.

Sources: NVIDIA aisimulate and ai-dynamo-runtime 1.6.1 (polynomial); `aisim_model.passes.roofline`.
"""

from __future__ import annotations

import numpy as np

from aisim_model.arrays import larger, unboxed
from aisim_model.handoff import Number
from aisim_model.passes.roofline import MEMORY_EFFICIENCY, MFU, attention_flops, bound_ms, touched_parameters
from aisim_model.units import NS_PER_MS

POLYNOMIAL = (-25.74, 54.01, 5.74)  # [ms] of the used share squared, of it, constant: the reference engine
SHORTEST_STEP_MS = 1.0


def fixed_ms(context_tokens: Number, step_ms: Number | float) -> Number:
    """Take the same step whatever the context, fixed or measured [ms].

    Examples
    --------
    >>> fixed_ms(12_000.0, 7.5)
    7.5
    """
    step: Number = context_tokens * 0.0 + step_ms
    return step


def polynomial_ms(used_share: Number) -> Number:
    """Decode step of the reference engine, in whole nanoseconds.

    ``max(1, -25.74 p^2 + 54.01 p + 5.74)`` ms, rounded.

    Parameters
    ----------
    used_share : float or array of float64
        Used share p of the decode worker's KV pool [-], from 0 to 1.

    Returns
    -------
    float or array of float64
        Step time [ms].

    Examples
    --------
    One prompt of 128 tokens in a pool of 16,384 blocks of 64:

    >>> polynomial_ms(128 / (16_384 * 64))
    5.746593
    """
    square, line, constant = POLYNOMIAL
    step_ms = larger(square * used_share * used_share + line * used_share + constant, SHORTEST_STEP_MS)
    rounded: Number = unboxed(np.rint(step_ms * NS_PER_MS) / NS_PER_MS)
    return rounded


def roofline_ms(
    context_tokens: Number,
    kv_read_bytes: Number | float,
    *,
    active_parameters: float,
    total_parameters: float,
    layers: int,
    attention_heads: int,
    head_dim: int,
    weight_bytes_per_parameter: float,
    peak_tflops: float,
    hbm_tb_s: float,
    tensor_parallel: int,
    batch: Number | float = 1.0,
    mfu: float = MFU,
    memory_efficiency: float = MEMORY_EFFICIENCY,
) -> Number:
    """Decode step from the model's size and the GPU's peaks: weights and KV read once.

    FLOPs: ``batch * (2 * active + attention over the context)``. Bytes: the weights that the batch touches,
    and ``batch * kv_read_bytes``.

    Parameters
    ----------
    context_tokens : float or array of float64
        Tokens that one sequence attends to [-].
    kv_read_bytes : float or array of float64
        KV cache of one sequence, over all ranks [B].
    active_parameters, total_parameters : float
        Weights that one token uses, and all of them [-].
    layers, attention_heads, head_dim : int
        Of the model [-].
    weight_bytes_per_parameter : float
        2 for bf16, 1 for fp8 [B].
    peak_tflops : float
        Dense peak of one GPU at the chosen precision [TFLOPS].
    hbm_tb_s : float
        Memory bandwidth of one GPU [TB/s].
    tensor_parallel : int
        Ranks of a decode worker [-].
    batch : float or array of float64
        Sequences of the step [-].
    mfu, memory_efficiency : float
        Shares of the peaks that are reached [-]; see `aisim_model.passes.roofline` for the defaults' source.

    Returns
    -------
    float or array of float64
        Step time [ms].

    Examples
    --------
    Qwen3-32B in bf16 on four H200, one sequence of 12,000 tokens of 262,144 bytes:

    >>> qwen3_32b = dict(
    ...     active_parameters=32.76e9, total_parameters=32.76e9, layers=64, attention_heads=64, head_dim=128
    ... )
    >>> h200 = dict(weight_bytes_per_parameter=2.0, peak_tflops=989.0, hbm_tb_s=4.8, tensor_parallel=4)
    >>> round(roofline_ms(12_000.0, 12_000 * 262_144.0, **qwen3_32b, **h200), 2)
    7.15
    """
    attention = attention_flops(context_tokens, layers, attention_heads, head_dim)
    touched = touched_parameters(batch, active_parameters, total_parameters)
    step: Number = bound_ms(
        batch * (2.0 * active_parameters + attention),
        touched * weight_bytes_per_parameter + batch * kv_read_bytes,
        peak_tflops=peak_tflops,
        hbm_tb_s=hbm_tb_s,
        tensor_parallel=tensor_parallel,
        mfu=mfu,
        memory_efficiency=memory_efficiency,
    )
    return step


def aggregated_itl_ms(step_ms: Number, prefill_share: Number | float) -> Number:
    """Mean inter-token latency where prefill passes hold up decoding, a first estimate: ``step / (1 - u)``.

    Parameters
    ----------
    step_ms : float or array of float64
        Decode step [ms].
    prefill_share : float or array of float64
        Share u of the time that prefill passes take [-].

    Returns
    -------
    float or array of float64
        Mean inter-token latency [ms]; infinite where prefill takes all the time. A replay gives it exactly.

    Examples
    --------
    >>> aggregated_itl_ms(10.0, 0.6), aggregated_itl_ms(10.0, 1.0)
    (25.0, inf)
    """
    left = larger(1.0 - np.asarray(prefill_share), 0.0)
    with np.errstate(divide="ignore"):
        mean: Number = unboxed(np.divide(step_ms, left))
    return mean


def mixed_pass_ms(step_ms: Number, prefill_pass_ms: Number | float) -> Number:
    """Tail inter-token latency of an aggregated worker: one pass of prefill and decode, their sum [ms].

    Source: the reference engine adds the two times of a mixed pass (ai-dynamo-runtime 1.6.1).

    Examples
    --------
    >>> mixed_pass_ms(7.5, 169.0)
    176.5
    """
    total: Number = step_ms + prefill_pass_ms
    return total
