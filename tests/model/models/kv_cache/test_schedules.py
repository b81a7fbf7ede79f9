"""Schedules under other names, lists of sources, sizes by kind; and what is asked where none says them."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.models.kv_cache import ConfigError, read_config

DELTA: dict[str, Any] = {
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 32,
}
# 32 x 128 x 128 x 4 B of fp32 state, (2 x 16 x 128 + 32 x 128) x 3 taps x 2 B
DELTA_BYTES = 2_097_152 + 49_152
LAYERS: dict[str, Any] = {
    "model_type": "unheard_of",
    "num_hidden_layers": 8,
    "hidden_size": 2048,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
    "head_dim": 128,
}
LAYER_BYTES = 2 * 4 * 128 * 2


def figures(config: dict[str, Any] | bytes) -> tuple[Any, ...]:
    curve = read_config(config).curve()
    windows = [(window.bytes_per_token, window.window_tokens) for window in curve.windowed]
    return curve.growing_bytes_per_token, curve.indexer_bytes_per_token, windows, curve.constant_bytes


@pytest.mark.parametrize(
    "schedule",
    [
        {"full_attn_layer_ids": [3, 7]},
        {"softmax_attention_layers": [4, 8]},  # counted from 1: none is 0 and one is the last
        {"linear_attention_layers": [0, 1, 2, 4, 5, 6]},
        {"kda_layer_indices": [0, 1, 2, 4, 5, 6], "full_layer_indices": [3, 7]},
        {"is_full_attention_layer": [0, 0, 0, 1, 0, 0, 0, 1]},
        {"use_full_attention_layers": [False, False, False, True] * 2},
        {"softmax_attention_interval": 4},
        {"attn_layer_interval": 4, "attn_layer_offset": 3},
        {"full_attention_interval": 4},
        {"mixer_kinds": ["gated_delta_net", "gated_delta_net", "gated_delta_net", "softmax_attention"] * 2},
        {"layer_types": ["agnes_linear_attention"] * 3 + ["agnes_full_attention"]},
        {"block_schedule": ["GatedDeltaNetBlock"] * 3 + ["AttentionBlock"]},
        {"layer_pattern": "LLLF"},
        {"attention_pattern": "L,L,L,*," * 2},
    ],
)
def test_schedules_under_any_name(schedule: dict[str, Any]) -> None:
    assert figures({**LAYERS, **DELTA, **schedule}) == (2 * LAYER_BYTES, 0, [], 6 * DELTA_BYTES)


@pytest.mark.parametrize(
    "schedule",
    [
        {"sliding_window": 512, "global_attention_layers": [3, 7]},
        {"sliding_window": 512, "swa_layers": [1, 1, 1, 0] * 2},
        {"local_attention_window": 512, "global_attention_interval": 4},
        {"swa_window": 512, "layer_pattern": "LLLG"},
        {"swa_window_size": 512, "hybrid_layer_pattern": "SSS*"},
        {"sliding_window": {"window_size": 512, "layers": [0, 1, 2, 4, 5, 6]}},
        {
            "sliding_window_len": 512,
            "layer_types": ["dense_sliding_attention"] * 3 + ["dense_full_attention"],
        },
    ],
)
def test_windows_under_any_name(schedule: dict[str, Any]) -> None:
    assert figures({**LAYERS, **schedule}) == (2 * LAYER_BYTES, 0, [(6 * LAYER_BYTES, 512)], 0)


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        (DELTA, "linear_conv_kernel_dim"),
        ({"sliding_window": 512}, "sliding_window"),
        ({"swa_window": 512}, "swa_window"),
        ({"sliding_window": 512, "swa_head_dim": 64}, "swa_head_dim"),
        ({"attention_config": {"sliding_window": 512}}, "sliding_window"),
        ({"window_sizes": [512, 8, 512, 8] * 2}, "window_sizes"),
        ({"kda_num_heads": 16, "kda_head_dim": 128}, "kda_num_heads"),
        ({"mamba_d_state": 128, "mamba_n_heads": 32, "mamba_d_head": 64}, "mamba_d_state"),
        ({"conv_L_cache": 3}, "conv_L_cache"),
        ({"compress_rope_theta": 10000.0}, "compress_rope_theta"),
        ({"lru_width": 2048}, "lru_width"),
        ({"linear_attn_config": {"num_heads": 4, "head_dim": 8}}, "full_attn_layers"),
        ({**DELTA, "layer_pattern": "LLLG"}, "linear_conv_kernel_dim"),  # G: global, or gated delta attention
        ({**DELTA, "softmax_attention_interval": 3}, "linear_conv_kernel_dim"),  # 8 is no multiple of 3
        ({**DELTA, "linear_attention_ratio": 3}, "linear_conv_kernel_dim"),
        ({**DELTA, "sliding_window": 512, "full_attention_layers": [3, 7]}, "linear_conv_kernel_dim"),
        ({**DELTA, "sliding_window": 512, "full_attention_interval": 4}, "sliding_window"),
        ({"kv_lora_rank": 512, "qk_rope_head_dim": 64, "sliding_window": 512}, "sliding_window"),
    ],
)
def test_which_layer_is_which_is_asked(keys: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        read_config({**LAYERS, **keys})


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({**DELTA, "full_attention_layers": [3, 9]}, "full_attention_layers = 9"),
        ({**DELTA, "full_layers": [3], "linear_layers": [0, 1]}, "linear_layers = .* contradicts"),
        ({"kv_source_layers": [0, 4, 9]}, "kv_source_layers = 9"),
        ({"layer_types": ["cross_attention"] * 8}, "layer_types = 'cross_attention'"),
    ],
)
def test_a_schedule_that_can_not_be_is_refused(keys: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        read_config({**LAYERS, **keys})


@pytest.mark.parametrize(
    ("sources", "holders"),
    [
        ([0, 4], 2),  # two sources
        ([0, 0, 0, 0, 4, 4, 4, 4], 2),  # the source of each layer
        ([None, 0, 0, 0, -1, 4, 4, 4], 2),
        (list(range(8)), 8),
        ([7], 1),
    ],
)
def test_lists_of_sources_and_of_layers(sources: list[int | None], holders: int) -> None:
    assert figures({**LAYERS, "kv_source_layers": sources})[0] == holders * LAYER_BYTES


@pytest.mark.parametrize(
    "model_type",
    ["mistral", "phi3", "qwen2", "starcoder2"],  # transformers' classes without layer types
)
def test_a_class_that_keeps_a_window_in_every_layer(model_type: str) -> None:
    config = {**LAYERS, "model_type": model_type, "sliding_window": 512, "use_sliding_window": True}
    assert figures(config) == (0, 0, [(8 * LAYER_BYTES, 512)], 0)


def test_a_size_that_no_rule_reads_is_named() -> None:
    notes = read_config({**LAYERS, "num_memory_kv_heads": 4, "attention_bias_heads": 4}).notes
    assert "No rule reads num_memory_kv_heads = 4: if it sizes the cache, these bytes are not right." in notes


@pytest.mark.parametrize("name", ["swa_{}", "{}_swa", "local_{}"])
def test_every_size_of_a_head_by_kind(name: str) -> None:
    own = {name.format(key): value for key, value in (("head_dim", 64), ("num_key_value_heads", 2))}
    config = {**LAYERS, **own, "sliding_window": 512, "full_attention_layers": [3, 7]}
    # 6 x 2 x (64 + 64) x 2 B
    assert figures(config) == (2 * LAYER_BYTES, 0, [(3_072, 512)], 0)
