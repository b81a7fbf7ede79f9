"""Ray Serve LLM: prefill_config and decode_config, or a list of llm_configs; engine keys in snake case."""

from __future__ import annotations

from typing import Any

from aisim_model.manifests.formats.pods import get, used
from aisim_model.manifests.parts import Path, Report, Role, Worker
from aisim_model.manifests.settings import apply, number


def matches(docs: list[Any]) -> bool:
    """Whether it lists applications."""
    return bool(docs) and isinstance(get(docs[0], "applications"), list)


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return the workers of each application."""
    found = []
    for at, app in enumerate(docs[0]["applications"]):
        args, path = get(app, "args") or {}, (0, "applications", at, "args")
        sides: tuple[tuple[str, Role], ...] = (("prefill_config", "prefill"), ("decode_config", "decode"))
        for key, role in sides:
            if get(args, key):
                found.append(_worker(args[key], (*path, key), role, report))
        for index, one in enumerate(get(args, "llm_configs") or []):
            if isinstance(one, dict):
                found.append(_worker(one, (*path, "llm_configs", index), None, report))
    return found


def _worker(part: Any, path: Path, role: Role | None, report: Report) -> Worker:
    worker = Worker("vllm", role)
    apply(worker, (get(part, "engine_kwargs") or {}).items(), report)
    worker.role = role
    report.done.add((*path, "engine_kwargs"))
    loading = get(part, "model_loading_config") or {}
    worker.settings["model"] = get(loading, "model_source") or get(loading, "model_id")
    for key in ("model_source", "model_id"):
        used(report, (*path, "model_loading_config", key), get(loading, key), "model")
    config = get(part, "deployment_config") or {}
    least = get(config, "autoscaling_config", "min_replicas")
    count = get(config, "num_replicas") if least is None else least
    worker.count = number("workers", 1 if count is None else count)
    used(report, (*path, "deployment_config", "num_replicas"), get(config, "num_replicas"), "workers")
    used(
        report,
        (*path, "deployment_config", "autoscaling_config", "min_replicas"),
        least,
        "workers, at the least",
    )
    if "KV" in str(get(config, "request_router_config", "request_router_class")):
        worker.settings["router"] = "kv"
    return worker
