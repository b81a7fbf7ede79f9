"""Does a row fit: weights and KV pool of its workers against their GPUs, and the requests that they hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from aisim_model.models.kv_cache import KvCurve
from aisim_model.row.resolved import ResolvedRow
from aisim_model.units import BYTES_PER_GB


@dataclass(frozen=True)
class WorkerMemory:
    """Memory of one worker.

    Parameters
    ----------
    role : str
        ``prefill``, ``decode`` or ``aggregated``.
    gpus : int
        GPUs of the worker [-].
    hbm_gb, weights_gb, pool_gb : float
        Of one GPU: its memory, weights, and KV pool in what is left of the share that may be filled [GB]; the
        pool is below 0 where the weights don't fit.
    request_tokens : int
        Tokens of a request at its longest here [-].
    requests : float
        Such requests that the pool holds at a time, whole ones [-].
    """

    role: str
    gpus: int
    hbm_gb: float
    weights_gb: float
    pool_gb: float
    request_tokens: int
    requests: float

    @property
    def problem(self) -> Literal["weights", "pool"] | None:
        """What is too small to serve a single request: GPUs for the weights, or the KV pool; None if none."""
        if self.requests >= 1:
            return None
        return "weights" if self.pool_gb < 0 else "pool"


@dataclass(frozen=True)
class RowMemory:
    """Memory of a row's workers.

    Parameters
    ----------
    workers : tuple of WorkerMemory
        The prefill and the decode worker of a split row, the one kind of an aggregated row.
    handoffs_in_flight : float
        Handoffs that the pools allow at a time, each held on both sides [-]; 0 in an aggregated row.
    sequences_limit : int
        Sequences that the row's engine runs on a worker at a time at most [-].
    """

    workers: tuple[WorkerMemory, ...]
    handoffs_in_flight: float
    sequences_limit: int

    @property
    def problem(self) -> WorkerMemory | None:
        """The first worker that can't serve a single request; None where the row fits."""
        return next((worker for worker in self.workers if worker.problem), None)

    @property
    def most_sequences(self) -> float:
        """Sequences that one decode (or aggregated) worker has room for [-]; 0 where the row doesn't fit."""
        return 0.0 if self.problem else min(self.workers[-1].requests, float(self.sequences_limit))


def row_memory(x: ResolvedRow, output_tokens: int) -> RowMemory:
    """Fit a row's workers into their GPUs.

    A prefill worker keeps prompts, a decode or aggregated worker prompts and answers. A head or a latent that
    stands on several ranks takes room on each. Weights of a model whose size isn't known count as none.

    Parameters
    ----------
    x : ResolvedRow
        A resolved row, its numbers single ones.
    output_tokens : int
        Tokens of an answer [-].

    Examples
    --------
    Qwen3-32B in bf16 on one H200: 65.6 GB of weights leave 61.3 of 126.9, a prompt takes 3.1:

    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> one = resolve(Workload(), Deployment(id="a", name="a", prefill_tp=1, decode_tp=1))
    >>> prefill, decode = row_memory(one, 340).workers
    >>> round(prefill.weights_gb, 1), round(prefill.pool_gb, 1), prefill.requests, decode.requests
    (65.6, 64.1, 20.0, 19.0)
    """
    prompt, whole = int(x.prompt_tokens), int(x.prompt_tokens) + output_tokens
    if not x.row.split:
        return RowMemory((_worker(x, "aggregated", x.row.prefill_tp, whole),), 0.0, x.row.sequences_limit)
    prefill = _worker(x, "prefill", x.row.prefill_tp, prompt)
    decode = _worker(x, "decode", x.row.decode_tp, whole)
    in_flight = min(prefill.requests * x.row.prefill_workers, decode.requests * x.row.decode_workers)
    return RowMemory((prefill, decode), in_flight, x.row.sequences_limit)


def _worker(x: ResolvedRow, role: str, gpus: int, tokens: int) -> WorkerMemory:
    pool = x.prefill_pool_bytes if role == "prefill" else x.decode_pool_bytes
    return WorkerMemory(
        role=role,
        gpus=gpus,
        hbm_gb=x.gpu.hbm_gb,
        weights_gb=x.weight_bytes / gpus / BYTES_PER_GB,
        pool_gb=pool / gpus / BYTES_PER_GB,
        request_tokens=tokens,
        requests=_held(
            x,
            x.held_prefill if role == "prefill" else x.held_decode,
            pool,
            tokens,
            by_tokens=role != "prefill" and x.row.pool_tokens is not None,
        ),
    )


def _held(x: ResolvedRow, curve: KvCurve, pool: float, tokens: int, by_tokens: bool) -> float:
    """Count whole requests in a pool: by its tokens where the row gives them, else by bytes."""
    if by_tokens:
        return x.pool_tokens // tokens
    each = float(curve.bytes(tokens))
    if pool < 0 or each == 0:
        return 0.0 if pool < 0 else math.inf
    return pool // each
