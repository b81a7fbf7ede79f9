"""Flags of a command, or keys of an engine's YAML, into the settings of a worker."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aisim_model.errors import InputError
from aisim_model.manifests.parts import Report, Worker
from aisim_model.manifests.vocabulary import CONNECTORS, IRRELEVANT, SWITCHES, WORDS

WHOLE = frozenset(
    [
        "tp",
        "pp",
        "dp",
        "cp",
        "block_size",
        "chunk_tokens",
        "max_sequences",
        "max_model_len",
        "count",
        "nodes",
        "node_rank",
    ]
)
YES = frozenset(
    ["attention_dp", "prefix_caching", "no_prefix_caching", "deepep", "is_prefill", "is_decode", "headless"]
)
MOST_RANKS = 1_000_000
_ARITHMETIC = re.compile(r"\$\(\(\s*(\w+)\s*\*\s*(\w+)\s*\)\)")


def pairs(words: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Split words into flags and values; what stands alone comes with no flag.

    Examples
    --------
    >>> list(pairs(["m", "-tp", "8", "--block-size=1", "--headless"]))
    [('', 'm'), ('-tp', '8'), ('--block-size', '1'), ('--headless', True)]
    """
    rest = list(words)
    at = 0
    while at < len(rest):
        word = rest[at]
        at += 1
        if not re.match(r"--?[A-Za-z]", word):
            yield "", word
            continue
        flag, equals, value = word.partition("=")
        if equals:
            yield flag, value
        elif _plain(flag) not in SWITCHES and at < len(rest) and not re.match(r"--?[A-Za-z]", rest[at]):
            yield flag, rest[at]
            at += 1
        else:
            yield flag, True


def _plain(flag: str) -> str:
    return flag.lstrip("-").replace("_", "-").rstrip("+").lower()


def flattened(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield dotted keys of nested engine YAML."""
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value and _plain(name) != "kv-transfer-config":
            yield from flattened(value, f"{name}.")
        else:
            yield name, value


def apply(worker: Worker, flags: Iterable[tuple[str, Any]], report: Report, where: str = "") -> None:
    """Put flags into the worker, the last of a repeated one; say of each what became of it."""
    seen: dict[str, Any] = {}
    for flag, value in flags:
        name = _plain(flag)
        label = f"{where}{flag}"
        if name.startswith("kv-transfer-config."):
            _transfer(worker, {name.removeprefix("kv-transfer-config.").replace("-", "_"): value})
            report.say(label, value, "transfer", "read")
            continue
        known = WORDS[worker.engine].get(name)
        if known is None:
            if name and name in seen:
                report.say(label, _short(value), None, "given twice, the last counts; not modelled")
                continue
            seen[name] = value
            why = "irrelevant: no timing" if name in IRRELEVANT else "not modelled"
            report.say(label, _short(value), None, why if flag else "a word that no flag asks for")
            continue
        again = known in seen and seen[known] != value and name not in {"served-model-name"}
        seen[known] = value
        used = _set(worker, known, value)
        why = "given twice, the last counts" if again else "read" if used else "not a value it can have"
        report.say(label, _short(value), known if used else None, why)


def _set(worker: Worker, known: str, value: Any) -> bool:
    settings = worker.settings
    if known == "kv_transfer":
        data = value
        if isinstance(value, str):
            try:
                data = json.loads(value)
            except (ValueError, RecursionError):
                return False
        if isinstance(data, dict):
            _transfer(worker, data)
        return isinstance(data, dict)
    if known == "role" and isinstance(value, str):
        text = value.lower()
        if text in {"prefill", "decode"}:
            worker.role = "prefill" if text == "prefill" else "decode"
        return True
    if known == "ep":
        settings["ep"] = True if value is True else number(known, value)
        return True
    if known in YES:
        settings[known] = value is True or str(value).lower() in {"true", "1", "yes"}
        if known == "no_prefix_caching":
            settings["prefix_caching"] = not settings.pop(known)
        elif known == "deepep" and settings[known]:
            settings["all_to_all"] = "deepep"
        elif known == "is_prefill" and settings[known]:
            worker.role = "prefill"
        elif known == "is_decode" and settings[known]:
            worker.role = "decode"
        return True
    if known in {"node_rank", "nodes"} and not re.fullmatch(r"\d{1,9}", str(value)):
        return False  # set by a controller: every pod runs the same command
    if known in WHOLE:
        settings[known] = number(known, value)
        if known == "count":
            worker.count = settings.pop("count")
        return True
    if known == "kv_pool_share":
        try:
            settings[known] = float(value)
        except (TypeError, ValueError):
            return False
        return bool(0 < settings[known] <= 1)
    if known == "transfer" and worker.engine == "trtllm":
        text = str(value).lower()
        settings[known] = "nixl" if text == "default" else text
        return True
    settings[known] = value
    return value is not None


def number(field: str, value: Any) -> int:
    """Return a whole number from a manifest, in quotes or not, or say that it must be filled in.

    Examples
    --------
    >>> number("tp", "8")
    8
    """
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"-?\d{1,9}(\.0)?", text):
        problem = "must be a whole number; a variable or template is left in it"
        raise InputError(field, value, problem, "Put the number in, then paste again.")
    result = int(float(text))
    if field in {"tp", "pp", "dp", "cp", "ep", "workers", "gpus"} and not 0 <= result <= MOST_RANKS:
        raise InputError(field, result, f"must be from 0 to {MOST_RANKS:,}", "Mend the number.")
    return result


def arithmetic(text: str, known: Mapping[str, str]) -> str:
    """Multiply in $((A * B)) where both are known; anything else stays as it is written."""

    def product(match: re.Match[str]) -> str:
        parts = [known.get(part, part) for part in match.groups()]
        if not all(re.fullmatch(r"\d{1,6}", part) for part in parts):
            return match[0]
        return str(int(parts[0]) * int(parts[1]))

    return _ARITHMETIC.sub(product, text)


def _transfer(worker: Worker, data: Mapping[str, Any]) -> None:
    connector = str(data.get("kv_connector", "")).lower()
    for part, name in CONNECTORS:
        if part in connector:
            worker.settings["transfer"] = name
            break
    role = data.get("kv_role")
    if worker.role is None and role in {"kv_producer", "kv_consumer"}:
        worker.role = "prefill" if role == "kv_producer" else "decode"
    if "kv_parallel_size" in data:
        worker.settings["kv_parallel_size"] = data["kv_parallel_size"]


def _short(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    return text if len(text) <= 200 else text[:199] + "…"
