"""What a family is: which layer is of which kind, and what a layer of a kind keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from aisim_model.models.kv_cache.keys import HIDDEN, LAYERS, MAX_LAYERS, MTP, Keys
from aisim_model.models.kv_cache.parts import Layer


class Kind(NamedTuple):
    """Kind of one layer.

    Parameters
    ----------
    name : str
        ``full``, ``sliding``, ``chunked``, ``linear``, ``mamba``, ``conv``, ``none`` and so on.
    window_tokens : int or None
        Tokens kept, where the pattern itself says so [-].
    kv_heads : int or None
        KV heads of this layer, where they differ by layer [-].
    query_heads : int or None
        Query heads of this layer, where they differ [-].
    tokens_per_entry : int
        Tokens that share one entry, 0 where a layer keeps a window only [-].
    indexed : bool
        Whether a layer of sparse attention has an indexer of its own.
    source : bool
        Whether a compressed layer keeps the entries that it reads, and not only a window beside them.
    """

    name: str
    window_tokens: int | None = None
    kv_heads: int | None = None
    query_heads: int | None = None
    tokens_per_entry: int = 1
    indexed: bool = True
    source: bool = True


FULL, NONE = Kind("full"), Kind("none")
Pattern = Callable[[Keys], Sequence[Kind] | None]
Keep = Callable[[Keys, Kind], Layer | None]
Weigh = Callable[[Keys, Kind], int | None]


def weigh_nothing_else(keys: Keys, kind: Kind) -> None:
    """Weigh of a family whose layers weigh what those of another do."""


class Family(NamedTuple):
    """One way of keeping a request's past.

    Parameters
    ----------
    name : str
        What it is called.
    examples : str
        Models that are so built.
    pattern : callable
        Kinds of all layers, first layer first, where the family's keys say so; else None.
    keep : callable
        What a layer of a kind keeps; None where the kind is another family's.
    weigh : callable
        Weights of what mixes tokens in a layer of a kind, norms, biases and convolutions left out [-]; None
        where they are another family's. By default those of attention by heads.
    """

    name: str
    examples: str
    pattern: Pattern
    keep: Keep
    weigh: Weigh = weigh_nothing_else


def no_pattern(keys: Keys) -> None:
    """Pattern of a family whose layers are named by another's keys."""


def keep_nothing_else(keys: Keys, kind: Kind) -> None:
    """Keep of a family that only says which layer is of which kind."""


def layer_count(keys: Keys) -> int:
    """Return the number of layers [-]."""
    return keys.need(*LAYERS, what="the number of layers", high=MAX_LAYERS)


def hidden_size(keys: Keys) -> int:
    """Return the width of the residual stream [-]."""
    return keys.need(*HIDDEN, what="the size of the weights")


def mtp_count(keys: Keys) -> int:
    """Return how many layers for multi-token prediction the config declares [-]."""
    for name in MTP:
        value = keys.whole(name, low=0, high=MAX_LAYERS)
        if value:
            each = (
                keys.whole("mtp_transformer_layers", high=MAX_LAYERS) if name == "num_mtp_modules" else None
            )
            return min(value * (each or 1), MAX_LAYERS)
    return 0


def fitted(keys: Keys, name: str, found: Sequence[Kind]) -> Sequence[Kind]:
    """Return a per-layer list cut to the layers; a length that fits neither them nor MTP contradicts."""
    layers = keys.whole(*LAYERS, high=MAX_LAYERS)
    if layers is None or len(found) == layers:
        return found
    if layers < len(found) <= layers + max(mtp_count(keys), 0):
        return found
    declared = next(key for key in LAYERS if keys.has(key)) if keys.has(*LAYERS) else LAYERS[0]
    raise keys.contradiction(name, f"{len(found)} entries", f"{declared} = {layers}")


def in_turn(keys: Keys, name: str, found: Sequence[Kind]) -> Sequence[Kind]:
    """Return a cycle that divides the layers as one kind a layer, and say so; any other list as it is.

    Examples
    --------
    >>> len(in_turn(Keys({"num_hidden_layers": 8}), "mixer_types", [FULL, NONE]))
    8
    """
    layers = keys.whole(*LAYERS, high=MAX_LAYERS)
    if layers is None or not 1 < len(found) < layers or layers % len(found):
        return found
    keys.note(f"{name} has {len(found)} entries for {layers} layers: they are taken in turn.")
    return [*found] * (layers // len(found))


def at_places(keys: Keys, name: str, inside: Kind, outside: Kind) -> Sequence[Kind] | None:
    """Return one kind at the layers that a list names, counted from 0, another elsewhere; None without it.

    Examples
    --------
    >>> keys = Keys({"num_hidden_layers": 3, "gqa_layers": [1]})
    >>> [kind.name for kind in at_places(keys, "gqa_layers", FULL, Kind("linear"))]
    ['linear', 'full', 'linear']
    """
    listed = keys.items(name)
    if listed is None:
        return None
    count = layer_count(keys)
    places = {keys.checked(name, place, low=0, high=count - 1) for place in listed}
    return [inside if index in places else outside for index in range(count)]


def by_flags(keys: Keys, names: Sequence[str], one: Kind, zero: Kind) -> Sequence[Kind] | None:
    """Return a kind a layer from the first list of 1 and 0 that is there; None without one."""
    for name in names:
        flags = keys.items(name)
        if flags:
            checked = [keys.checked(name, flag, low=0, high=1) for flag in flags]
            return fitted(keys, name, [one if flag else zero for flag in checked])
    return None
