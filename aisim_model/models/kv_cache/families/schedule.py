"""Which layer is of which kind, said under any name: places, flags, every so many, words or letters a layer.

What a name means is told by its words, and what the other layers are by the keys that only such layers have.
Where two readings are possible the answer is none: the question is asked then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from aisim_model.models.kv_cache.families.base import (
    FULL,
    Family,
    Kind,
    in_turn,
    keep_nothing_else,
    layer_count,
)
from aisim_model.models.kv_cache.families.evidence import SECOND, evidence
from aisim_model.models.kv_cache.families.listed import known_word, named
from aisim_model.models.kv_cache.keys import LAYERS, MAX_LAYERS, ConfigError, Keys

UNTOLD = Kind("untold")
_FULL_WORDS = frozenset({"full", "global", "softmax", "gqa", "mha"})
_ATTENTION_WORDS = frozenset({"attention", "attn", "att"})
_SECOND_WORDS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("sliding", "swa", "local", "window", "windowed"), "window")
    | dict.fromkeys(("linear", "kda", "gdn", "lightning", "deltanet", "delta", "gla"), "linear")
    | dict.fromkeys(("mamba", "mamba1", "mamba2", "ssm"), "mamba")
    | dict.fromkeys(("conv", "shortconv", "sconv"), "conv")
    | dict.fromkeys(("recurrent", "rglru", "lru"), "recurrent")
)
_PLACE_WORDS = frozenset(
    {
        "layer",
        "layers",
        "block",
        "blocks",
        "id",
        "ids",
        "idx",
        "idxs",
        "index",
        "indices",
        "indexes",
        "at",
        "list",
    }
    | {"places", "positions", "pos", "flags", "mask"}
)
_INTERVALS = frozenset({"interval", "period", "freq", "frequency", "every", "stride", "step"})
_OTHER_WORDS = frozenset(
    {
        "mlp",
        "ffn",
        "moe",
        "expert",
        "experts",
        "rope",
        "nope",
        "dense",
        "sparse",
        "index",
        "indexer",
        "cross",
        "vision",
    }
    | {
        "topk",
        "dropout",
        "bias",
        "share",
        "shared",
        "source",
        "mtp",
        "nextn",
        "draft",
        "encoder",
        "quant",
        "ratio",
        "ratios",
        "sink",
        "sinks",
    }
)
_WORD_LISTS = re.compile(
    r"(layer|block|mixer|attn|attention|backbone)s?_?(layer|block)?s?_?(type|kind|pattern|config|map|schedule|list)?s?$"
)
_PATTERN_NAMES = re.compile(r"(pattern|schedule|layout|layers|layer_types|blocks)$")
_LETTERS: Mapping[str, str] = MappingProxyType(
    {"S": "window", "W": "window", "M": "mamba", "C": "conv", "R": "recurrent"}
)
_FULL_LETTERS = frozenset("*AFG")


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    for find in (_words, _letters, _places, _intervals):
        kinds = find(keys)
        if kinds is not None:
            return kinds
    return None


def names_all(keys: Keys) -> bool:
    """Whether the config names the kind of every layer by a word or a letter."""
    return _words(keys) is not None or _letters(keys) is not None


def _tokens(name: str) -> list[str]:
    return [
        word for word in re.split(r"[_\W]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()) if word
    ]


def _of_all(keys: Keys, name: str, kinds: list[Kind]) -> Sequence[Kind] | None:
    """Return one kind a layer, of a list or a cycle; None where it can't be that."""
    found = in_turn(keys, name, kinds)
    count = keys.whole(*LAYERS, high=MAX_LAYERS) or len(found)
    return found if len(found) == count else None


def _words(keys: Keys) -> Sequence[Kind] | None:
    for name, value in keys.config.items():
        tokens = _tokens(name)
        if not isinstance(value, list) or not _OTHER_WORDS.isdisjoint(tokens) or not _WORD_LISTS.search(name):
            continue
        if value and all(known_word(entry) for entry in value):
            keys.asked.add(name)
            return _of_all(keys, name, [named(keys, name, entry) for entry in value])
    return None


def _letters(keys: Keys) -> Sequence[Kind] | None:
    there = evidence(keys, defaults=True)
    for name, value in keys.config.items():
        if not isinstance(value, str) or not value or not _PATTERN_NAMES.search(name):
            continue
        if not _OTHER_WORDS.isdisjoint(_tokens(name)):
            continue
        text = re.sub(r"[\s,|/]", "", value)
        count = keys.whole(*LAYERS, high=MAX_LAYERS)
        if len(text) != count and len(text.replace("-", "")) == count:
            text = text.replace("-", "")
        kinds = [_letter(letter, there) for letter in text]
        keys.asked.add(name)
        if kinds and all(kind is not None for kind in kinds):
            return _of_all(keys, name, [kind for kind in kinds if kind])
    return None


