"""Does it fit: weights, reserve and KV pool of a worker against its GPUs' memory.

``pool = tensor_parallel * (memory * share - reserve) - weights``, or
``(tensor_parallel * (memory - reserve) - weights) * share`` where an engine counts the share of what is free.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Literal

from aisim_model.models.kv_cache import KvCurve
from aisim_model.units import BYTES_PER_GB

MAX_POOL_TOKENS = 2**53


def pool_bytes(
    weights: float,
    memory_gb: float,
    tensor_parallel: int,
    share: float,
    share_is_of: Literal["total", "free"] = "total",
    reserve_gb: float = 0.0,
) -> float:
    """Bytes that a worker's KV pool can hold; below 0 where the weights alone don't fit [B].

    Parameters
    ----------
    weights : float
        Bytes of the worker's weights [B].
    memory_gb : float
        Memory of one GPU, as its driver reports it [GB].
    tensor_parallel : int
        GPUs of the worker [-].
    share : float
        Share of the memory that weights and pool may fill [-].
    share_is_of : {"total", "free"}
        Whether the share is of all memory, or of what the weights leave free.
    reserve_gb : float
        What the engine keeps of a GPU for activations, graphs and communication [GB].

    Examples
    --------
    Qwen3-32B in bf16 on four GPUs of 141 GB, 0.9 of them used, 5 GB of each kept:

    >>> round(pool_bytes(65.52e9, 141.0, 4, 0.9, reserve_gb=5.0) / 1e9, 2)
    422.08
    """
    memory, reserve = (tensor_parallel * size * BYTES_PER_GB for size in (memory_gb, reserve_gb))
    if share_is_of == "total":
        return memory * share - reserve - weights
    return (memory - reserve - weights) * share


def pool_tokens(pool: float, curve: KvCurve) -> float:
    """Tokens of the longest single request that a pool of so many bytes can hold, 0 where there is no pool.

    A curve that stops growing fits any length once it fits at all: then the answer is infinite.

    Parameters
    ----------
    pool : float
        Bytes of the pool [B].
    curve : KvCurve
        Bytes of a request over its tokens.

    Returns
    -------
    float
        Whole tokens [-], or infinity.

    Examples
    --------
    >>> pool_tokens(1e6, KvCurve(growing_bytes_per_token=1000))
    1000.0
    >>> pool_tokens(1e6, KvCurve(constant_bytes=1000)), pool_tokens(-1.0, KvCurve(constant_bytes=1000))
    (inf, 0.0)
    """
    if pool < curve.bytes(0):
        return 0.0
    if curve.bytes(MAX_POOL_TOKENS) <= pool:
        return math.inf
    return float(bisect_right(range(MAX_POOL_TOKENS), pool, key=curve.bytes) - 1)
