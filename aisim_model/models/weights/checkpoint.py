"""What a checkpoint says of its weights' formats: `quantization_config`, by part of the model.

A list of modules left out names them layer by layer, by wildcard or by regular expression. A part counts as
left out where at least half of the layers are named; norms, routers and other towers have no say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from aisim_model.errors import shown
from aisim_model.models.weights.formats import INT4_GROUP, StoredWeights

PARTS = ("attention", "feed_forward", "experts")
NESTED = ("text_config", "llm_config", "language_config", "thinker_config", "language_model")
LEFT_OUT = (
    "modules_to_not_convert",
    "ignore",
    "ignored_layers",
    "exclude_modules",
    "exclude",
    "llm_int8_skip_modules",
    "skip_modules",
)
GROUP = ("group_size", "q_group_size", "groupsize")
BITS = ("bits", "w_bit", "wbits", "num_bits", "weight_bits")
MOST_NAMES = 200_000

# methods that store all that they take in one format
METHODS: Mapping[str, str] = MappingProxyType(
    {
        "fp8": "fp8",
        "fbgemm_fp8": "fp8",
        "modelopt_fp8": "fp8",
        "w8a8_fp8": "fp8",
        "mxfp8": "fp8",
        "deepspeedfp": "fp8",
        "mxfp4": "mxfp4",
        "gpt_oss_mxfp4": "mxfp4",
        "nvfp4": "nvfp4",
        "modelopt_fp4": "nvfp4",
        "petit_nvfp4": "nvfp4",
        "w8a8_int8": "int8",
        "experts_int8": "int8",
    }
)
# methods that say of how many bits their integers are
BY_BITS = frozenset(
    {
        "awq",
        "awq_marlin",
        "gptq",
        "gptq_marlin",
        "auto-round",
        "auto_round",
        "intel/auto-round",
        "moe_wna16",
        "hqq",
    }
)
_ALGORITHMS: tuple[tuple[str, str], ...] = (
    ("mxfp4", "mxfp4"),
    ("nvfp4", "nvfp4"),
    ("fp4", "nvfp4"),
    ("mxfp8", "fp8"),
    ("fp8", "fp8"),
    ("int8", "int8"),
    ("w8a8", "int8"),
    ("int4", "int4"),
    ("w4a", "int4"),
)
_ATTENTION = re.compile(r"attn|attention|mixer|mamba|\bqkv|[qkvo]_proj|linear_attn")
_EXPERTS = re.compile(r"experts?\b|block_sparse_moe|\bmoe\b")
_SHARED = re.compile(r"shared_?experts?|share_expert")
_FORWARD = re.compile(r"\bmlp\b|ffn|feed_forward|(gate|up|down|fc\d?)_?\(?.*proj|dense_h")
_NO_SAY = re.compile(
    r"norm|router|indexer|bias|(mlp|moe|ffn|block_sparse_moe|shared_experts?)\.gate\b(?!_)|expert_gate|"
    r"vision|visual|audio|projector|patch|\bmtp|nextn|eh_proj|conv1d|embed|lm_head|\bhead\b"
)
_LAYER = re.compile(r"(?:layers|blocks|h)\.(\d+)\.")


def stored_weights_of(config: Mapping[str, Any], quant: Mapping[str, Any] | None = None) -> StoredWeights:
    """Read in what format each part of a checkpoint is stored.

    Parameters
    ----------
    config : Mapping
        The object of a config.json.
    quant : Mapping or None
        The object of an ``hf_quant_config.json``, which is asked first.

    Returns
    -------
    StoredWeights
        bf16 where the file names no quantisation; with `unread` where it names one that isn't known here.

    Examples
    --------
    >>> stored_weights_of({"quantization_config": {"quant_method": "awq", "bits": 4}}).attention
    'int4'
    >>> stored_weights_of({"quantization_config": {"quant_method": "spinning"}}).unread
    'spinning'
    """
    said = _said(config, quant)
    if said is None:
        return StoredWeights()
    layers = max(
        (value for key in ("num_hidden_layers", "n_layer") if (value := _size(config, key))), default=1
    )
    formats: dict[str, str] = dict.fromkeys(PARTS, "bf16")
    named = _formats(said, layers)
    if named is None:
        method = said.get("quant_method") or said.get("quant_algo") or "no quant_method"
        return StoredWeights(unread=shown(method).strip("'"))
    formats |= named
    if "quantized_layers" not in said:  # which names every module itself
        formats |= dict.fromkeys(_left_out(said, layers), "bf16")
    expert = str(config.get("expert_dtype", "")).lower()
    if expert in ("fp4", "mxfp4") and formats["experts"] == "fp8":  # DeepSeek-V4 keeps its experts apart
        formats["experts"] = "mxfp4"
    return StoredWeights(**formats, group_size=_group(said))


def _said(config: Mapping[str, Any], quant: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return what is said of quantisation, wherever it stands."""
    inner = None if quant is None else quant.get("quantization", quant)
    if isinstance(inner, Mapping) and inner:
        return inner
    for holder in (config, *(config.get(name) for name in NESTED)):
        if not isinstance(holder, Mapping):
            continue
        for name in ("quantization_config", "compression_config", "quantization"):
            found = holder.get(name)
            if isinstance(found, Mapping) and found:
                return found
    return None


def _size(config: Mapping[str, Any], key: str) -> int:
    for holder in (config, *(config.get(name) for name in NESTED)):
        value = holder.get(key) if isinstance(holder, Mapping) else None
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10_000:
            return value
    return 0


