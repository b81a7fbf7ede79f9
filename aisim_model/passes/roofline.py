"""The roofline that a prefill pass and a decode step share: arithmetic against memory, and its defaults.

``time = max(FLOPs / (peak * MFU), bytes / (HBM * efficiency)) / TP``

Source: Williams, Waterman and Patterson, "Roofline", Communications of the ACM 52(4), 2009.

Where the two defaults come from: the published runs of Qwen3-32B bf16, TP4, on the Mooncake conversation
trace (github.com/ai-dynamo/dynamo recipes/qwen3-32b/vllm/cloud-providers), on the two clouds that were
prefill-bound, H200 and H100.

MFU: 5.96 and 5.64 GB/s of KV at 262,144 bytes a token are 22,736 and 21,515 prefill tokens/s. A token takes
2 x 32.8e9 FLOPs of weights and, at the trace's token-weighted mean context of 16,389 tokens,
4 x 64 layers x 64 heads x 128 x 16,389 = 34.4e9 of attention: 100.0e9 in all. Over 4 x 989 TFLOPS that is 57%
and 54%. Prefix hits in those runs, which aren't reported, would make it less.

Memory efficiency: by Little's law those rates with mean ITLs of 9.14 and 13.62 ms hold 5.9 and 8.3 sequences
of about 12,200 tokens in decode. The weights (16.4 GB a GPU) and their KV (4.7 and 6.7 GB) read in a step are
then 2.31 and 1.69 TB/s: 48% of the H200's 4.8 and 51% of the H100's 3.35, whatever else a step does included.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from aisim_model.arrays import larger, unboxed
from aisim_model.units import MS_PER_S

MFU = 0.55
MEMORY_EFFICIENCY = 0.5
DEFAULTS_FROM = (
    "published runs of Qwen3-32B, TP4, on H200 and H100: 57% and 54% of the dense peak in prefill, 48% and"
    " 51% of the memory bandwidth in decode (github.com/ai-dynamo/dynamo recipes/qwen3-32b)"
)

FLOPS_PER_TFLOP = 1e12
BYTES_PER_TB = 1e12


def bound_ms(
    flops: Any,
    bytes_moved: Any,
    *,
    peak_tflops: float,
    hbm_tb_s: float,
    tensor_parallel: int,
    mfu: float = MFU,
    memory_efficiency: float = MEMORY_EFFICIENCY,
) -> Any:
    """Time of work that is split evenly over the ranks: the slower of arithmetic and memory.

    Parameters
    ----------
    flops : float or array of float64
        Arithmetic of all ranks together [FLOP].
    bytes_moved : float or array of float64
        Memory traffic of all ranks together [B].
    peak_tflops : float
        Dense peak of one GPU at the chosen precision [TFLOPS].
    hbm_tb_s : float
        Memory bandwidth of one GPU [TB/s].
    tensor_parallel : int
        Ranks [-].
    mfu, memory_efficiency : float
        Shares of the two peaks that are reached [-], in (0, 1].

    Returns
    -------
    float or array of float64
        Time [ms].

    Examples
    --------
    >>> bound_ms(2e12, 1e9, peak_tflops=1000.0, hbm_tb_s=4.0, tensor_parallel=2, mfu=0.5)
    2.0
    """
    arithmetic_s = flops / (peak_tflops * FLOPS_PER_TFLOP * mfu)
    memory_s = bytes_moved / (hbm_tb_s * BYTES_PER_TB * memory_efficiency)
    return larger(arithmetic_s, memory_s) / tensor_parallel * MS_PER_S


def attention_flops(context_tokens: Any, layers: int, attention_heads: int, head_dim: int) -> Any:
    """Arithmetic of tokens that attend to so many tokens in all: scores and values, 2 FLOPs each.

    ``4 * layers * heads * head_dim * context``

    Parameters
    ----------
    context_tokens : float or array of float64
        Tokens attended to, summed over the tokens that attend [-].
    layers, attention_heads, head_dim : int
        Of the model [-]. Windowed layers count in full: an upper bound for such models.

    Examples
    --------
    >>> attention_flops(1000.0, 64, 64, 128)
    2097152000.0
    """
    return 4 * layers * attention_heads * head_dim * context_tokens


def touched_parameters(tokens: Any, active_parameters: float, total_parameters: float) -> Any:
    """Weights that a pass of so many tokens reads at least once.

    ``total * (1 - (1 - active / total) ** tokens)``: each token's experts drawn evenly and independently. One
    token touches the active weights, many touch all; a dense model's are touched by any.

    Parameters
    ----------
    tokens : float or array of float64
        Tokens of the pass [-].
    active_parameters, total_parameters : float
        Weights that one token uses, and all of them [-].

    Examples
    --------
    >>> [round(touched_parameters(tokens, 22e9, 235e9) / 1e9) for tokens in (1.0, 16.0, 8192.0)]
    [22, 186, 235]
    >>> touched_parameters(0.0, 8e9, 8e9), touched_parameters(3.0, 8e9, 8e9)
    (0.0, 8000000000.0)
    """
    left = 1.0 - active_parameters / total_parameters
    if left <= 0.0:  # what 0 to a power comes to, without taking powers
        return total_parameters * (1.0 - (tokens == 0))
    # not NumPy's power, which differs in the last bit between a single number and an array
    return total_parameters * (1.0 - unboxed(np.exp(math.log(left) * tokens)))
