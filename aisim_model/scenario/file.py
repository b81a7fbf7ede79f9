"""A scenario as a file: YAML or JSON of `Scenario`, partial if wanted, read safely.

What is left out takes its default. What is wrong is said with its line and its field, all of it at once.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from aisim_model.errors import InputError, sentences, shown
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.scenario.older_names import OLDER_FIELDS
from aisim_model.scenario.plain_yaml import Loader, is_within

MAX_FILE_BYTES = 1_000_000
MAX_NODES = 100_000
MAX_DEPTH = 60
TOO_DEEP = "the file is nested too deeply to be a scenario."
HALVES = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")  # of a character beyond 16 bits, as JSON escapes it
MOST_SAID = 8

Path = tuple[str | int, ...]
Lines = Mapping[Path, int]


class ScenarioFileError(InputError):
    """A scenario file that is refused: a sentence for each fault, with its line and field."""

    def __init__(self, name: str, faults: tuple[str, ...]) -> None:
        self.name, self.faults = name, faults
        super().__init__(name, None, "is refused")
        more = f"\n… and {len(faults) - MOST_SAID} more." if len(faults) > MOST_SAID else ""
        self.args = ("\n".join(f"{name}, {fault}" for fault in faults[:MOST_SAID]) + more,)

    def __reduce__(self) -> tuple[type[ScenarioFileError], tuple[str, tuple[str, ...]]]:
        return type(self), (self.name, self.faults)


def scenario_text(scenario: Scenario) -> str:
    """Return a scenario as the text of a JSON file, every value written out, which `read_scenario` reads.

    Examples
    --------
    >>> read_scenario(scenario_text(Scenario()), "scenario.json") == Scenario()
    True
    """
    return json.dumps(scenario.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def read_scenario(content: str | bytes, name: str = "scenario") -> Scenario:
    r"""Read a scenario from the text of a file.

    Parameters
    ----------
    content : str or bytes
        YAML or JSON, UTF-8.
    name : str
        Name of the file, for the sentences; one that ends in ``.json`` is read as JSON alone.

    Returns
    -------
    Scenario
        What the file leaves out has its default. A row may leave out its id, name and colour; the first split
        row is selected and the first aggregated one is the baseline, where the file doesn't say.

    Raises
    ------
    ScenarioFileError
        With a sentence for each fault: no YAML or JSON, an unknown field (the nearest is named), a value that
        is refused, a key that stands twice.

    Examples
    --------
    >>> read_scenario("workload: {prompt_tokens: 8192}").workload.prompt_tokens
    8192
    >>> try:
    ...     read_scenario("workload:\n  promt_tokens: 8192\n", "a.yaml")
    ... except ScenarioFileError as error:
    ...     print(error)
    a.yaml, line 2: workload.promt_tokens is no field of a workload; the nearest is prompt_tokens.
    """
    text = _text(content, name)
    data, node = _parsed(text, name)
    lines = _lines(node, name)
    if not isinstance(data, dict):
        what = "is empty" if data is None else f"holds {shown(data)}"
        raise ScenarioFileError(
            name, (f"line 1: the file {what}; it must hold fields of a scenario such as workload.",)
        )
    if faults := [*_unknown(data, lines), *_flags(data, lines)]:
        raise ScenarioFileError(name, tuple(faults))
    try:
        return Scenario.model_validate(_completed(data))
    except ValidationError as error:
        raise ScenarioFileError(name, tuple(_faults(error, lines))) from None


def _text(content: str | bytes, name: str) -> str:
    if len(content) > MAX_FILE_BYTES:
        raise ScenarioFileError(
            name, (f"line 1: the file is larger than {MAX_FILE_BYTES:,} bytes, no scenario is.",)
        )
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ScenarioFileError(
            name, (f"line {line}: the file is no UTF-8 text; save it as UTF-8.",)
        ) from None


def _parsed(text: str, name: str) -> tuple[Any, yaml.Node | None]:
    """Return the file's data, and its tree of nodes, which know their lines."""
    try:
        if name.lower().endswith(".json") or text.lstrip().startswith("{"):
            try:
                # a tab can't stand inside a string of valid JSON, and YAML takes none before a value; libyaml
                # takes no halves of a character, and the tree of lines needs none
                return json.loads(text), _composed(HALVES.sub(r"\\uFFFD", text.replace("\t", " ")))
            except json.JSONDecodeError as error:
                if name.lower().endswith(".json"):
                    problem = f"is no JSON here ({error.msg[:1].lower()}{error.msg[1:]})"
                    raise ScenarioFileError(name, (f"line {error.lineno}: the file {problem}.",)) from None
        if not is_within(text, MAX_NODES, MAX_DEPTH):
            raise ScenarioFileError(name, ("line 1: the file holds more than a scenario does.",))
        node = _composed(text)
        _lines(node, name)
        return yaml.load(text, Loader=Loader), node
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        problem = " ".join(str(error.problem or error.context).split())
        if "nesting depth" in problem:
            raise ScenarioFileError(name, (f"line {line}: {TOO_DEEP}",)) from None
        raise ScenarioFileError(name, (f"line {line}: the file is no YAML here ({problem}).",)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ScenarioFileError(
            name, (f"line {line}: the file holds a character that no text has.",)
        ) from None
    except RecursionError:
        raise ScenarioFileError(name, (f"line 1: {TOO_DEEP}",)) from None
    except InputError:
        raise
    except ValueError as error:
        raise ScenarioFileError(
            name, (f"line 1: the file holds a value that can't be read ({error}).",)
        ) from None


def _composed(text: str) -> yaml.Node | None:
    return yaml.compose(text, Loader=Loader)


def _lines(root: yaml.Node | None, name: str) -> dict[Path, int]:
    """Return the line of every value by its path; refuse keys that stand twice and trees without end."""
    found: dict[Path, int] = {}
    twice = []
    stack: list[tuple[Path, yaml.Node]] = [] if root is None else [((), root)]
    while stack:
        path, node = stack.pop()
        line = node.start_mark.line + 1
        found.setdefault(path, line)
        if len(found) > MAX_NODES or len(path) > MAX_DEPTH:
            raise ScenarioFileError(name, (f"line {line}: the file holds more than a scenario does.",))
        if isinstance(node, yaml.SequenceNode):
            stack += [((*path, index), item) for index, item in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            keys = set()
            for key, value in node.value:
                text, at = str(key.value), key.start_mark.line + 1
                if text in keys and text != "<<":
                    twice.append(f"line {at}: {_dotted((*path, text))} stands twice; keep one of them.")
                keys.add(text)
                found[(*path, text)] = at
                # a merged mapping's fields belong to the mapping that merges it
                stack.append((path if text == "<<" else (*path, text), value))
    if twice:
        raise ScenarioFileError(name, tuple(twice))
    return found


def _unknown(data: Mapping[str, Any], lines: Lines) -> Iterator[str]:
    """Say which fields a scenario doesn't have, and which it has that are spelt nearly so."""
    rows = data.get("deployments")
    parts: list[tuple[Path, Any, type[BaseModel], str]] = [
        ((), data, Scenario, "scenario"),
        (("workload",), data.get("workload"), Workload, "workload"),
    ]
    parts += [
        (("deployments", index), row, Deployment, "deployment")
        for index, row in enumerate(rows if isinstance(rows, list) else ())
    ]
    for path, part, kind, called in parts:
        for key in part if isinstance(part, dict) else ():
            if key in kind.model_fields or (kind is Deployment and key in OLDER_FIELDS):
                continue
            near = difflib.get_close_matches(str(key)[:100], kind.model_fields, n=1, cutoff=0.6)
            ways = f"the nearest is {near[0]}" if near else f"it has {', '.join(kind.model_fields)}"
            where = (*path, str(key))
            yield f"line {_line(where, lines)}: {_dotted(where)} is no field of a {called}; {ways}."


def _flags(data: Mapping[str, Any], lines: Lines) -> Iterator[str]:
    """Refuse yes and no, which would pass for 1 and 0: no field of a scenario is a flag."""
    workload, rows = data.get("workload"), data.get("deployments")
    parts: list[tuple[Path, Any]] = [((), data), (("workload",), workload)]
    parts += [
        (("deployments", index), row) for index, row in enumerate(rows if isinstance(rows, list) else ())
    ]
    for path, part in parts:
        for key, value in part.items() if isinstance(part, dict) else ():
            if isinstance(value, bool):
                where = (*path, str(key))
                yield (
                    f"line {_line(where, lines)}: {_dotted(where)} = {value}: "
                    "must be a number or a text, not yes or no; put a text in quotes."
                )


def _completed(data: dict[str, Any]) -> dict[str, Any]:
    """Give rows the id, name and colour that they leave out, and choose a selected row and a baseline."""
    rows = data.get("deployments")
    if not isinstance(rows, list):
        return data
    taken = {row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)}
    filled: list[Any] = []
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            filled.append(row)
            continue
        row_id = row["id"] if "id" in row else _free_id(str(row.get("name", "")), index, taken)
        if isinstance(row_id, str):
            taken.add(row_id)
        filled.append({"name": str(row_id), "color": index % 40, **row, "id": row_id})
    result = {**data, "deployments": filled}
    ids = [(row["id"], row.get("kind", "split")) for row in filled if isinstance(row, dict)]
    for field, wanted in (("selected_id", "split"), ("baseline_id", "aggregated")):
        if ids:
            result.setdefault(field, next((row_id for row_id, kind in ids if kind == wanted), ids[0][0]))
    return result


def _free_id(name: str, index: int, taken: set[str]) -> str:
    """Return an id made of a row's name, or of its place."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:24].strip("-") or f"row-{index + 1}"
    return slug if slug not in taken else next(i for n in range(1, 999) if (i := f"row-{n}") not in taken)


def _faults(error: ValidationError, lines: Lines) -> Iterator[str]:
    """Put the line before each sentence of a validation."""
    for item, sentence in zip(error.errors(include_url=False), sentences(error), strict=True):
        cause = item.get("ctx", {}).get("error")
        path = item["loc"]
        if item["type"] == "too_short" and item["input"]:  # its rows are refused already
            continue
        if isinstance(cause, InputError):
            path = (*path, cause.field)
            sentence = f"{_dotted(item['loc'])}: {sentence}" if item["loc"] else sentence
        yield f"line {_line(path, lines)}: {sentence}"


def _line(path: Path, lines: Lines) -> int:
    """Return the line of a value, or of what holds it where it isn't written."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _dotted(path: Path) -> str:
    return ".".join(str(part) for part in path)
