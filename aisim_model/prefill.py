"""Time to prefill a prompt: rival models side by side, each over floats or arrays of tokens.

*Measured* (`rate_ms`, `table_ms`), *fixed*, the reference engine's *polynomial*, and the *roofline*. All but
the roofline take uncached tokens: those that the prefill worker has to compute.

Sources: NVIDIA aisimulate and ai-dynamo-runtime 1.6.1 (polynomial, passes); `aisim_model.roofline`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aisim_model.floats import larger, pieces, unboxed
from aisim_model.handoff import Number
from aisim_model.measured_table import outside_table, table_ms
from aisim_model.roofline import MEMORY_EFFICIENCY, MFU, attention_flops, bound_ms, touched_parameters
from aisim_model.units import MS_PER_S, NS_PER_MS

__all__ = [
    "PASS_TOKENS",
    "fixed_ms",
    "outside_table",
    "polynomial_ms",
    "polynomial_pass_ns",
    "rate_ms",
    "roofline_ms",
    "table_ms",
]

PASS_TOKENS = 8192
POLYNOMIAL = (4.209989e-07, 1.518344e-02, 16.50142)  # [ms/token^2, ms/token, ms] of the reference engine


def rate_ms(tokens: Number, tokens_per_s: Number | float) -> Number:
    """Measured as one rate: ``tokens / rate``.

    Parameters
    ----------
    tokens : float or array of float64
        Uncached tokens [-].
    tokens_per_s : float or array of float64
        Prefill rate of one worker [tokens/s], above 0.

    Returns
    -------
    float or array of float64
        Prefill time [ms].

    Examples
    --------
    >>> rate_ms(12_000.0, 24_000.0)
    500.0
    """
    return tokens / tokens_per_s * MS_PER_S


def fixed_ms(tokens: Number, pass_ms: Number | float, pass_tokens: int = PASS_TOKENS) -> Number:
    """Count a fixed time for each pass: ``ceil(tokens / pass_tokens) * pass_ms``.

    Parameters
    ----------
    tokens : float or array of float64
        Uncached tokens [-].
    pass_ms : float or array of float64
        Time of a pass, however full [ms].
    pass_tokens : int
        Most tokens of a pass [-].

    Examples
    --------
    >>> fixed_ms(100.0, 10.0), fixed_ms(8193.0, 10.0)
    (10.0, 20.0)
    """
    time_ms: Number = pieces(tokens, pass_tokens) * pass_ms
    return time_ms


def polynomial_pass_ns(tokens: Number) -> Number:
    """Time of one prefill pass of the reference engine in whole nanoseconds [ns].

    ``4.209989e-07 T^2 + 1.518344e-02 T + 16.50142`` ms, rounded; 0 for a pass of no tokens.

    Parameters
    ----------
    tokens : float or array of float64
        New tokens T of the pass [-].

    Examples
    --------
    >>> polynomial_pass_ns(128.0)
    18451798.0
    """
    square, line, constant = POLYNOMIAL
    pass_ms = square * tokens * tokens + line * tokens + constant
    nanoseconds: Number = unboxed(np.rint(pass_ms * NS_PER_MS) * (tokens > 0))
    return nanoseconds


def polynomial_ms(tokens: Number, pass_tokens: int = PASS_TOKENS) -> Number:
    """Prefill time of the reference engine: full passes and a last short one, each in whole nanoseconds.

    It knows no model: 8,192 tokens take 169 ms whatever is served.

    Parameters
    ----------
    tokens : float or array of float64
        Uncached tokens [-].
    pass_tokens : int
        Most tokens of a pass [-].

    Returns
    -------
    float or array of float64
        Prefill time [ms].

    Examples
    --------
    >>> [polynomial_ms(t) for t in (1.0, 128.0, 1024.0, 8192.0, 16384.0)]
    [16.516604, 18.451798, 32.490712, 169.136918, 338.273836]
    """
    full_passes = tokens // pass_tokens
    full_ns = full_passes * polynomial_pass_ns(float(pass_tokens))
    return (full_ns + polynomial_pass_ns(tokens - full_passes * pass_tokens)) / NS_PER_MS


def roofline_ms(
    tokens: Number,
    cached_tokens: Number | float = 0.0,
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
    kv_bytes_per_token: float = 0.0,
    pass_tokens: int = PASS_TOKENS,
    mfu: float = MFU,
    memory_efficiency: float = MEMORY_EFFICIENCY,
) -> Number:
    """Prefill time from the model's size and the GPU's peaks.

    FLOPs: ``2 * active * uncached`` for the weights, and causal attention of the uncached tokens over the
    whole context. Bytes: the weights that a pass touches, once a pass, and the KV before each pass and of it.

    Parameters
    ----------
    tokens : float or array of float64
        Tokens of the prompt [-].
    cached_tokens : float or array of float64
        Leading ones that the prefill worker holds already [-], at most `tokens`.
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
        Ranks of a prefill worker [-].
    kv_bytes_per_token : float
        KV read and written [B]; matters for a long prefix and few new tokens.
    pass_tokens : int
        Most tokens of a pass [-].
    mfu, memory_efficiency : float
        Shares of the peaks that are reached [-]; see `aisim_model.roofline` for the defaults' source.

    Returns
    -------
    float or array of float64
        Prefill time [ms]; 0 where nothing is left to compute.

    Examples
    --------
    Qwen3-32B in bf16 on four H200, 12,000 tokens:

    >>> qwen3_32b = dict(
    ...     active_parameters=32.76e9, total_parameters=32.76e9, layers=64, attention_heads=64, head_dim=128
    ... )
    >>> h200 = dict(weight_bytes_per_parameter=2.0, peak_tflops=989.0, hbm_tb_s=4.8, tensor_parallel=4)
    >>> round(roofline_ms(12_000.0, **qwen3_32b, **h200))
    431
    """
    uncached: Any = tokens - cached_tokens
    full_passes = larger(pieces(uncached, pass_tokens) - 1.0, 0.0)
    # the last pass, a short one, may be bound by memory where the full ones are bound by arithmetic
    reached = cached_tokens + full_passes * pass_tokens

    def bound(begun: Any, ended: Any, passes: Any, read: Any, touched: Any) -> Any:
        attended = (ended * (ended + 1.0) - begun * (begun + 1.0)) / 2.0
        flops = 2.0 * active_parameters * (ended - begun)
        flops = flops + attention_flops(attended, layers, attention_heads, head_dim)
        return bound_ms(
            flops,
            passes * touched * weight_bytes_per_parameter + read * kv_bytes_per_token,
            peak_tflops=peak_tflops,
            hbm_tb_s=hbm_tb_s,
            tensor_parallel=tensor_parallel,
            mfu=mfu,
            memory_efficiency=memory_efficiency,
        )

    # each pass reads what was there before it and what it adds
    read = full_passes * cached_tokens + pass_tokens * full_passes * (full_passes + 1.0) / 2.0
    whole = touched_parameters(float(pass_tokens), active_parameters, total_parameters)
    rest = touched_parameters(tokens - reached, active_parameters, total_parameters)
    time_ms: Number = bound(cached_tokens, reached, full_passes, read, whole) + bound(
        reached, tokens, 1.0, tokens * (uncached > 0), rest
    )
    return time_ms
