"""The worker of a silicon row as the rooflines take it: what the row names, looked up."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from aisim_model import catalog
from aisim_model.arrays import Values
from aisim_model.errors import InputError
from aisim_model.models.shape import Shape
from aisim_model.models.weights.formats import CHECKPOINT, stored_as, weight_format
from aisim_model.models.weights.stored import attention_share, weights_in
from aisim_model.passes.kv_read import RankKv, rank_kv
from aisim_model.passes.speeds import Speeds, speeds
from aisim_model.passes.worker import Worker


class SiliconWorker(NamedTuple):
    """The worker that decodes in a row; in an aggregated one it prefills too.

    Parameters
    ----------
    model_id, gpu_id, engine, precision : str
        As the catalogue and the engines' profiles have them; precision of the weights.
    tensor_parallel, data_parallel, expert_parallel : int
        Its ranks, groups of them, and ranks that experts are dealt out to whole [-].
    """

    model_id: str
    gpu_id: str
    engine: str
    precision: str
    tensor_parallel: int
    data_parallel: int
    expert_parallel: int = 1


class Parts(NamedTuple):
    """What `passes.roofline.coefficients` takes of one worker, constants apart; or arrays of one a row."""

    shape: Shape
    kv: RankKv
    speeds: Speeds
    tensor_parallel: Values
    data_parallel: Values
    expert_parallel: Values = 1.0


def usual_kv_dtype(precision: str) -> str:
    """Return the KV dtype that goes with a precision of weights: fp8 with fp8 and fp4, else bf16.

    Examples
    --------
    >>> usual_kv_dtype("fp4"), usual_kv_dtype("int4")
    ('fp8', 'bf16')
    """
    return "fp8" if precision in ("fp8", "fp4") else "bf16"


@lru_cache(maxsize=1024)
def parts_of(worker: SiliconWorker) -> Parts:
    """Look up a worker's parts.

    Raises
    ------
    InputError
        For a name that isn't in the catalogue, or a number of ranks that there can't be.

    Examples
    --------
    >>> parts_of(SiliconWorker("deepseek-r1", "b200", "vllm", "fp8", 8, 1)).kv.token_bytes
    35136.0
    """
    spec = catalog.model(worker.model_id).spec()
    if worker.data_parallel < 1:
        raise InputError("decode_dp", worker.data_parallel, "must be at least 1", "Give the groups of ranks.")
    curve = spec.kv.wire_curve(usual_kv_dtype(worker.precision), worker.tensor_parallel)
    # fp4 is what the checkpoint has of it
    own = worker.precision == "fp4" and spec.stored.experts in ("mxfp4", "nvfp4")
    stored = weights_in(spec, CHECKPOINT if own else weight_format(worker.precision))
    return Parts(
        shape=spec.shape,
        kv=rank_kv(curve, worker.tensor_parallel),
        speeds=speeds(worker.gpu_id, stored, attention_share(spec)),
        tensor_parallel=float(worker.tensor_parallel),
        data_parallel=float(worker.data_parallel),
        expert_parallel=float(worker.expert_parallel),
    )


def row_worker(worker: SiliconWorker) -> Worker:
    """Return a worker as the simple roofline takes it: all its GPUs as ranks, one format of weights."""
    spec = catalog.model(worker.model_id).spec()
    return Worker(
        active_parameters=float(spec.active_parameters or 0),
        total_parameters=float(spec.total_parameters or 0),
        shape=spec.shape,
        kv=spec.kv.wire_curve(usual_kv_dtype(worker.precision), worker.tensor_parallel),
        speeds=speeds(worker.gpu_id, stored_as(weight_format(worker.precision), mixture=False)),
        tensor_parallel=worker.tensor_parallel * worker.data_parallel,
        engine=worker.engine,
        mfu=None,
        memory_efficiency=None,
        pool_tokens=0.0,
    )
