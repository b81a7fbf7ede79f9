"""Keys that only a second kind of layer uses, and the question where nothing says which layers those are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from aisim_model.models.kv_cache.class_defaults import is_windowed
from aisim_model.models.kv_cache.families.base import Kind
from aisim_model.models.kv_cache.families.by_kind import kinds_sized
from aisim_model.models.kv_cache.keys import ConfigError, Keys

_KEYS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "linear": re.compile(
            r"^(linear_(attn|attention|key|value|num|head|conv|k|v)|(kda|gdn|lightning|deltanet|delta|gla|retention|retnet|wkv|hgrn|ttt)_)"
        ),
        "mamba": re.compile(r"^(mamba\d?|ssm)_|^(d_state|d_conv)$|^num_mamba|^mamba$"),
        "conv": re.compile(r"^(s?conv|short_?conv)_?(L_cache|kernel|kernel_size|size|width|dim|taps|cache)"),
        "recurrent": re.compile(r"^(lru|rglru|recurrent)_(width|size|dim|state|heads|head_dim)"),
        "hyena": re.compile(r"^(hyena|hc[lms])_|^short_filter_length$"),
        "compressed": re.compile(r"^compress(ion|ed|or)?_"),
        "window": re.compile(
            r"(^|_)(swa|sliding|local)_(?!rank|experts?\b)|(^|_)window(_|$)|^num_(swa|sliding|local)_(attention|key|kv|q)"
            r"|^chunked_att|^att\w*_chunk"
        ),
    }
)
_NO_SIZE = re.compile(
    r"bias|dropout|_init|eps$|_act$|(?<!alpha_)(?<!beta_)factor|scaling|_std$|scale$|experts|^max_window_layers$|context_window|conv_window|loop_window|_class$"
    r"|^window_layers$|rank$|^conv_pos|_stride$"
)
MAX_DEPTH = 4
_LAYERED = re.compile(
    r"att(entio)?n|layer|block|mixer|hybrid|window|mamba|ssm|linear|cache"
    r"|swa|sliding|local|kda|gdn|delta|conv|recurr"
)
_APART = re.compile(r"rope|quant|vision|audio|sparse|per_layer|norm|^linear_attn_config$|^attn_config$")
# kinds of layers that use the keys of a group
_USERS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "linear": frozenset({"linear", "matrix"}),
        "mamba": frozenset({"mamba", "hybrid", "hybrid_sliding"}),
        "conv": frozenset(
            {
                "conv",
                "convolved",
                "convolved_sliding",
                "linear",
                "matrix",
                "mamba",
                "hybrid",
                "recurrent",
                "hyena",
                "rwkv",
            }
        ),
        "recurrent": frozenset({"recurrent", "rwkv"}),
        "hyena": frozenset({"hyena"}),
        "compressed": frozenset({"compressed"}),
        "window": frozenset({"sliding", "chunked", "hybrid_sliding", "convolved_sliding", "compressed"}),
    }
)
_STATES = ("linear", "mamba", "recurrent", "hyena")  # groups whose keys other kinds have no use for
SECOND: Mapping[str, Kind] = MappingProxyType(
    {
        "linear": Kind("linear"),
        "mamba": Kind("mamba"),
        "conv": Kind("conv"),
        "recurrent": Kind("recurrent"),
        "hyena": Kind("hyena"),
        "window": Kind("sliding"),
    }
)


def evidence(keys: Keys, *, defaults: bool = False) -> dict[str, str]:
    """Return the groups of keys of a second kind of layer, each with the first of its keys in the config.

    Examples
    --------
    >>> evidence(Keys({"linear_num_key_heads": 16, "sliding_window": None, "use_mamba_kernels": True}))
    {'linear': 'linear_num_key_heads'}
    """
    values = dict(_with_nested({**keys.defaults, **keys.config} if defaults else keys.config))
    found: dict[str, str] = {}
    for group, pattern in _KEYS.items():
        name = next((name for name in values if pattern.search(name) and _sizes(name, values[name])), None)
        if name is not None and (group != "window" or _has_window(keys, values)):
            found[group] = name
    return found


def _with_nested(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a config, and those of the objects in it that belong to attention or to layers."""
    for name, value in config.items():
        yield name, value
        if isinstance(value, Mapping) and _LAYERED.search(name) and not _APART.search(name):
            yield from _all_within(value, MAX_DEPTH, str(name))


