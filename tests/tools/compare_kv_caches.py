"""Compare our bytes with the caches that transformers makes: `compare_kv_caches.py [--write] [CLASS ...]`.

Each class is built from its default config without weights (on the meta device) and run over 32 and over 64
tokens; what its cache then holds is set beside our curve. Then the config is read again without its
schedules, under its own class and as a class that nobody knows: the bytes must be the same, or asked for.
Needs transformers and torch; run it with PYTHONPATH at the checkout. ``--write`` keeps the classes whose
layers differ, for `tests/model/models/kv_cache/test_class_caches.py`.
"""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aisim_model.models.kv_cache import ConfigError, read_config

DATA = Path(__file__).parents[1] / "model/models/kv_cache/data/class_caches.json"
LENGTHS = 32, 64
MOST_SECONDS = 40


def cached_bytes(kind: str) -> tuple[dict[str, Any], list[int]]:
    """Return a class's default config, and the bytes of its cache at each of LENGTHS: floats alone."""
    import torch
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM

    config = CONFIG_MAPPING[kind]()
    found = []
    with torch.device("meta"), torch.no_grad():
        model = AutoModelForCausalLM.from_config(
            config, dtype=torch.bfloat16, attn_implementation="eager"
        ).eval()
        for length in LENGTHS:
            ids = torch.zeros((1, length), dtype=torch.long)
            done = model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=True)
            layers = done.past_key_values.layers
            found.append(sum(_size(vars(layer), set()) for layer in layers))
    return json.loads(config.to_json_string(use_diff=False)), found


def _size(value: Any, seen: set[int]) -> int:
    import torch

    if torch.is_tensor(value):
        counted = id(value) in seen or not value.is_floating_point()  # counters are no cache
        seen.add(id(value))
        return 0 if counted else value.numel() * value.element_size()
    if isinstance(value, Mapping):
        value = list(value.values())
    return sum(_size(one, seen) for one in value) if isinstance(value, list | tuple) else 0


def without_schedules(config: Any, unknown: bool) -> Any:
    """Return a config without its lists by layer; its class as one that nobody knows, where `unknown`."""
    if not isinstance(config, dict):
        return config
    kept = {}
    for name, value in config.items():
        if isinstance(value, list) and ("layer" in name or "type" in name) and name != "architectures":
            continue
        named = unknown and name in ("model_type", "architectures")
        kept[name] = ("unheard_of" if name == "model_type" else None) if named else value
        kept[name] = without_schedules(kept[name], unknown)
    return kept


def main(arguments: list[str]) -> None:
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    signal.signal(signal.SIGALRM, _late)
    kinds = [one for one in arguments if one != "--write"] or list(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
    counts: Counter[str] = Counter()
    kept = []
    for kind in kinds:
        try:
            signal.alarm(MOST_SECONDS)
            config, (short, long) = cached_bytes(kind)
        except Exception as error:  # a class that needs data, or has no cache
            counts["not run"] += 1
            print(f"{kind}: not run ({type(error).__name__})")
            continue
        finally:
            signal.alarm(0)
        try:
            layout = read_config(config)
        except ConfigError as error:
            counts["asked"] += 1
            print(f"{kind}: {error}")
            continue
        curve = layout.curve()
        ours = [curve.bytes(length) - curve.indexer_bytes_per_token * length for length in LENGTHS]
        grows, theirs = ours[1] - ours[0], long - short
        same = "grows alike" if grows == theirs else "differs"
        counts[same] += 1
        if same == "differs":
            print(
                f"{kind}: theirs {theirs:,} B, ours {grows:,} B, indexer {curve.indexer_bytes_per_token:,} B"
            )
        if same == "grows alike" and len(layout.blocks) > 1:
            kept.append({"class": kind, "config": config, "grows": theirs})
        for unknown in (False, True):
            counts[_stripped(kind, config, unknown, curve)] += 1
    print(dict(counts))
    if "--write" in arguments:
        DATA.write_text("[\n" + ",\n".join(json.dumps(_short(one)) for one in kept) + "\n]\n")


def _stripped(kind: str, config: dict[str, Any], unknown: bool, curve: Any) -> str:
    try:
        found = read_config(without_schedules(config, unknown)).curve()
    except ConfigError:
        return "stripped: asked"
    if found == curve:
        return "stripped: the same"
    print(f"{kind}: silently other bytes without schedules, class {'unknown' if unknown else 'known'}")
    return "stripped: silently other bytes"


def _short(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry without keys whose absence changes nothing."""
    config = entry["config"]
    expected = read_config(config).curve()
    for name in list(config):
        less = {key: value for key, value in config.items() if key != name}
        if name == "model_type":
            continue
        try:
            if read_config(less).curve() == expected:
                config = less
        except ConfigError:
            continue
    return {**entry, "config": config}


def _late(*_: Any) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main(sys.argv[1:])
