"""vLLM production-stack values: a list of models, sides told apart by kvRole."""

from __future__ import annotations

from typing import Any

from aisim_model.manifests.formats.pods import get, used
from aisim_model.manifests.parts import Report, Worker
from aisim_model.manifests.settings import apply, number, pairs

KEYS = {
    "tensorParallelSize": "--tensor-parallel-size",
    "pipelineParallelSize": "--pipeline-parallel-size",
    "maxModelLen": "--max-model-len",
    "maxNumSeqs": "--max-num-seqs",
    "maxNumBatchedTokens": "--max-num-batched-tokens",
    "gpuMemoryUtilization": "--gpu-memory-utilization",
    "enablePrefixCaching": "--enable-prefix-caching",
    "kvCacheDtype": "--kv-cache-dtype",
}
ROUTERS = {"kvaware": "kv", "disaggregated_prefill": "disaggregated prefill"}


def matches(docs: list[Any]) -> bool:
    """Whether it has the chart's list of models."""
    return bool(docs) and isinstance(get(docs[0], "servingEngineSpec", "modelSpec"), list)


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return a worker a model of the list."""
    found = []
    logic = get(docs[0], "routerSpec", "routingLogic")
    used(report, (0, "routerSpec", "routingLogic"), logic, "router")
    for at, one in enumerate(get(docs[0], "servingEngineSpec", "modelSpec")):
        path = (0, "servingEngineSpec", "modelSpec", at)
        worker = Worker("vllm")
        worker.settings["model"] = get(one, "modelURL")
        used(report, (*path, "modelURL"), get(one, "modelURL"), "model")
        config = get(one, "vllmConfig") or {}
        apply(worker, [(KEYS[key], value) for key, value in config.items() if key in KEYS], report)
        report.done.update((*path, "vllmConfig", key) for key in KEYS)
        extra = get(config, "extraArgs") or []
        apply(worker, pairs(str(word) for word in extra), report)
        report.done.add((*path, "vllmConfig", "extraArgs"))
        cache = get(one, "lmcacheConfig") or {}
        role = {"kv_producer": "prefill", "kv_consumer": "decode"}.get(str(get(cache, "kvRole")))
        if role:
            worker.role = "prefill" if role == "prefill" else "decode"
            used(report, (*path, "lmcacheConfig", "kvRole"), get(cache, "kvRole"), "role")
            worker.settings.setdefault("transfer", "lmcache+nixl" if get(cache, "enableNixl") else "lmcache")
        replicas = get(one, "replicaCount")
        worker.count = number("workers", replicas) if replicas is not None else 1
        used(report, (*path, "replicaCount"), replicas, f"{role or 'prefill'}_workers")
        gpus = get(one, "requestGPU")
        worker.pod_gpus = number("gpus", gpus) if gpus is not None else None
        used(report, (*path, "requestGPU"), gpus, "GPUs of a pod, checked")
        if logic:
            worker.settings["router"] = ROUTERS.get(str(logic), logic)
        found.append(worker)
    return found
