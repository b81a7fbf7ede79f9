"""Make the table of class defaults anew from an installed transformers: `make_class_defaults.py [CLASS ...]`.

Every key of every class in the table is read again, and every key of SIZES of the classes named, which are
added. Classes that mix kinds of layers are found by their default layers. What transformers doesn't say is
under `by_hand` with a reason and goes in as it is. What moved is printed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[2] / "aisim_model/models/kv_cache/class_defaults.json"
SIZES = (
    "num_hidden_layers",
    "hidden_size",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "kv_lora_rank",
    "qk_rope_head_dim",
    "index_head_dim",
    "sliding_window",
    "use_sliding_window",
)
# a class with one of these says by it which layer is which
PATTERNS = {
    "attention_chunk_size",
    "attn_layer_period",
    "block_types",
    "full_attention_interval",
    "sliding_window_pattern",
}
LAYERS = ("layer_types", "layers_block_type", "attention_layers")


def main(added: list[str]) -> None:
    import transformers
    from huggingface_hub.errors import StrictDataclassError
    from transformers import CONFIG_MAPPING

    table = json.loads(TABLE.read_text())
    by_hand = table["by_hand"]

    def values(kind: str) -> dict[str, Any]:
        config = CONFIG_MAPPING[kind]
        made, theirs = config().to_dict(), config.attribute_map
        known = table["defaults"].get(kind)
        found = {name: made.get(theirs.get(name, name)) for name in known or SIZES}
        if known is None:
            heads = found["num_attention_heads"]
            follow = {"num_key_value_heads": heads, "head_dim": found["hidden_size"] / heads}
            found = {name: value for name, value in found.items() if value != follow.get(name)}
        return {name: value for name, value in found.items() if value is not None}

    def mixes(kind: str) -> bool:
        try:
            made = CONFIG_MAPPING[kind]().to_dict()
        except (
            AttributeError,
            ImportError,
            TypeError,
            ValueError,
            StrictDataclassError,
        ):  # no default of its own
            return False
        layers = next((made[name] for name in LAYERS if isinstance(made.get(name), list)), [])
        return "vocab_size" in made and len(set(map(str, layers))) > 1

    def windows_alone(kind: str) -> bool:
        made = CONFIG_MAPPING[kind]().to_dict()
        layers = next(made[name] for name in LAYERS if isinstance(made.get(name), list))
        return set(layers) <= {"full_attention", "sliding_attention", "chunked_attention"}

    def windowed(kind: str) -> bool:
        try:
            made = CONFIG_MAPPING[kind]().to_dict()
        except (AttributeError, ImportError, TypeError, ValueError, StrictDataclassError):
            return False
        return {"vocab_size", "sliding_window"} <= made.keys() and not any(name in made for name in LAYERS)

    apart = {
        kind: {key: entry[key] for key in entry if key != "why"} for kind, entry in by_hand["keys"].items()
    }
    new = {
        "source": f"configuration classes of Hugging Face transformers {transformers.__version__}",
        "defaults": {
            kind: (values(kind) if kind in CONFIG_MAPPING else {}) | apart.get(kind, {})
            for kind in sorted({*table["defaults"], *added})
        },
        "text_classes": {
            kind: CONFIG_MAPPING[kind]().get_text_config().model_type for kind in table["text_classes"]
        },
        "encoders": table["encoders"],
        "by_hand": by_hand,
    }
    said = {kind for kind, keys in new["defaults"].items() if PATTERNS & keys.keys()}
    mixed = {kind for kind in CONFIG_MAPPING if mixes(kind)} - said - {*table["encoders"]}
    new["windows_alone"] = sorted(kind for kind in mixed if windows_alone(kind))
    plain = {kind for kind in CONFIG_MAPPING if windowed(kind)} - {*table["encoders"]}
    new["windowed"] = sorted(plain | by_hand["windowed"].keys())
    new["own_rule"] = sorted(mixed | by_hand["own_rule"].keys())
    for part in ("defaults", "text_classes"):
        for kind, value in new[part].items():
            if table[part].get(kind) != value:
                print(f"{part} {kind}: {table[part].get(kind)} -> {value}")
    print("windowed:", sorted({*table.get("windowed", [])} ^ {*new["windowed"]}))
    print("own_rule:", sorted({*table["own_rule"]} ^ {*new["own_rule"]}))
    lines = ",\n".join(f" {json.dumps(name)}: {_lines(value)}" for name, value in new.items())
    TABLE.write_text(f"{{\n{lines}\n}}\n")


def _lines(value: Any) -> str:
    """Return JSON with an entry a line."""
    if isinstance(value, dict):
        entries = (f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in value.items())
        return "{\n" + ",\n".join(entries) + "\n }"
    return json.dumps(value)


if __name__ == "__main__":
    main(sys.argv[1:])
