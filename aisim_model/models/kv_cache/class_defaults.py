"""What is known of a model's class: what it takes for keys that its config.json leaves out.

Source: the configuration classes of Hugging Face transformers, read by ``tests/tools/make_class_defaults.py``
into ``class_defaults.json``; what stands there by hand says why. A default that is used is said in the
layout's notes. A class that isn't there has none: the missing key is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from aisim_model.models.kv_cache.keys import NO_DEFAULTS

_TABLE = json.loads(Path(__file__).with_suffix(".json").read_bytes())
# the text model of a class that nests one and doesn't name it
_TEXT_CLASSES: Mapping[str, str] = MappingProxyType(_TABLE["text_classes"])
_DEFAULTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(_TABLE["defaults"])
_OWN_RULE = frozenset(_TABLE["own_rule"])
_WINDOWS_ALONE = frozenset(_TABLE["windows_alone"])
_WINDOWED = tuple(kind.replace("_", "") for kind in _TABLE["windowed"])
_ENCODERS = frozenset(_TABLE["encoders"])


def class_defaults(config: Mapping[str, Any], text: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the defaults of a text model's class, its ``model_type`` among them; empty where unknown.

    Parameters
    ----------
    config, text : Mapping
        The whole file and the text model's keys in it.

    Examples
    --------
    >>> class_defaults({"model_type": "gemma3"}, {"hidden_size": 2560})["head_dim"]
    256
    """
    named = text.get("model_type") or config.get("model_type")
    kind = _TEXT_CLASSES.get(named, named) if isinstance(named, str) else ""
    if kind not in _DEFAULTS:
        return NO_DEFAULTS
    return MappingProxyType({**_DEFAULTS[kind], "model_type": kind})


def has_own_rule(kind: str) -> bool:
    """Whether a class tells its layers apart by a rule that no key of a file stands for.

    Examples
    --------
    >>> has_own_rule("cwm"), has_own_rule("llama")
    (True, False)
    """
    return kind in _OWN_RULE


def is_windowed(names: Iterable[str]) -> bool:
    """Whether a model so named keeps a window in every layer; also where it isn't named at all.

    Parameters
    ----------
    names : iterable of str
        Its ``model_type`` and ``architectures``.

    Examples
    --------
    >>> is_windowed(["MistralForCausalLM"]), is_windowed(["agnes"]), is_windowed([])
    (True, False, True)
    """
    plain = [name.lower().replace("_", "") for name in names]
    return not plain or any(name.startswith(kind) for name in plain for kind in _WINDOWED)


def mixes_windows_alone(kind: str) -> bool:
    """Whether the layers of a class differ in nothing but a window.

    Examples
    --------
    >>> mixes_windows_alone("olmo3"), mixes_windows_alone("minimax")
    (True, False)
    """
    return kind in _WINDOWS_ALONE


def is_encoder(kind: str) -> bool:
    """Whether a class is an encoder, which keeps no KV cache.

    Examples
    --------
    >>> is_encoder("bert"), is_encoder("llama")
    (True, False)
    """
    return kind in _ENCODERS
