"""NVIDIA AISimulate: workers of an engine, one group a side or one aggregated."""

from __future__ import annotations

from typing import Any

from aisim_model.manifests.formats.pods import get, used
from aisim_model.manifests.parts import Report, Role, Worker
from aisim_model.manifests.settings import number

KEYS = (
    ("parallelism", "tensor", "tp"),
    ("parallelism", "pipeline", "pp"),
    ("parallelism", "attention_data", "dp"),
    ("scheduler", "max_batched_tokens", "chunk_tokens"),
    ("scheduler", "max_sequences", "max_sequences"),
    ("kv_cache", "block_size", "block_size"),
)


def matches(docs: list[Any]) -> bool:
    """Whether it has an engine with workers."""
    return bool(docs) and isinstance(get(docs[0], "engine", "workers"), dict)


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return a worker a group."""
    engine, found = docs[0]["engine"], []
    for name in ("model", "backend", "hardware", "context_length"):
        used(
            report,
            (0, "engine", name),
            get(engine, name),
            {"backend": "engine", "hardware": "gpu"}.get(name, name),
        )
    roles: dict[str, Role | None] = {"prefill": "prefill", "decode": "decode"}
    for group, part in engine["workers"].items():
        path = (0, "engine", "workers", str(group))
        backend = str(get(engine, "backend") or "vllm").lower()
        worker = Worker({"trtllm": "trtllm", "sglang": "sglang"}.get(backend, "vllm"), roles.get(str(group)))
        worker.settings["model"] = get(engine, "model")
        for block, key, name in KEYS:
            if (value := get(part, block, key)) is not None:
                worker.settings[name] = number(name, value)
                used(report, (*path, block, key), value, name)
        caching = get(part, "kv_cache", "prefix_caching")
        if isinstance(caching, bool):
            worker.settings["prefix_caching"] = caching
            used(report, (*path, "kv_cache", "prefix_caching"), caching, "prefix_caching")
        if worker.engine != "vllm" and worker.size("dp") > 1:  # inside TP there, beside it here
            worker.settings |= {"attention_dp": True, "tp": worker.size("tp") * worker.size("dp")}
        replicas = get(part, "parallelism", "replicas")
        worker.count = number("workers", 1 if replicas is None else replicas)
        used(report, (*path, "parallelism", "replicas"), replicas, f"{worker.role or 'prefill'}_workers")
        found.append(worker)
    return found
