"""AIBrix StormService: roles, of which those that start an engine are workers."""

from __future__ import annotations

from typing import Any

from aisim_model.manifests.formats.pods import environment, get, gpus_of, used, worker_in
from aisim_model.manifests.parts import Report, Worker
from aisim_model.manifests.settings import number


def matches(docs: list[Any]) -> bool:
    """Whether one document is a StormService."""
    return any(get(doc, "kind") == "StormService" for doc in docs)


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return the workers of the roles, times the replicas of the service."""
    found: list[Worker] = []
    router: str | None = None
    for index, doc in enumerate(docs):
        if get(doc, "kind") != "StormService":
            continue
        report.done.add((index, "kind"))
        times = get(doc, "spec", "replicas")
        used(report, (index, "spec", "replicas"), times, "multiplies all workers")
        for at, role in enumerate(get(doc, "spec", "template", "spec", "roles") or []):
            path = (index, "spec", "template", "spec", "roles", at)
            where = (*path, "template", "spec", "containers", 0)
            container = get(role, "template", "spec", "containers", 0)
            words = " ".join(str(word) for word in get(container, "args") or []).split()
            if "--policy" in words[:-1]:
                router = words[words.index("--policy") + 1]
                report.say("--policy", router, "router", "read")
            worker = worker_in(container, report, where, environment(container, report, where))
            if worker is None:
                continue
            replicas, pods = get(role, "replicas"), get(role, "podGroupSize")
            worker.count = number("workers", 1 if replicas is None else replicas)
            worker.count *= number("workers", 1 if times is None else times)
            worker.pods = number("pods", 1 if pods is None else pods)
            worker.pod_gpus = gpus_of(get(container, "resources"))
            used(report, (*path, "replicas"), replicas, f"{worker.role or 'prefill'}_workers")
            used(report, (*path, "podGroupSize"), pods, "pods of a worker")
            found.append(worker)
    for worker in found:
        if router:
            worker.settings["router"] = router
    return found
