"""What manifests for Kubernetes share: the container that serves, its command, environment and GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aisim_model.manifests.launch import worker_of, workers_of
from aisim_model.manifests.parts import Path, Report, Worker
from aisim_model.manifests.settings import number


def get(value: Any, *keys: str | int) -> Any:
    """Return what lies at a path, or None where the path breaks off."""
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def gpus_of(*resources: Any) -> int | None:
    """Return the GPUs that limits or requests ask for: `gpu` or a vendor's resource, in quotes or not."""
    for one in resources:
        for part in ("limits", "requests"):
            for key, value in (get(one, part) or {}).items() if isinstance(get(one, part), dict) else ():
                if key == "gpu" or str(key).endswith(".com/gpu"):
                    return number("gpus", value)
    return None


def environment(container: Any, report: Report, path: Path, inherited: Any = None) -> dict[str, str]:
    """Return a container's variables that have a value; each is listed."""
    known: dict[str, str] = {}
    for item in [*(inherited or []), *(get(container, "env") or [])]:
        if isinstance(item, dict) and "name" in item:
            value = item.get("value")
            if isinstance(value, str | int | float):
                known[str(item["name"])] = str(value)
            report.say(f"env {item['name']}", value, None, "irrelevant: environment variable")
    report.done.add((*path, "env"))
    return known


def words_of(container: Any, report: Report, path: Path) -> list[str]:
    """Return command and arguments as one list of words."""
    words: list[str] = []
    for key in ("command", "args"):
        part = get(container, key)
        words += (
            [str(word) for word in part] if isinstance(part, list) else [] if part is None else [str(part)]
        )
        report.done.add((*path, key))
    return words


def worker_in(
    container: Any, report: Report, path: Path, known: Mapping[str, str], default: str | None = None
) -> Worker | None:
    """Return the worker that a container starts; `default` is the engine of bare arguments."""
    words = words_of(container, report, path)
    for at, word in enumerate(words):
        if word in {"-c", "-lc", "-ec"} and at and words[at - 1].endswith("sh"):
            found = workers_of(" ".join(words[at + 1 :]), report, known)
            return found[0] if found else None
    if (worker := worker_of(words, report, known)) or default is None:
        return worker
    starts = {"vllm": ["vllm", "serve"], "sglang": ["sglang.launch_server"]}.get(default, ["trtllm-serve"])
    return worker_of([*starts, *words], report, known)


def used(report: Report, path: Path, value: Any, used_as: str) -> None:
    """Account for one place of a document that is read."""
    report.done.add(path)
    if value is not None:
        report.say(".".join(map(str, path)), value, used_as, "read")
