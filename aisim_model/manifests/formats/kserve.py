"""KServe LLMInferenceService: the top level decodes or does both, `prefill` is nested."""

from __future__ import annotations

from typing import Any

from aisim_model.manifests import shell
from aisim_model.manifests.formats.llmd import SIZES
from aisim_model.manifests.formats.pods import environment, get, gpus_of, used, worker_in
from aisim_model.manifests.parts import Path, Report, Role, Worker
from aisim_model.manifests.settings import apply, number, pairs


def matches(docs: list[Any]) -> bool:
    """Whether one document is an LLMInferenceService."""
    return any(get(doc, "kind") == "LLMInferenceService" for doc in docs)


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return the workers of each service."""
    found = []
    for index, doc in enumerate(docs):
        if get(doc, "kind") == "LLMInferenceService":
            spec, path = get(doc, "spec") or {}, (index, "spec")
            report.done.add((index, "kind"))
            if get(spec, "prefill"):
                found.append(_worker(spec, spec["prefill"], (*path, "prefill"), "prefill", report, path))
                found.append(_worker(spec, spec, path, "decode", report, path))
            else:
                found.append(_worker(spec, spec, path, None, report, path))
    return found


def _worker(spec: Any, part: Any, path: Path, role: Role | None, report: Report, root: Path) -> Worker:
    container, where = get(part, "template", "containers", 0), (*path, "template", "containers", 0)
    known = environment(container, report, where)
    worker = worker_in(container, report, where, known, "vllm") or Worker("vllm")
    if more := known.get("VLLM_ADDITIONAL_ARGS"):
        words = [word for line in shell.commands(more) for word in line]
        apply(worker, pairs(words), report, "VLLM_ADDITIONAL_ARGS ")
    worker.role = role
    uri = str(get(spec, "model", "uri") or "")
    name = get(spec, "model", "name") or uri.removeprefix("hf://")
    worker.settings["model"] = uri.removeprefix("hf://") if uri.startswith("hf://") else name
    used(report, (*root, "model", "name"), name, "model")
    used(report, (*root, "model", "uri"), uri or None, "model")
    sizes = get(part, "parallelism") or {}
    for key, size in SIZES.items():
        if get(sizes, key) is not None:
            worker.settings[size] = number(size, sizes[key])
            used(report, (*path, "parallelism", key), sizes[key], size)
    if get(sizes, "expert"):
        worker.settings["ep"] = True
        used(report, (*path, "parallelism", "expert"), True, "ep")
    replicas = get(part, "replicas")
    worker.count = number("workers", replicas) if replicas is not None else 1
    used(report, (*path, "replicas"), replicas, f"{role or 'prefill'}_workers")
    local = get(sizes, "dataLocal")
    if local is not None and number("dataLocal", local) > 0:
        worker.pods = max(1, worker.size("dp") // number("dataLocal", local))
        used(report, (*path, "parallelism", "dataLocal"), local, "pods of a worker")
    plugins = get(spec, "router", "scheduler", "config", "inline", "plugins") or []
    if any("precise-prefix-cache" in str(get(one, "type")) for one in plugins):
        worker.settings["router"] = "kv"
        report.say("precise-prefix-cache plugin", True, "router", "read")
    worker.pod_gpus = gpus_of(get(container, "resources"))
    if (
        get(sizes, "tensor") is None
        and "tp" not in worker.settings
        and (worker.pod_gpus or 1) > 1
        and worker.size("dp") == 1
    ):
        worker.settings["tp"] = worker.pod_gpus
        report.say("tp", worker.pod_gpus, "tp", "not stated: KServe's template takes the pod's GPUs")
    return worker
