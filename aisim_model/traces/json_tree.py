"""JSON at any depth: where its requests lie, and each of them as a flat row with dotted names.

Requests are a list of objects, or arrays of one length side by side, wherever they stand. ``{"value": 5,
"unit": "ms"}`` becomes its value; the attributes of OpenTelemetry spans become columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aisim_model.errors import InputError

MOST_DOCUMENT_BYTES = 32_000_000
SAMPLE = 50
DEEPEST = 40
MOST_PLACES = 500  # at which rows are sought
ARRAY_LEAST = 2  # arrays of one length that make a table

Row = dict[str, Any]


@dataclass(frozen=True)
class FlatRow:
    """A request with dotted names, and the units that stand beside its values."""

    cells: Row
    units: Mapping[str, str]


def flat(row: Mapping[str, Any]) -> FlatRow:
    """Return a row with dotted names.

    Examples
    --------
    >>> found = flat({"m": {"ttft": {"value": 5, "unit": "ms"}}, "usage": {"prompt_tokens": 7}})
    >>> found.cells, found.units
    ({'m.ttft': 5, 'usage.prompt_tokens': 7}, {'m.ttft': 'ms'})
    >>> span = {"attributes": [{"key": "gen_ai.usage.input_tokens", "value": {"intValue": "12"}}]}
    >>> flat(span).cells
    {'attributes.gen_ai.usage.input_tokens': '12'}
    """
    cells: Row = {}
    units: dict[str, str] = {}
    _flatten(row, "", cells, units, 0)
    return FlatRow(cells, units)


def _flatten(row: Mapping[str, Any], prefix: str, cells: Row, units: dict[str, str], depth: int) -> None:
    for key, value in row.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and depth < DEEPEST:
            if "value" in value and value.keys() <= {"value", "unit"}:
                cells[name] = value["value"]
                if isinstance(value.get("unit"), str):
                    units[name] = value["unit"]
            else:
                _flatten(value, f"{name}.", cells, units, depth + 1)
        elif _are_attributes(value):
            for pair in value:
                cells[f"{name}.{pair['key']}"] = _of_attribute(pair["value"])
        else:
            cells[name] = value


def _are_attributes(value: object) -> bool:
    """Whether a list is one of keys and values, as OpenTelemetry's JSON writes attributes."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(pair, dict) and isinstance(pair.get("key"), str) and "value" in pair for pair in value
        )
    )


def _of_attribute(value: object) -> object:
    return next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value


@dataclass(frozen=True)
class Place:
    """Where rows lie in a document: keys from the top, ``[]`` for each item of a list; arrays or objects."""

    path: tuple[str, ...]
    columnar: bool = False

    def __str__(self) -> str:
        return ".".join(self.path).removeprefix("[]").strip(".").replace(".[]", "[]") or "the top"

    def rows(self, document: object) -> Iterator[Row]:
        """Yield the rows at this place."""
        for found in _at(document, self.path):
            if self.columnar:
                yield from _rows_of_arrays(found)
            elif isinstance(found, dict):
                yield found


def _at(node: object, path: tuple[str, ...]) -> Iterator[Any]:
    if not path:
        yield node
    elif path[0] == "[]":
        for item in node if isinstance(node, list) else ():
            yield from _at(item, path[1:])
    elif isinstance(node, dict) and path[0] in node:
        yield from _at(node[path[0]], path[1:])


def _arrays(node: Mapping[str, Any]) -> list[str]:
    """Return the keys of the arrays of one length that most arrays have."""
    lengths = {key: len(value) for key, value in node.items() if _is_column(value)}
    if not lengths:
        return []
    counts = list(lengths.values())
    usual = max(set(counts), key=lambda length: (counts.count(length), length))
    return [key for key, length in lengths.items() if length == usual]


def _is_column(value: object) -> bool:
    return isinstance(value, list) and bool(value) and not any(isinstance(item, dict) for item in value)


def _rows_of_arrays(node: object) -> Iterator[Row]:
    if not isinstance(node, dict) or len(keys := _arrays(node)) < ARRAY_LEAST:
        return
    for values in zip(*(node[key] for key in keys), strict=True):
        yield dict(zip(keys, values, strict=True))


def places(document: object) -> list[Place]:
    """Return every place where rows may lie, the outermost first.

    Examples
    --------
    >>> [str(place) for place in places({"runs": [{"done": [{"tokens": 1}]}]})]
    ['runs[]', 'runs[].done[]']
    """
    found: dict[Place, None] = {}
    _walk(document, (), found, 0)
    return sorted(found, key=lambda place: len(place.path))


def _walk(node: object, path: tuple[str, ...], found: dict[Place, None], depth: int) -> None:
    if depth > DEEPEST or len(found) > MOST_PLACES:
        return
    if isinstance(node, dict):
        if len(_arrays(node)) >= ARRAY_LEAST:
            found.setdefault(Place(path, columnar=True))
        for key, value in node.items():
            if isinstance(value, dict | list):
                _walk(value, (*path, key), found, depth + 1)
    elif isinstance(node, list):
        objects = [item for item in node[:SAMPLE] if isinstance(item, dict | list)]
        if any(isinstance(item, dict) for item in objects):
            found.setdefault(Place((*path, "[]")))
        for item in objects:
            _walk(item, (*path, "[]"), found, depth + 1)


def one_document(text: bytes, name: str) -> Row | None:
    r"""Return the one JSON object that a text is, None where it is a line for each row.

    Raises
    ------
    InputError
        For one that is too large to be read whole.

    Examples
    --------
    >>> one_document(b'{"a":\n[1]}', "t"), one_document(b'{"a": 1}\n{"a": 2}', "t")
    ({'a': [1]}, None)
    """
    start = text.lstrip()[:1]
    if start != b"{" or _first_line_is_whole(text):
        return None
    if len(text) > MOST_DOCUMENT_BYTES:
        problem = f"is one JSON document of more than {MOST_DOCUMENT_BYTES / 1e6:.0f} MB"
        raise InputError("trace", name, problem, "Write one object on each line.")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _first_line_is_whole(text: bytes) -> bool:
    """Whether a line follows the first that is an object by itself."""
    stripped = text.strip()
    end = stripped.find(b"\n")
    return end > 0 and stripped[:end].rstrip().endswith(b"}") and stripped[end:].lstrip()[:1] == b"{"
