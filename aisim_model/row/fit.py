"""Does it fit: weights and KV pool of a worker against its GPUs' memory.

``pool = tensor_parallel * hbm * share - weights``, or ``(tensor_parallel * hbm - weights) * share`` where an
engine counts the share of what is free.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Literal

from aisim_model.models.kv_cache import KvCurve
from aisim_model.passes.speeds import BYTES_PER_PARAMETER
from aisim_model.units import BYTES_PER_GB

MAX_POOL_TOKENS = 2**53


def bytes_per_parameter(precision: str) -> float:
    """Bytes of one weight, block scales counted [B].

    Examples
    --------
    >>> bytes_per_parameter("fp8")
    1.0
    """
    return BYTES_PER_PARAMETER[precision]


def weight_bytes(total_parameters: float, precision: str) -> float:
    """Bytes of a worker's weights, over all its ranks [B].

    Examples
    --------
    >>> weight_bytes(32.76e9, "bf16")
    65520000000.0
    """
    return total_parameters * bytes_per_parameter(precision)


def pool_bytes(
    weights: float,
    hbm_gb: float,
    tensor_parallel: int,
    share: float,
    share_is_of: Literal["total", "free"] = "total",
) -> float:
    """Bytes that a worker's KV pool can hold; below 0 where the weights alone don't fit [B].

    Parameters
    ----------
    weights : float
        Bytes of the worker's weights [B].
    hbm_gb : float
        Memory of one GPU [GB].
    tensor_parallel : int
        GPUs of the worker [-].
    share : float
        Share of the memory that weights and pool may fill [-].
    share_is_of : {"total", "free"}
        Whether the share is of all memory, or of what the weights leave free.

    Examples
    --------
    Qwen3-32B in bf16 on four H200 of 141 GB, 0.9 of them used:

    >>> pool_bytes(65.52e9, 141.0, 4, 0.9) / 1e9
    442.08
    """
    memory = tensor_parallel * hbm_gb * BYTES_PER_GB
    return memory * share - weights if share_is_of == "total" else (memory - weights) * share


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