def _letter(letter: str, there: Mapping[str, str]) -> Kind | None:
    """Return the kind that a letter stands for; None where it may stand for two."""
    if letter == "-":
        return Kind("mlp")
    if letter == "E":
        return Kind("moe")
    if letter == "L":  # local or linear
        groups = [group for group in ("window", "linear") if group in there]
        return SECOND[groups[0]] if len(groups) == 1 else None
    if letter == "G" and "linear" in there:  # global, or gated delta attention
        return None
    if letter in _FULL_LETTERS:
        return FULL
    return SECOND[_LETTERS[letter]] if letter in _LETTERS else None


def _side(tokens: Sequence[str]) -> Kind | None:
    """Return the kind that a key's name speaks of: full, or one of the others; None where of neither."""
    if not _OTHER_WORDS.isdisjoint(set(tokens) - {"index"}):
        return None
    second = {_SECOND_WORDS[word] for word in tokens if word in _SECOND_WORDS}
    full = not _FULL_WORDS.isdisjoint(tokens)
    if full:
        return None if second else FULL
    if len(second) == 1:
        return SECOND[second.pop()]
    return FULL if not second and not _ATTENTION_WORDS.isdisjoint(tokens) else None


def _other(keys: Keys, side: Kind) -> Kind | None:
    """Return the kind of the layers that a name doesn't speak of; None where it may be several."""
    if side != FULL:
        return FULL
    there = evidence(keys, defaults=True)
    groups = [group for group in SECOND if group in there]
    if len(groups) > 1 and "conv" in groups:
        groups.remove("conv")  # the others run convolutions of their own
    return SECOND[groups[0]] if len(groups) == 1 and "compressed" not in there else None


def _places(keys: Keys) -> list[Kind] | None:
    """Return the kinds by the lists of layers, or of flags, under any name; they must agree."""
    found: dict[str, list[Kind]] = {}
    for name, value in keys.config.items():
        tokens = _tokens(name)
        side = (
            _side(tokens)
            if isinstance(value, list) and value and not _PLACE_WORDS.isdisjoint(tokens)
            else None
        )
        if side is None or not all(isinstance(entry, int) for entry in value):
            continue
        other = _other(keys, side)
        if other is None and evidence(keys, defaults=True):
            continue  # of several kinds, which are asked about by their keys
        kinds = _by_numbers(keys, name, value, side, other or UNTOLD)
        if kinds is not None and UNTOLD in kinds:
            raise _untold(keys, name)
        if kinds is not None:
            keys.asked.add(name)
            found[name] = kinds
    for name, kinds in found.items():
        first = next(iter(found))
        if kinds != found[first]:
            raise keys.contradiction(name, keys.config[name], f"{first} = {keys.config[first]!r:.60}")
    return next(iter(found.values()), None)


def _by_numbers(keys: Keys, name: str, value: list[Any], side: Kind, other: Kind) -> list[Kind] | None:
    """Return the kinds by a flag a layer, or by rising numbers: from 1 where none is 0 and one the count."""
    count = layer_count(keys)
    if len(value) == count and set(value) <= {0, 1}:
        return [side if flag else other for flag in value]
    if any(isinstance(entry, bool) for entry in value) or value != sorted(set(value)):
        return None
    first = 1 if value[-1] == count and value[0] > 0 else 0
    places = {keys.checked(name, place, low=first, high=count - 1 + first) - first for place in value}
    return [side if index in places else other for index in range(count)]


def _untold(keys: Keys, name: str) -> ConfigError:
    return keys.missing("layer_types", f"what the layers keep that {keys.path}{name} leaves out")


def _intervals(keys: Keys) -> list[Kind] | None:
    """Return the kinds where one of every so many layers is full: the last of each, or at an offset."""
    for name, value in keys.config.items():
        tokens = _tokens(name)
        if not (type(value) is int and value > 0) or _INTERVALS.isdisjoint(tokens) or _side(tokens) != FULL:
            continue
        other, count = _other(keys, FULL), layer_count(keys)
        keys.asked.add(name)
        stem = re.split(r"_(?:interval|period|freq|frequency|every|stride|step)", name)[0]
        offset = keys.whole(f"{stem}_offset", low=0, high=value - 1)
        if other is None and 1 < value < count and "step" not in tokens and not evidence(keys, defaults=True):
            raise _untold(keys, name)
        if other is None or (
            count % value and offset is None and stem not in ("full_attention", "global_attention")
        ):
            return None
        at = value - 1 if offset is None else offset
        return [FULL if index % value == at else other for index in range(count)]
    return None


FAMILY = Family(
    "schedule",
    "any config that says which layer is which under a name of its own",
    _pattern,
    keep_nothing_else,
)
