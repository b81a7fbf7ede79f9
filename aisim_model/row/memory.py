"""Does a row fit: weights and KV pool of its workers against their GPUs, and the requests that they hold."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from aisim_model.models.kv_cache import KvCurve
from aisim_model.models.weights.formats import CHECKPOINT, StoredWeights
from aisim_model.models.weights.stored import weight_bytes, weights_in
from aisim_model.row.resolved import ResolvedRow, held_by, room_of
from aisim_model.scenario.side import Side
from aisim_model.scenario.sides import SideName
from aisim_model.units import BYTES_PER_GB

MOST_GPUS = 64
NARROWER = (CHECKPOINT, "fp8", "nvfp4", "int4")  # what is tried where weights are too large


@dataclass(frozen=True)
class WorkerMemory:
    """Memory of one worker.

    Parameters
    ----------
    role : str
        ``prefill``, ``decode`` or ``aggregated``.
    gpus, groups : int
        GPUs of the worker, and the DP groups that share them, each with a pool of its own [-].
    hbm_gb, weights_gb, reserve_gb, pool_gb : float
        Of one GPU: its memory as the driver reports it, weights, what the engine keeps for activations,
        graphs and communication, and KV pool in what is left of the share that may be filled [GB]; the pool
        is below 0 where weights and reserve don't fit.
    request_tokens : int
        Tokens of a request at its longest here [-].
    requests : float
        Such requests that the worker holds at a time, whole ones in each group's pool [-].
    given_tokens : int or None
        A group's pool as the row gives it [tokens]; None where it follows from memory.
    short_gb : float
        What a GPU lacks to serve one request [GB]; 0 where it serves one, or its pool is given.
    resolved : ResolvedRow
        The row that it is of.
    """

    role: str
    gpus: int
    groups: int
    hbm_gb: float
    weights_gb: float
    reserve_gb: float
    pool_gb: float
    request_tokens: int
    requests: float
    given_tokens: int | None
    short_gb: float
    resolved: ResolvedRow = field(repr=False, compare=False)

    @property
    def problem(self) -> Literal["weights", "pool"] | None:
        """What is too small to serve a single request: GPUs for the weights, or the KV pool; None if none."""
        if self.requests >= 1:
            return None
        return "weights" if self.pool_gb < 0 and self.given_tokens is None else "pool"

    @cached_property
    def fitting_gpus(self) -> int | None:
        """The least power of two of GPUs with which it serves a request [-]; None where none does."""
        tried = (2**power for power in range(MOST_GPUS.bit_length()))
        return next((gpus for gpus in tried if gpus > self.gpus and self._serves(gpus=gpus)), None)

    @cached_property
    def fitting_format(self) -> str | None:
        """The first narrower weight format with which its GPUs serve a request; None where none does."""
        spec, side = self.resolved.spec, self._side
        built = side.tensor_parallel, side.attention_dp, side.expert_parallel
        now = weight_bytes(spec, self.resolved.stored, *built)
        for name in NARROWER:
            stored = weights_in(spec, name)
            if weight_bytes(spec, stored, *built) < now and self._serves(stored=stored):
                return name
        return None

    @property
    def _name(self) -> SideName:
        return "prefill" if self.role == "prefill" else "decode"

    @property
    def _side(self) -> Side:
        return self.resolved.row.side(self._name)

    def _serves(self, gpus: int | None = None, stored: StoredWeights | None = None) -> bool:
        """Whether a worker of other GPUs or weights serves a request of this size."""
        x, side = self.resolved, self._side.of_gpus(gpus or self.gpus)
        if self.given_tokens is not None or side is None:
            return False
        pool = room_of(x.spec, x.row, stored or x.stored, self._name, side).pool_bytes
        return pool >= float(held_by(x.spec, x.row, side, x.by_hand).bytes(self.request_tokens))


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
        Sequences that the row's engine runs on a decode worker, or each DP group of it, at most [-].
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
        """Sequences that each DP group of a decode (or aggregated) worker has room for [-].

        0 where the row doesn't fit.
        """
        each = self.workers[-1].requests / self.workers[-1].groups
        return 0.0 if self.problem else min(each, float(self.sequences_limit))


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
    Qwen3-32B in bf16 on one H200: 65.6 GB of weights and a reserve of 4.8 leave 68.2 of 138.7:

    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> one = resolve(Workload(), Deployment(id="a", name="a", prefill_tp=1, decode_tp=1))
    >>> prefill, decode = row_memory(one, 340).workers
    >>> round(prefill.weights_gb, 1), round(prefill.pool_gb, 1), prefill.requests, decode.requests
    (65.6, 68.2, 21.0, 21.0)
    """
    prompt, whole = int(x.prompt_tokens), int(x.prompt_tokens) + output_tokens
    if not x.row.split:
        return RowMemory((_worker(x, "aggregated", whole),), 0.0, x.row.sequences_limit)
    prefill, decode = _worker(x, "prefill", prompt), _worker(x, "decode", whole)
    in_flight = min(prefill.requests * x.row.prefill_workers, decode.requests * x.row.decode_workers)
    return RowMemory((prefill, decode), in_flight, x.row.sequences_limit)


def _worker(x: ResolvedRow, role: str, tokens: int) -> WorkerMemory:
    room = x.prefill_room if role == "prefill" else x.decode_room
    side = x.row.side("prefill" if role == "prefill" else "decode")
    gpus = room.gpus
    curve = x.held_prefill if role == "prefill" else x.held_decode
    given = x.row.prefill_pool_tokens if role == "prefill" else x.row.pool_tokens
    lacking = 0.0 if given is not None else max(float(curve.bytes(tokens)) - room.pool_bytes, 0.0)
    return WorkerMemory(
        role=role,
        gpus=side.gpus,
        groups=side.attention_dp,
        hbm_gb=(x.gpu if role == "prefill" else x.decode_gpu).memory_gb,
        weights_gb=room.weight_bytes / gpus / BYTES_PER_GB,
        reserve_gb=room.reserve_bytes / gpus / BYTES_PER_GB,
        pool_gb=room.pool_bytes / gpus / BYTES_PER_GB,
        request_tokens=tokens,
        requests=_held(curve, room.pool_bytes, tokens, given) * side.attention_dp,
        given_tokens=given,
        short_gb=lacking / gpus / BYTES_PER_GB,
        resolved=x,
    )


def _held(curve: KvCurve, pool: float, tokens: int, given: int | None) -> float:
    """Count whole requests in a pool: by its tokens where the row gives them, else by bytes."""
    if given is not None:
        return float(given // tokens)
    each = float(curve.bytes(tokens))
    if pool < 0 or each == 0:
        return 0.0 if pool < 0 else math.inf
    return pool // each
