"""TensorRT-LLM's disaggregated YAML, and the YAML of one server."""

from __future__ import annotations

from typing import Any

from aisim_model.manifests.formats.pods import get
from aisim_model.manifests.parts import Report, Role, Worker
from aisim_model.manifests.settings import apply, flattened

SIDES: tuple[tuple[str, Role], ...] = (("context_servers", "prefill"), ("generation_servers", "decode"))
OWN = frozenset(
    [
        "kv_cache_config",
        "cache_transceiver_config",
        "enable_attention_dp",
        "max_num_tokens",
        "cuda_graph_config",
    ]
)


def matches(docs: list[Any]) -> bool:
    """Whether it has servers of a side, or keys that no other engine has."""
    return (
        bool(docs) and isinstance(docs[0], dict) and bool(({side for side, _ in SIDES} | OWN) & set(docs[0]))
    )


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return the workers; a side inherits the top level."""
    doc = docs[0]
    top = {key: value for key, value in doc.items() if key not in dict(SIDES)}
    report.done.update((0, str(key)) for key in doc)
    sides = [(side, role) for side, role in SIDES if isinstance(get(doc, side), dict)]
    if not sides:
        worker = Worker("trtllm")
        apply(worker, flattened(top), report)
        return [worker]
    found = []
    for side, role in sides:
        worker = Worker("trtllm", role)
        apply(worker, flattened(top), report)
        apply(worker, flattened(doc[side]), report, f"{side}.")
        if worker.settings.get("router") in {"kv_cache_aware", "conversation"}:
            worker.settings["router"] = "kv"
        found.append(worker)
    return found
