"""What an engine keeps of a GPU's memory beside weights and KV pool: a reserve, named by what it is for.

``reserve = fixed + collectives (where there are several ranks) + max(sampler, activations) + experts``

Beside it stand the buffers of the exchange between DP groups with experts dealt out whole. The sampler holds
logits of every sequence: in vLLM bf16 (2 bytes for a word), fp32 (4), sorted (4) with their places (8),
probabilities (4) and their sums (4). Activations are a few rows of the pass, experts the rows that each token
sends to those it chose. The terms follow from what engines allocate while they measure themselves; fixed_gb,
expert_rows and collectives_gb are fitted to logged pools.
"""

from __future__ import annotations

from typing import NamedTuple

from aisim_model.catalog import gpu
from aisim_model.models.spec import ModelSpec
from aisim_model.scenario.side import Side
from aisim_model.units import BYTES_PER_GB

BF16_BYTES = 2.0


class Reserve(NamedTuple):
    """Sizes of an engine's reserve on one GPU.

    Parameters
    ----------
    fixed_gb : float
        Contexts, kernels and graphs [GB].
    collectives_gb : float
        Buffers of collectives where a worker has several ranks [GB].
    sampler_bytes : float
        Of a word of the vocabulary for each sequence that may run [B].
    activation_rows, expert_rows : float
        Rows of the model's width, in bf16, for each token of a pass, and for each of a token's experts [-].
    exchange_gb, far_exchange_gb : float
        Buffers of the exchange between DP groups whose experts are dealt out whole, and what more they take
        across nodes [GB].
    source : str
        What they were fitted to.
    """

    fixed_gb: float = 0.0
    collectives_gb: float = 0.0
    sampler_bytes: float = 0.0
    activation_rows: float = 0.0
    expert_rows: float = 0.0
    exchange_gb: float = 0.0
    far_exchange_gb: float = 0.0
    source: str = ""


def exchange_gb(reserve: Reserve, side: Side) -> float:
    """Return what an engine keeps of each GPU for the exchange between a worker's DP groups [GB].

    Examples
    --------
    >>> kept = Reserve(exchange_gb=4.0, far_exchange_gb=20.0)
    >>> [exchange_gb(kept, Side("h200", 1, dp, dp)) for dp in (1, 8, 16)]
    [0.0, 4.0, 24.0]
    """
    if not side.exchanges:
        return 0.0
    return reserve.exchange_gb + (reserve.far_exchange_gb if spans_nodes(side) else 0.0)


def spans_nodes(side: Side) -> bool:
    """Say whether a worker's ranks reach each other through NICs."""
    return side.stage_ranks > gpu(side.gpu).nvlink_gpus


def reserve_gb(reserve: Reserve, spec: ModelSpec, ranks: int, pass_tokens: int, sequences: int) -> float:
    """Return what an engine keeps of each GPU of a worker [GB].

    Parameters
    ----------
    reserve : Reserve
        The engine's.
    spec : ModelSpec
        The model that is served.
    ranks : int
        GPUs of the worker [-].
    pass_tokens : int
        Token budget of a pass [-].
    sequences : int
        Sequences that may run at a time [-].

    Examples
    --------
    Llama-3.1-70B with 1,024 sequences of 128,256 words at 26 B: 3.41 GB, and 0.8 GB.

    >>> from aisim_model import catalog
    >>> spec = catalog.model("llama-3.1-70b").spec()
    >>> round(reserve_gb(Reserve(fixed_gb=0.8, sampler_bytes=26.0), spec, 1, 8192, 1024), 2)
    4.21
    """
    row = spec.hidden_size * BF16_BYTES
    words = spec.experts.head_parameters / spec.hidden_size
    sampler = reserve.sampler_bytes * min(sequences, pass_tokens) * words
    activations = reserve.activation_rows * pass_tokens * row
    experts = reserve.expert_rows * pass_tokens * spec.experts.chosen * row
    shared = reserve.collectives_gb if ranks > 1 else 0.0
    return reserve.fixed_gb + shared + (max(sampler, activations) + experts) / BYTES_PER_GB