def _all_within(config: Mapping[str, Any], depth: int, within: str) -> Iterator[tuple[str, Any]]:
    """Yield the keys of an object, each also behind the object's name: ``swa: {window: 1024}``."""
    for name, value in config.items():
        yield name, value
        yield f"{within}_{name}", value
        if isinstance(value, Mapping) and depth:
            yield from _all_within(value, depth - 1, str(name))


def _sizes(name: str, value: Any) -> bool:
    """Whether a value sizes something: a number above 0, or a list or object that isn't empty."""
    if isinstance(value, bool) or _NO_SIZE.search(name):
        return False
    return value > 0 if isinstance(value, int | float) else isinstance(value, list | Mapping) and bool(value)


def _has_window(keys: Keys, values: Mapping[str, Any]) -> bool:
    """Whether a window isn't switched off, nor as long as the longest prompt."""
    if values.get("use_sliding_window") is False or values.get("use_swa") is False:
        return False
    if "sliding_window" in values and not values["sliding_window"]:  # null, as Mistral's later files have it
        return False
    windows = [value for name, value in values.items() if _is_window(name)]
    if windows and all(
        value is None or value is False or (type(value) is int and value <= 0) for value in windows
    ):
        return False
    lengths = [value for value in windows if type(value) is int and value > 0]
    longest = keys.positions()
    return not lengths or longest is None or min(lengths) < longest


def _is_window(name: str) -> bool:
    return bool(re.search(r"(^|_)window(_size|_len|_length|_tokens)?$", name)) and not _NO_SIZE.search(name)


def check_all_told(keys: Keys, kinds: Sequence[Kind], named: bool) -> None:
    """Ask which layer is which where keys of a second kind of layer have no layer that uses them.

    Parameters
    ----------
    keys : Keys
        Keys of the text model.
    kinds : sequence of Kind
        What the families made of them.
    named : bool
        Whether the config itself names the kind of every layer.

    Raises
    ------
    ConfigError
        That names the key.
    """
    if any(kind.name == "decoder" for kind in kinds):  # windows and convolutions are the encoder's there
        return
    used = {kind.name for kind in kinds} | (
        {"sliding"} if any(kind.window_tokens for kind in kinds) else set()
    )
    if named:
        for group, key in evidence(keys).items():
            if group in _STATES and used.isdisjoint(_USERS[group]):
                keys.note(f"{key} sizes a kind of layer that the config names none of: it is not counted.")
        return
    for group, key in evidence(keys).items():
        if group == "window" and _needs_none(keys):
            continue
        if used.isdisjoint(_USERS[group]):
            raise _question(keys, key)
    if used == {"sliding"}:
        sized = kinds_sized(keys)
        if sized is not None and "v_head_dim" not in sized:
            raise _question(keys, sized)
        if not is_windowed(_class_names(keys)) and not keys.has("max_window_layers"):
            raise _question(keys, "sliding_window")


def _needs_none(keys: Keys) -> bool:
    """Whether no layer has to keep a window: a class reads another key, or a count leaves it none."""
    names = list(_class_names(keys))
    return keys.has("max_window_layers") or (bool(names) and is_windowed(names) and kinds_sized(keys) is None)


def _question(keys: Keys, key: str) -> ConfigError:
    what = f"which layers {keys.path}{key} is for and which keep every token"
    return keys.missing("layer_types", what)


def _class_names(keys: Keys) -> Iterable[str]:
    """Yield what the config calls its class; nothing where it doesn't."""
    for source in (keys.config, keys.outer):
        listed = source.get("architectures")
        for name in (
            source.get("model_type"),
            source.get("architecture"),
            *(listed if isinstance(listed, list) else ()),
        ):
            if isinstance(name, str) and name:
                yield name
