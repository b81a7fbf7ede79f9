"""Classes of transformers whose layers differ: the caches that it makes, and files without their schedules.

The data is written by ``tests/tools/compare_kv_caches.py --write``: 118 of the 128 classes that could be run
grow alike; the others keep index keys in another dtype, or were longer than their window.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aisim_model.models.kv_cache import ConfigError, KvCurve, read_config

ENTRIES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "class_caches.json").read_text(encoding="utf-8")
)
SCHEDULE = ("layer", "pattern", "interval", "type", "period", "block")
SHORT, LONG = 32, 64


def grown(curve: KvCurve) -> float:
    index = curve.indexer_bytes_per_token * (LONG - SHORT)
    return float(curve.bytes(LONG) - curve.bytes(SHORT) - index)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["class"])
def test_the_cache_grows_as_that_of_transformers(entry: dict[str, Any]) -> None:
    assert grown(read_config(entry["config"]).curve()) == entry["grows"]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["class"])
def test_without_its_schedules_a_file_is_read_right_or_asked_about(
    entry: dict[str, Any], known: bool
) -> None:
    config = {
        name: value
        for name, value in entry["config"].items()
        if name in ("num_hidden_layers", "text_config") or not any(word in name for word in SCHEDULE)
    }
    config["model_type"] = entry["config"].get("model_type") if known else "unheard_of"
    try:
        curve = read_config(config).curve()
    except ConfigError:
        return  # asked
    assert curve == read_config(entry["config"]).curve()
