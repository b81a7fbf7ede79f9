"""From a file's bytes to the object in it: bounded, and refused in a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aisim_model.models.kv_cache.keys import ConfigError

MAX_CONFIG_BYTES = 8 * 2**20
MAX_KEYS = 20_000
_MANY = ("quant", "label")  # parts of words, of objects that may have more keys
SHOWN = 40  # characters of a file that is no JSON
REMEDY = "Choose the config.json of a model."


def parse(document: Mapping[str, Any] | str | bytes) -> Mapping[str, Any]:
    """Return the object of a config.json.

    Parameters
    ----------
    document : Mapping, str or bytes
        The file's text, or the object where it is parsed already. NaN and Infinity as bare words are read.

    Returns
    -------
    Mapping

    Raises
    ------
    ConfigError
        For a file beyond 8 MiB, one that is no JSON, nested too deep, no object, or has one key twice.

    Examples
    --------
    >>> parse('{"time_step_limit": [0.0, Infinity]}')
    {'time_step_limit': [0.0, inf]}
    """
    if isinstance(document, Mapping):
        return document
    if len(document) > MAX_CONFIG_BYTES:
        raise too_large(len(document))
    try:
        found = json.loads(document, object_pairs_hook=_object)
    except RecursionError:
        raise ConfigError("config", _start(document), "is nested too deep to be a model's", REMEDY) from None
    except ConfigError:
        raise
    except ValueError as error:  # also bytes that are no text, and numbers of thousands of digits
        raise ConfigError("config", _start(document), f"is not JSON: {_reason(error)}", REMEDY) from None
    if not isinstance(found, dict):
        kind = {list: "a list", str: "a text", type(None): "null"}.get(
            type(found), "a number or a truth value"
        )
        raise ConfigError("config", found, f"is {kind}, not an object", REMEDY)
    return found


def check_bounded(config: Mapping[str, Any]) -> None:
    """Refuse a file of more keys than a config has, labels and lists of quantised modules not counted.

    Raises
    ------
    ConfigError

    Examples
    --------
    >>> check_bounded({"num_hidden_layers": 32, "text_config": {}})
    """
    left, count = [config], 0
    while left and count <= MAX_KEYS:
        found = left.pop()
        count += len(found)
        left += [
            value
            for name, value in found.items()
            if isinstance(value, Mapping) and not any(word in str(name) for word in _MANY)
        ]
    if count > MAX_KEYS:
        problem = f"are more than any model's config has ({MAX_KEYS:,})"
        raise ConfigError("keys", f"{count:,}", problem, REMEDY)


def too_large(size_bytes: int) -> ConfigError:
    """Return the error for a file beyond the bound."""
    problem = f"is larger than a config.json ever is ({MAX_CONFIG_BYTES // 2**20} MiB)"
    return ConfigError("size in bytes", size_bytes, problem, REMEDY)


def _start(document: str | bytes) -> str:
    """Return how a file begins, as text."""
    start = document[:SHOWN]
    return start if isinstance(start, str) else start.decode(errors="replace")


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    return (
        "it is no text in UTF-8" if isinstance(error, UnicodeDecodeError) else "a number has too many digits"
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build one object, refusing a key that stands twice with different values."""
    found = dict(pairs)
    if len(found) != len(pairs):
        for key, value in pairs:
            if found[key] != value:
                problem = f"stands twice in the file, the other time as {found[key]!r:.60}"
                raise ConfigError(key, value, problem, "Keep the right one.")
    return found
