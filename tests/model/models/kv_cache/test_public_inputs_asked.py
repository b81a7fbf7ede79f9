"""Configs out of public issues that leave open which layer is which: asked, with its source."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.models.kv_cache import ConfigError, read_config
from tests.model.models.kv_cache.test_public_inputs import READ

ASKED: dict[str, tuple[dict[str, Any], str]] = {
    # github.com/mosaicml/llm-foundry/pull/1299: windows and shared caches under overrides by name
    "llm-foundry#1299": (
        {
            "model_type": "mpt",
            "n_layers": 10,
            "d_model": 2048,
            "n_heads": 16,
            "attn_config": {"attn_type": "grouped_query_attention", "kv_n_heads": 4},
            "block_overrides": {
                "order": [{"name": "default"}, {"name": "sliding_window_layer"}],
                "overrides": {"sliding_window_layer": {"attn_config": {"sliding_window_size": 1024}}},
            },
        },
        "sliding_window_layer",
    ),
    # github.com/ServiceNow/Fast-LLM/pull/194: its own words for blocks
    "Fast-LLM#194": (
        {
            "num_hidden_layers": 4,
            "hidden_size": 1024,
            "num_attention_heads": 8,
            "block_pattern": ["t", "m", "m2", "t"],
            "ssm_cfg": {"d_state": 16},
        },
        "block_pattern|ssm_cfg",
    ),
    # github.com/fla-org/flash-linear-attention/pull/1051: a list of attentions
    "flash-linear-attention#1051": (
        {
            "num_hidden_layers": 12,
            "hidden_size": 1024,
            "num_heads": 4,
            "expand_k": 0.5,
            "expand_v": 1.0,
            "attn": [{"layers": [3, 7, 11], "num_heads": 16, "num_kv_heads": 4, "window_size": 2048}],
        },
        "attn = ",
    ),
    # github.com/manjunathshiva/turboquant-mlx/pull/52: the same file without its pattern
    "turboquant-mlx#52": (
        {
            key: value
            for key, value in READ["turboquant-mlx#52"][0].items()
            if key != "hybrid_override_pattern"
        },
        "layer_types",
    ),
}


@pytest.mark.parametrize("source", ASKED)
def test_what_is_asked(source: str) -> None:
    config, named = ASKED[source]
    with pytest.raises(ConfigError, match=named):
        read_config(config)
