"""Engine commands among the commands of a text, as workers: ranks of one worker counted once."""

from __future__ import annotations

import re
from collections.abc import Mapping

from aisim_model.manifests import shell
from aisim_model.manifests.parts import Report, Worker
from aisim_model.manifests.settings import apply, arithmetic, pairs
from aisim_model.manifests.vocabulary import ENGINE_WORDS


def workers_of(text: str, report: Report, environment: Mapping[str, str] = {}) -> list[Worker]:
    """Return the workers that a shell text starts."""
    known = dict(environment)
    found: list[Worker] = []
    for words in shell.commands(text):
        before = dict(known)
        while words and (pair := shell.assignment(words[0])):
            before[pair[0]] = shell.substituted(pair[1], known)
            report.say(pair[0], before[pair[0]], None, "irrelevant: environment variable")
            words = words[1:]
        if not words:
            known = before
            continue
        if words[0] == "export":
            for word in words[1:]:
                if pair := shell.assignment(word):
                    known[pair[0]] = shell.substituted(pair[1], known)
                    report.say(pair[0], known[pair[0]], None, "irrelevant: environment variable")
            continue
        worker = worker_of(words, report, before)
        if worker is None:
            report.say(words[0], " ".join(words[1:])[:200], None, "not modelled: starts no engine")
        elif not _another_rank(worker, report):
            found.append(worker)
    return found


def worker_of(
    words: list[str], report: Report, known: Mapping[str, str] = {}, where: str = ""
) -> Worker | None:
    """Return the worker that one command starts, or None where it starts none."""
    words = [shell.substituted(arithmetic(word, known), known) for word in words]
    engine, at = _engine(words)
    if engine is None:
        return None
    worker = Worker(engine)
    arguments = words[at:]
    if engine == "trtllm" and arguments[:1] == ["serve"]:
        arguments = arguments[1:]
    positional = [value for flag, value in pairs(arguments) if not flag]
    flagged = [(flag, value) for flag, value in pairs(arguments) if flag]
    if positional:
        worker.settings["model"] = positional[0]
        report.say(f"{where}model", positional[0], "model", "read")
        for word in positional[1:]:
            report.say(where or "word", word, None, "a word that no flag asks for")
    apply(worker, flagged, report, where)
    return worker


def _engine(words: list[str]) -> tuple[str | None, int]:
    if words[:2] and words[0] in {"docker", "podman", "sudo"} and "run" in words:
        for at, word in enumerate(words):
            for part in ("vllm", "sglang"):
                if part in word and ("/" in word or word == part) and not word.startswith("-"):
                    inner, place = _engine(words[at + 1 :])
                    return (inner, at + 1 + place) if inner else (part, at + 1)
    for at, word in enumerate(words):
        if word.rsplit("/", 1)[-1] == "vllm" and words[at + 1 : at + 2] == ["serve"]:
            return "vllm", at + 2
        for part, engine in ENGINE_WORDS:
            if word == part or word.endswith(f"/{part}"):
                return engine, at + 1
    return None, 0


def _another_rank(worker: Worker, report: Report) -> bool:
    """Whether the command is a further rank of a worker that another command starts."""
    rank = worker.settings.get("node_rank", 0)
    start = str(worker.settings.get("start_rank", 0))
    further = bool(rank) or bool(worker.settings.get("headless"))
    further = further or (re.fullmatch(r"\d+", start) is not None and int(start) > 0)
    if further:
        report.say("command", "", None, "a further rank of the same worker, counted once")
    return further
