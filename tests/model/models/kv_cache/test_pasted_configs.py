"""Configs as people pasted them in public issues, each with its bytes worked by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aisim_model.models.kv_cache import read_config

DELTA: dict[str, Any] = {
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 32,
}
# 32 x 128 x 128 x 4 B of fp32 state, (2 x 16 x 128 + 32 x 128) x 3 taps x 2 B
DELTA_BYTES = 2_097_152 + 49_152
COMPRESSED: dict[str, Any] = {
    "head_dim": 512,
    "qk_rope_head_dim": 64,
    "sliding_window": 128,
    "index_head_dim": 128,
}
V4: dict[str, Any] = {
    **COMPRESSED,
    "num_hidden_layers": 43,
    "compress_ratios": [0, 0, *[4, 128] * 20, 4, 0],
    "num_nextn_predict_layers": 1,
}
V4_1: dict[str, Any] = {
    **COMPRESSED,
    "num_hidden_layers": 40,
    "compress_ratios": [0] * 2 + [2] * 18 + [1] * 20 + [0] * 3,
    "num_nextn_predict_layers": 3,
}
KV_SOURCES, INDEX_SOURCES = [2, 8, 14, 20], [2, 8, 14, 20, 24, 28, 32, 36]
MLA: dict[str, Any] = {"num_hidden_layers": 78, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
CASES: dict[str, tuple[dict[str, Any], int, int, list[tuple[int, int]], int]] = {
    # 3 sources of 512 x 2 B for 2 tokens, one for each; index 3 x 64/2 + 64 B in fp4; 40 windows of 1,024 B
    # source: vllm/models/deepseek_v4_1 (its KV spec is of sources alone)
    "C01": (
        {**V4_1, "kv_source_layer_ids": KV_SOURCES, "index_source_layer_ids": INDEX_SOURCES},
        2_560,
        160,
        [(40_960, 128)],
        0,
    ),
    "C02": (
        {**V4_1, "kv_source_layers": KV_SOURCES, "index_source_layers": INDEX_SOURCES},
        2_560,
        160,
        [(40_960, 128)],
        0,
    ),
    # 21 x (8 x 2 x 1,024 x 4 + 8 x 2 x 256 x 4) + 20 x 128 x 2 x 512 x 4 B in fp32
    # source: vllm/models/deepseek_v4/compressor.py; github.com/sgl-project/sglang/issues/38947
    "C04": (V4, 5_536, 336, [(44_032, 128)], 12_206_080),
    # 10 x 576 x 2 B; 30 x (64 x 128 x 128 x 4 + (2 x 32 x 128 + 64 x 128) x 3 x 2) B
    # source: vllm/transformers_utils/configs/gigachat3_5.py
    "C06": (
        {
            **MLA,
            **DELTA,
            "num_hidden_layers": 40,
            "linear_num_key_heads": 32,
            "linear_num_value_heads": 64,
            "full_attention_layers": list(range(3, 40, 4)),
        },
        11_520,
        0,
        [],
        128_778_240,
    ),
    # 6 x (512 + 64) x 2 B; 24 x (256 + 32) x 2 B
    "C08": (
        {
            **MLA,
            "num_hidden_layers": 30,
            "layer_types": ["full_attention", *["sliding_attention"] * 4] * 6,
            "sliding_window_size": 512,
            "swa_kv_lora_rank": 256,
            "swa_qk_rope_head_dim": 32,
        },
        6_912,
        0,
        [(13_824, 512)],
        0,
    ),
    # 40 x 8 x (128 + 128) x 2 B; hidden size over heads would be 160
    "C09": (
        {
            "architecture": "MistralForCausalLM",
            "hidden_size": 5120,
            "num_hidden_layers": 40,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "head_size": 128,
            "quantization": {"kv_cache_quant_algo": "FP8"},
        },
        163_840,
        0,
        [],
        0,
    ),
    # 36 x 8 x (128 + 128) x 2 B; the class alone would say 32 layers
    "C11": (
        {
            "model_type": "qwen3",
            "quantization": "q4f16_1",
            "model_config": {
                "hidden_size": 2560,
                "num_attention_heads": 32,
                "num_hidden_layers": 36,
                "num_key_value_heads": 8,
                "head_dim": 128,
            },
        },
        147_456,
        0,
        [],
        0,
    ),
    # 16 x 4 x (256 + 256) x 2 B; 48 x (48 x 128 x 128 x 4 + (2 x 16 x 128 + 48 x 128) x 3 x 2) B
    "C14": (
        {
            "text_config": {
                **DELTA,
                "hidden_size": 5120,
                "num_hidden_layers": 64,
                "num_attention_heads": 24,
                "num_key_value_heads": 4,
                "head_dim": 256,
                "linear_num_value_heads": 48,
                "global_attention_interval": 4,
            }
        },
        65_536,
        0,
        [],
        153_944_064,
    ),
    # 10 x 2 x (256 + 256) x 2 B and 30 states; the interval is the class's own: vllm configs/berrylm.py
    "C15": (
        {
            **DELTA,
            "model_type": "berrylm",
            "hidden_size": 2048,
            "num_hidden_layers": 40,
            "num_attention_heads": 16,
            "num_key_value_heads": 2,
            "head_dim": 256,
        },
        20_480,
        0,
        [],
        30 * DELTA_BYTES,
    ),
    # 9 and 27 of 72 layers x 4 x (256 + 256) x 2 B; the others are MLPs
    "C18": (
        {
            "model_type": "dory",
            "hidden_size": 2560,
            "num_hidden_layers": 72,
            "num_attention_heads": 16,
            "num_key_value_heads": 4,
            "attention_head_dim": 256,
            "hybrid_layer_pattern": "S-S-S-*-" * 9,
            "swa_window_size": 1024,
        },
        36_864,
        0,
        [(110_592, 1024)],
        0,
    ),
    # 8 x 2 x (128 + 128) x 2 B; 24 x 32 x 128 x 128 x 4 B
    "C19": (
        {
            "hidden_size": 4096,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "num_key_value_heads": 2,
            "head_dim": 128,
            "mixer_types": ["minicpm4", *["lightning-attn"] * 3],
            "lightning_nh": 32,
            "lightning_head_dim": 128,
        },
        8_192,
        0,
        [],
        50_331_648,
    ),
}
FILES = {
    "C01": "C01_v41_source_ids",
    "C02": "C02_v41_kv_source_layers",
    "C04": "C04_v4_state_small",
    "C06": "C06_latent_hybrid_full_list",
    "C08": "C08_swa_latent_small",
    "C09": "C09_head_size_key",
    "C11": "C11_mlc_chat_config",
    "C14": "C14_interval_other_name",
    "C15": "C15_linear_keys_no_schedule",
    "C18": "C18_pattern_string",
    "C19": "C19_mixer_short_cycle",
}


def figures(config: dict[str, Any] | bytes) -> tuple[Any, ...]:
    curve = read_config(config).curve()
    windows = [(window.bytes_per_token, window.window_tokens) for window in curve.windowed]
    return curve.growing_bytes_per_token, curve.indexer_bytes_per_token, windows, curve.constant_bytes


@pytest.mark.parametrize("case", CASES)
def test_bytes_of_pasted_configs(case: str) -> None:
    config, *expected = CASES[case]
    assert figures(config) == tuple(expected)


@pytest.mark.shared
@pytest.mark.parametrize("case", CASES)
def test_bytes_of_the_reported_files(case: str, shared_dir: Path) -> None:
    file = shared_dir / "facts" / "reported_inputs" / f"{FILES[case]}.json"
    _config, *expected = CASES[case]
    assert figures(file.read_bytes()) == tuple(expected)


def test_totals_of_compressed_models() -> None:
    # 131,072 x 2,720 + 40,960 x 128; 8,192 x 5,872 + 44,032 x 128 + 12,206,080
    assert read_config(CASES["C01"][0]).curve().bytes(131_072) == 361_758_720
    assert read_config(V4).curve().bytes(8_192) == 65_945_600
    assert any("AIConfigurator counts 40,960 B" in note for note in read_config(V4).notes)


def test_a_layer_for_multi_token_prediction_has_an_indexer_of_its_own() -> None:
    # GLM-5.3: 21 of 78 layers have one, and the MTP layer: github.com/vllm-project/vllm/issues/55434
    kinds = ["full"] * 3 + ["shared"] * 3 + ["full", "shared", "shared", "shared"] * 18
    config = {**MLA, "index_head_dim": 128, "indexer_types": kinds, "num_nextn_predict_layers": 1}
    layout = read_config(config, mtp_layers=True)
    assert (layout.cache_tensors, layout.curve().indexer_bytes_per_token) == (79 + 22, 22 * 132)
    assert read_config(config).curve().indexer_bytes_per_token == 21 * 132
