"""The YAML that `vllm serve --config` or `sglang --config` takes: flags as keys."""

from __future__ import annotations

from typing import Any

from aisim_model.manifests.parts import Report, Worker
from aisim_model.manifests.settings import apply
from aisim_model.manifests.vocabulary import SGLANG, VLLM


def _own(doc: Any) -> dict[str, int]:
    keys = {str(key).replace("_", "-") for key in doc} if isinstance(doc, dict) else set()
    return {engine: len(keys & set(words)) for engine, words in (("vllm", VLLM), ("sglang", SGLANG))}


def matches(docs: list[Any]) -> bool:
    """Whether it is one flat document of an engine's flags."""
    return len(docs) == 1 and isinstance(docs[0], dict) and max(_own(docs[0]).values()) >= 2


def read(docs: list[Any], report: Report) -> list[Worker]:
    """Return the one worker."""
    known = _own(docs[0])
    worker = Worker("sglang" if known["sglang"] > known["vllm"] else "vllm")
    report.done.update((0, str(key)) for key in docs[0])
    apply(worker, docs[0].items(), report)
    return [worker]