def _formats(said: Mapping[str, Any], layers: int) -> dict[str, str] | None:
    """Return the format of each part that is quantised; None for a method that isn't known."""
    method = str(said.get("quant_method", "")).lower()
    if isinstance(said.get("quantized_layers"), Mapping):
        rest = dict.fromkeys(PARTS, METHODS[method]) if method in METHODS else {}
        return {**rest, **_by_module(said["quantized_layers"])} or None
    if isinstance(said.get("config_groups"), Mapping) and said["config_groups"]:
        return _by_group(said["config_groups"].values(), str(said.get("format", "")), layers)
    if said.get("load_in_4bit") is True or said.get("_load_in_4bit") is True:
        return dict.fromkeys(PARTS, "int4")
    if said.get("load_in_8bit") is True or said.get("_load_in_8bit") is True:
        return dict.fromkeys(PARTS, "int8")
    if method in METHODS:
        return dict.fromkeys(PARTS if method != "experts_int8" else ("experts",), METHODS[method])
    if method in BY_BITS:
        found = {4: "int4", 8: "int8"}.get(_number(said, BITS, 4))
        return None if found is None else dict.fromkeys(PARTS, found)
    if isinstance(weights := _quark_weights(said), Mapping):
        found = _named(str(weights.get("dtype", "")), weights)
        return None if found is None else dict.fromkeys(PARTS, found)
    found = _named(str(said.get("quant_algo") or said.get("quant_type") or ""), said)
    return None if found is None else dict.fromkeys(PARTS, found)


def _quark_weights(said: Mapping[str, Any]) -> Any:
    whole = said.get("global_quant_config")
    weights = whole.get("weight") if isinstance(whole, Mapping) else None
    return weights[0] if isinstance(weights, list) and weights else weights


def _named(name: str, holder: Mapping[str, Any]) -> str | None:
    lower = name.lower()
    found = next((stored for start, stored in _ALGORITHMS if start in lower), None)
    if found == "nvfp4" and "nv" not in lower and _number(holder, GROUP, 16) == 32:
        return "mxfp4"
    return found


def _by_module(modules: Mapping[str, Any]) -> dict[str, str]:
    """Return the format that most modules of a part have."""
    votes: dict[str, Counter[str]] = {part: Counter() for part in PARTS}
    for name, how in list(modules.items())[:MOST_NAMES]:
        algorithm = how.get("quant_algo", "") if isinstance(how, Mapping) else how
        found = _named(str(algorithm), how if isinstance(how, Mapping) else {})
        for part in _parts(str(name)) if found else ():
            votes[part][str(found)] += 1
    return {part: count.most_common(1)[0][0] for part, count in votes.items() if count}


def _by_group(groups: Iterable[Any], layout: str, layers: int) -> dict[str, str] | None:
    """Return the formats of compressed-tensors' groups of modules."""
    formats: dict[str, str] = {}
    for group in groups:
        weights = group.get("weights") if isinstance(group, Mapping) else None
        if not isinstance(weights, Mapping):
            continue
        bits, kind = _number(weights, BITS, 0), str(weights.get("type", "int"))
        named = str(group.get("format") or layout)
        found = {(8, "float"): "fp8", (8, "int"): "int8", (4, "int"): "int4", (4, "float"): "nvfp4"}.get(
            (bits, kind)
        )
        if found is None:
            return None
        if found == "nvfp4" and ("mxfp4" in named or _number(weights, GROUP, 16) == 32):
            found = "mxfp4"
        targets = [str(one) for one in group.get("targets") or ["Linear"]]
        taken = (
            PARTS if any("Linear" in one or "MoE" in one for one in targets) else _covered(targets, layers)
        )
        formats |= dict.fromkeys(taken, found)
    return formats or None


def _left_out(said: Mapping[str, Any], layers: int) -> tuple[str, ...]:
    """Return the parts that a list of modules leaves as they were."""
    names: list[str] = []
    for key in LEFT_OUT:
        listed = said.get(key)
        if isinstance(listed, list):
            names += [str(one) for one in listed[:MOST_NAMES]]
    return _covered(names, layers)


def _covered(names: Iterable[str], layers: int) -> tuple[str, ...]:
    """Return the parts that names cover in at least half of the layers."""
    seen: dict[str, set[str]] = {part: set() for part in PARTS}
    everywhere: set[str] = set()
    for name in names:
        plain = name.removeprefix("re:").replace("\\", "")
        layer = _LAYER.search(plain)
        for part in _parts(plain):
            if layer:
                seen[part].add(layer[1])
            else:
                everywhere.add(part)
    return tuple(part for part in PARTS if part in everywhere or 2 * len(seen[part]) >= layers)


def _parts(name: str) -> tuple[str, ...]:
    """Return the parts that a module's name is about."""
    lower = name.lower()
    if _SHARED.search(lower) and not _NO_SAY.search(lower):
        return ("feed_forward",)
    if _NO_SAY.search(lower):
        return ()
    if _EXPERTS.search(lower):
        return ("experts",)
    if re.search(r"attn|attention", lower):
        return ("attention",)
    if _FORWARD.search(lower):
        return ("feed_forward",)
    return ("attention",) if _ATTENTION.search(lower) else ()


def _group(said: Mapping[str, Any]) -> int:
    """Return the weights that share a scale in int4 [-]."""
    size = _number(said, GROUP, 0)
    groups = said.get("config_groups")
    for group in groups.values() if isinstance(groups, Mapping) else ():
        weights = group.get("weights") if isinstance(group, Mapping) else None
        size = size or (_number(weights, GROUP, 0) if isinstance(weights, Mapping) else 0)
    if said.get("load_in_4bit") is True:
        size = 64
    return size if size > 0 else INT4_GROUP


def _number(holder: Mapping[str, Any], names: tuple[str, ...], otherwise: int) -> int:
    for name in names:
        value = holder.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return otherwise
