"""The simple roofline of a pass: arithmetic against memory, one share reached of each.

``time = max(FLOPs / (peak * MFU), bytes / (HBM * efficiency)) / TP``

FLOPs: ``2 * active`` for each token, and attention of each over what it looks at. Bytes: the weights that the
pass touches, and the KV that it reads and writes, each once.

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
from types import MappingProxyType

import numpy as np

from aisim_model.arrays import Floats, Values
from aisim_model.passes.kv_read import kv_numbers, kv_read_bytes
from aisim_model.passes.worker import Worker
from aisim_model.units import BYTES_PER_TB, FLOPS_PER_TFLOP, MS_PER_S

MFU = 0.55
MEMORY_EFFICIENCY = 0.5
REACHED = MappingProxyType({"mfu": MFU, "memory_efficiency": MEMORY_EFFICIENCY})
DEFAULTS_FROM = (
    "published runs of Qwen3-32B, TP4, on H200 and H100: 57% and 54% of the dense peak in prefill, 48% and"
    " 51% of the memory bandwidth in decode (github.com/ai-dynamo/dynamo recipes/qwen3-32b)"
)

# places in the numbers; what KV is read follows
ACTIVE, TOTAL, ATTENTION_FLOPS, WEIGHT_BYTES, FLOP_MS, BYTE_MS, KV = range(7)


def numbers(worker: Worker) -> tuple[Values, ...]:
    """Boil a worker down to the numbers of `pass_ms`.

    Parameters
    ----------
    worker : Worker
        The worker; its model's parameters are known.

    Returns
    -------
    tuple of float or array
        Active and total parameters [-], FLOPs of a pair of tokens in attention, bytes of a weight, time of a
        FLOP and of a byte on all ranks [ms], and those of `kv_read.kv_numbers`.
    """
    shape, speeds, ranks_per_ms = worker.shape, worker.speeds, worker.tensor_parallel / MS_PER_S
    mfu = MFU if worker.mfu is None else worker.mfu
    share = MEMORY_EFFICIENCY if worker.memory_efficiency is None else worker.memory_efficiency
    flops_per_ms = speeds.expert_tflops * FLOPS_PER_TFLOP * mfu * ranks_per_ms
    bytes_per_ms = speeds.hbm_tb_s * BYTES_PER_TB * share * ranks_per_ms
    return (
        worker.active_parameters,
        worker.total_parameters,
        # scores and values, 2 FLOPs each; windowed layers count in full, an upper bound
        4.0 * shape.attention_layers * shape.attention_heads * shape.head_dim,
        speeds.expert_bytes,
        1.0 / flops_per_ms,
        1.0 / bytes_per_ms,
        *kv_numbers(worker.kv),
    )


def bounds(numbers: tuple[Values, ...]) -> tuple[tuple[Values, ...], ...]:
    """Return the numbers of its two bounds, arithmetic alone and memory alone."""
    return tuple((*numbers[:free], 0.0, *numbers[free + 1 :]) for free in (BYTE_MS, FLOP_MS))


def touched_parameters(tokens: Values, active_parameters: float, total_parameters: float) -> Values:
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
    >>> float(touched_parameters(0.0, 8e9, 8e9)), float(touched_parameters(3.0, 8e9, 8e9))
    (0.0, 8000000000.0)
    """
    left = 1.0 - active_parameters / total_parameters
    if left <= 0.0:  # what 0 to a power comes to, without taking powers
        return total_parameters * (tokens > 0)
    # not NumPy's power, which differs in the last bit between a single number and an array
    return total_parameters * (1.0 - np.exp(math.log(left) * tokens))


def pass_ms(
    numbers: Floats | tuple[Values, ...],
    new_tokens: Values,
    attended_tokens: Values,
    cached_tokens: Values,
    sequences: Values,
    context_tokens: Values,
) -> Values:
    """Time of a pass [ms].

    Parameters
    ----------
    numbers : array or tuple of float
        As `numbers` returns them.
    new_tokens, attended_tokens, cached_tokens, sequences, context_tokens
        As in `PassWork`.
    """
    tokens = new_tokens + sequences
    # the pairs of a prompt's tokens are half of what it attends to, and each new token with itself
    pairs = (attended_tokens + new_tokens) / 2.0 + context_tokens
    flops = 2.0 * numbers[ACTIVE] * tokens + numbers[ATTENTION_FLOPS] * pairs
    touched = touched_parameters(tokens, float(numbers[ACTIVE]), float(numbers[TOTAL]))
    kv_bytes = kv_read_bytes(numbers, KV, cached_tokens + new_tokens, sequences, context_tokens)
    read_bytes = touched * numbers[WEIGHT_BYTES] + kv_bytes
    return np.maximum(flops * numbers[FLOP_MS], read_bytes * numbers[BYTE_MS])
