"""llm-d modelservice values: one block a side, engine flags in the first container's args."""

from __future__ import annotations

from typing import Any

from aisim_model.manifests.formats.pods import environment, get, gpus_of, used, worker_in
from aisim_model.manifests.parts import Report, Worker
from aisim_model.manifests.settings import number

SIZES = {"tensor": "tp", "data": "dp", "pipeline": "pp"}


def matches(docs: list[Any]) -> bool:
    """Whether it has the artifacts block of the chart and a side."""
    return bool(docs) and get(docs[0], "modelArtifacts") is not None and bool(get(docs[0], "decode"))


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return a worker a side that is created; decode alone does both."""
    doc, found = docs[0], []
    name = get(doc, "modelArtifacts", "name")
    used(report, (0, "modelArtifacts", "name"), name, "model")
    created = [
        side for side in ("prefill", "decode") if get(doc, side) and get(doc, side, "create") is not False
    ]
    for side in created:
        part, path = get(doc, side), (0, side)
        container, where = get(part, "containers", 0), (0, side, "containers", 0)
        known = environment(container, report, where)
        worker = worker_in(container, report, where, known, "vllm") or Worker("vllm")
        worker.role = None if created == ["decode"] else "prefill" if side == "prefill" else "decode"
        worker.settings["model"] = name or worker.settings.get("model")
        for key, size in SIZES.items():
            value = get(part, "parallelism", key)
            if value is not None:
                worker.settings.setdefault(size, number(size, value))
                used(report, (*path, "parallelism", key), value, size)
        replicas = get(part, "replicas")
        worker.count = number("workers", replicas) if replicas is not None else 1
        used(report, (*path, "replicas"), replicas, f"{side}_workers")
        worker.pod_gpus = gpus_of(get(container, "resources"))
        if worker.pod_gpus is None:
            report.say(f"{side} GPUs", worker.gpus, f"{side}_tp", "not stated; taken from the parallel sizes")
        found.append(worker)
    return found
