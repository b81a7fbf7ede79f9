"""srt-slurm recipes: counts in resources, engine keys in backend.*_config of each side."""

from __future__ import annotations

from typing import Any

from aisim_model.manifests.formats.pods import get, used
from aisim_model.manifests.parts import Report, Role, Worker
from aisim_model.manifests.settings import apply, flattened, number


def matches(docs: list[Any]) -> bool:
    """Whether it has resources and a backend."""
    return (
        bool(docs)
        and isinstance(get(docs[0], "backend"), dict)
        and isinstance(get(docs[0], "resources"), dict)
    )


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return the workers of a recipe."""
    doc, found = docs[0], []
    backend = doc["backend"]
    kind = str(get(backend, "type") or "sglang").lower()
    engine = {"trtllm": "trtllm", "vllm": "vllm"}.get(kind, "sglang")
    used(report, (0, "backend", "type"), get(backend, "type"), "engine")
    config = next((key for key in backend if str(key).endswith("_config")), "")
    sides: tuple[tuple[str, Role | None], ...] = (
        ("prefill", "prefill"),
        ("decode", "decode"),
        ("aggregated", None),
    )
    for side, role in sides:
        part = get(backend, config, side)
        if not isinstance(part, dict):
            continue
        worker = Worker(engine, role)
        apply(worker, flattened(part), report, f"{side} ")
        worker.role = role
        report.done.add((0, "backend", config, side))
        stem = "agg" if role is None else side
        count, gpus = get(doc, "resources", f"{stem}_workers"), get(doc, "resources", f"gpus_per_{stem}")
        worker.count = number("workers", 1 if count is None else count)
        worker.pod_gpus = None if gpus is None else number("gpus", gpus)
        used(report, (0, "resources", f"{stem}_workers"), count, f"{stem}_workers")
        used(report, (0, "resources", f"gpus_per_{stem}"), gpus, "GPUs of a worker, checked")
        worker.settings["served_name"] = worker.settings.get("served_name") or get(doc, "model", "path")
        precision = get(doc, "model", "precision")
        if precision:
            worker.settings.setdefault("weight_quant", precision)
            used(report, (0, "model", "precision"), precision, "weight_format")
        found.append(worker)
    return found
