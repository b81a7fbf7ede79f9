"""YAML as people paste it: bounded in size, depth and aliases, no tag obeyed, refused in a sentence."""

from __future__ import annotations

import re
from typing import Any

import yaml

from aisim_model.errors import InputError
from aisim_model.scenario.plain_yaml import Loader, is_within

MOST_BYTES = 300_000  # the largest that people keep has some 12,000
MOST_NODES = 10_000
MOST_DEPTH = 60


def text_of(content: str | bytes) -> str:
    """Return what was pasted as text, or refuse it."""
    if len(content) > MOST_BYTES:
        problem = f"has more than {MOST_BYTES:,} bytes"
        raise InputError("deployment", f"{len(content):,} bytes", problem, "Paste the deployment alone.")
    try:
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("deployment", "bytes", "is not UTF-8 text", "Paste YAML or a command.") from None
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"(<{7}|>{7}|\|{7}) |={7}$", line):
            problem = f"line {number} is a merge conflict marker"
            raise InputError("deployment", line, problem, "Resolve the conflict, then paste again.")
    return text


def documents(text: str) -> list[Any]:
    r"""Return the documents of a YAML text.

    Raises
    ------
    InputError
        With the line, for what is no YAML, builds objects, or unfolds into too much.

    Examples
    --------
    >>> documents("a: &x [1]\nb: *x")
    [{'a': [1], 'b': [1]}]
    """
    try:
        if not is_within(text, MOST_NODES, MOST_DEPTH):
            raise _too_much()
        nodes = list(yaml.compose_all(text, Loader=Loader))
        budget = [MOST_NODES]
        for node in nodes:
            _count(node, budget, 0)
        return list(yaml.load_all(text, Loader=Loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = f"line {line}: {getattr(error, 'problem', None) or 'is no YAML'}"
        raise InputError("deployment", _line(text, line), problem, "Paste plain YAML.") from None
    except (RecursionError, ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("deployment", "YAML", "can't be read as YAML", "Paste plain YAML.") from None


def _count(node: yaml.Node | None, budget: list[int], depth: int) -> None:
    """Count nodes as they are after aliases unfold."""
    budget[0] -= 1
    if budget[0] < 0 or depth > MOST_DEPTH:
        raise _too_much()
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            _count(key, budget, depth + 1)
            _count(value, budget, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _count(value, budget, depth + 1)


def _too_much() -> InputError:
    problem = f"unfolds into more than {MOST_NODES:,} values or {MOST_DEPTH} levels"
    return InputError("deployment", "YAML", problem, "Paste the deployment without nested anchors.")


def _line(text: str, number: int) -> str:
    lines = text.splitlines()
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""
