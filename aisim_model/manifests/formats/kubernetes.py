"""Any other Kubernetes manifest whose containers start an engine: Deployment, LeaderWorkerSet, sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aisim_model.manifests.formats.pods import environment, get, gpus_of, used, worker_in
from aisim_model.manifests.parts import Path, Report, Worker
from aisim_model.manifests.settings import number


def matches(docs: list[Any]) -> bool:
    """Whether a document is a Kubernetes object with containers in it."""
    return any(get(doc, "apiVersion") and any(_pods(doc, (), None, None, None)) for doc in docs)


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return the workers of all containers that start an engine."""
    found = []
    for index, doc in enumerate(docs):
        for path, containers, replicas, size, role in _pods(doc, (index,), None, None, None):
            for at, container in enumerate(containers):
                where = (*path, at)
                known = environment(container, report, where)
                if size is not None:
                    known.setdefault("LWS_GROUP_SIZE", str(size))
                worker = worker_in(container, report, where, known)
                if worker is None:
                    continue
                if role in {"prefill", "decode"}:
                    worker.role = "prefill" if role == "prefill" else "decode"
                worker.count = number("workers", 1 if replicas is None else replicas)
                worker.pods = number("pods", 1 if size is None else size)
                worker.pod_gpus = gpus_of(get(container, "resources"))
                used(report, (*where, "replicas"), replicas, f"{worker.role or 'prefill'}_workers")
                found.append(worker)
    return found


def _pods(
    value: Any, path: Path, replicas: Any, size: Any, role: Any
) -> Iterator[tuple[Path, list[Any], Any, Any, Any]]:
    """Yield each list of containers with the replicas, group size and role that stand above it."""
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from _pods(part, (*path, index), replicas, size, role)
    if not isinstance(value, dict):
        return
    replicas = replicas if value.get("replicas") is None else value["replicas"]
    size = value["size"] if "workerTemplate" in value and value.get("size") is not None else size
    labels = get(value, "metadata", "labels") or {}
    role = get(labels, "llm-d.ai/role") or role
    name = value.get("name")
    role = name if name in {"prefill", "decode"} else role
    for key, part in value.items():
        if key == "leaderTemplate" and "workerTemplate" in value:  # the same worker's other pods
            continue
        if key == "containers" and isinstance(part, list):
            yield (*path, "containers"), part, replicas, size, role
        elif key not in {"initContainers", "metadata"}:
            yield from _pods(part, (*path, str(key)), replicas, size, role)
