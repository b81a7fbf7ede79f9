"""DynamoGraphDeployment: services of v1alpha1, components of v1beta1; engine YAML from a ConfigMap."""

from __future__ import annotations

from typing import Any

from aisim_model.manifests.documents import documents
from aisim_model.manifests.formats.pods import environment, get, gpus_of, used, worker_in
from aisim_model.manifests.parts import Report, Worker
from aisim_model.manifests.settings import apply, flattened, number


def matches(docs: list[Any]) -> bool:
    """Whether one document is a DynamoGraphDeployment."""
    return any(get(doc, "kind") == "DynamoGraphDeployment" for doc in docs)


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return the workers of a graph, its frontend's router mode in each."""
    files = {
        name: text
        for doc in docs
        if get(doc, "kind") == "ConfigMap"
        for name, text in (get(doc, "data") or {}).items()
    }
    found: list[Worker] = []
    router: str | None = None
    for index, doc in enumerate(docs):
        root = (index,)
        if get(doc, "kind") == "ConfigMap":
            report.done.update({(*root, "data"), (*root, "kind")})
        if get(doc, "kind") != "DynamoGraphDeployment":
            continue
        report.done.add((*root, "kind"))
        services = get(doc, "spec", "services")
        parts = (
            [((*root, "spec", "services", name), name, one) for name, one in services.items()]
            if isinstance(services, dict)
            else [
                ((*root, "spec", "components", at), str(get(one, "name")), one)
                for at, one in enumerate(get(doc, "spec", "components") or [])
            ]
        )
        for path, name, one in parts:
            pod = get(one, "extraPodSpec", "mainContainer")
            where = (*path, "extraPodSpec", "mainContainer")
            if pod is None:
                pod = get(one, "podTemplate", "spec", "containers", 0)
                where = (*path, "podTemplate", "spec", "containers", 0)
            known = environment(
                pod, report, where, [*(get(doc, "spec", "envs") or []), *(get(one, "envs") or [])]
            )
            report.done.update({(*path, "envs"), (*root, "spec", "envs")})
            kind = get(one, "componentType") or get(one, "type")
            if kind == "frontend":
                args = [str(word) for word in get(pod, "args") or []]
                router = known.get("DYN_ROUTER_MODE", router)
                if "--router-mode" in args[:-1]:
                    router = args[args.index("--router-mode") + 1]
                if router:
                    report.say(f"{name} router mode", router, "router", "read")
                continue
            worker = worker_in(pod, report, where, known)
            if worker is None:
                continue
            role = get(one, "subComponentType") or kind
            used(report, (*path, "subComponentType"), get(one, "subComponentType"), "role")
            if role in {"prefill", "decode"}:
                worker.role = "prefill" if role == "prefill" else "decode"
            file = str(worker.settings.get("config_file", "")).rsplit("/", 1)[-1]
            if isinstance(files.get(file), str):
                content = documents(files[file])
                if content and isinstance(content[0], dict):
                    apply(worker, flattened(content[0]), report, f"{file} ")
            replicas = get(one, "replicas")
            worker.count = number("workers", replicas) if replicas is not None else 1
            used(report, (*path, "replicas"), replicas, f"{worker.role or 'prefill'}_workers")
            nodes = get(one, "multinode", "nodeCount")
            worker.pods = number("nodes", nodes) if nodes is not None else 1
            worker.pod_gpus = gpus_of(get(one, "resources"), get(pod, "resources"))
            used(report, (*path, "multinode", "nodeCount"), nodes, "pods of a worker")
            used(report, (*path, "resources", "limits", "gpu"), worker.pod_gpus, "GPUs of a pod, checked")
            found.append(worker)
    for worker in found:
        if router:
            worker.settings["router"] = router
    return found
