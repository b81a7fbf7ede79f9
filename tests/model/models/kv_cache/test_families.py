"""What single families do beside the models of the table: odd shapes, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.models.kv_cache import ConfigError, read_config

SIZES: dict[str, Any] = {
    "num_hidden_layers": 4,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
V4: dict[str, Any] = {
    "num_hidden_layers": 4,
    "hidden_size": 4096,
    "num_attention_heads": 64,
    "head_dim": 512,
    "qk_rope_head_dim": 64,
    "sliding_window": 128,
    "index_head_dim": 128,
}
COMPRESSED = ["sliding_attention", "sliding_attention", "compressed_sparse_attention"]
GLA = {"hidden_size": 2048, "num_hidden_layers": 4, "num_heads": 4, "expand_k": 0.5, "expand_v": 1.0}


@pytest.mark.parametrize(
    "layers",
    [
        {"compress_ratios": [0, 0, 4, 128]},
        {"layer_types": [*COMPRESSED, "heavily_compressed_attention"]},
        {
            "layer_types": [*COMPRESSED, "heavily_compressed_attention"],
            "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128},
        },
    ],
)
def test_compressed_layers_by_ratio_or_by_name(layers: dict[str, Any]) -> None:
    curve = read_config({**V4, **layers}).curve()
    # 512 x 2 B = 1,024 B: one for 4 tokens, one for 128, four in the window; 64 B of fp4 keys for 4 tokens
    assert (curve.growing_bytes_per_token, curve.indexer_bytes_per_token) == (256 + 8, 16)
    assert [(window.bytes_per_token, window.window_tokens) for window in curve.windowed] == [(4_096, 128)]


@pytest.mark.parametrize(
    "shares",
    [
        {"indexer_types": ["full", "full", "full", "shared", "shared", "shared", "full", "shared"]},
        {"index_topk_freq": 4, "index_skip_topk_offset": 3},
    ],
)
def test_layers_that_share_an_indexer_keep_its_keys_once(shares: dict[str, Any]) -> None:
    mla = {"num_hidden_layers": 8, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "index_head_dim": 128}
    # 4 of 8 layers have an indexer of their own: 4 x (128 + 4) B
    assert read_config({**mla, **shares}).curve().indexer_bytes_per_token == 528


def test_layers_of_softmax_between_layers_of_a_matrix() -> None:
    attention = {"layers": [1, 3], "num_heads": 32, "num_kv_heads": 8}
    curve = read_config({**GLA, "attn": attention}).curve()
    # 2 x 8 x (64 + 64) x 2 B; 2 x 4 x 256 x 512 x 4 B
    assert (curve.growing_bytes_per_token, curve.constant_bytes) == (4_096, 2 * 4 * 256 * 512 * 4)


def test_softmax_layers_in_a_window_of_their_own() -> None:
    attention = {"layers": [0], "num_heads": 32, "window_size": 2048}
    curve = read_config({**GLA, "attn": attention}).curve()
    assert (curve.windowed[0].bytes_per_token, curve.windowed[0].window_tokens) == (32 * 128 * 2, 2048)


def test_gated_deltanet_of_its_own_head_and_convolution() -> None:
    delta = {"hidden_size": 2048, "num_hidden_layers": 2, "num_heads": 6, "head_dim": 256, "expand_v": 2}
    curve = read_config({**delta, "use_short_conv": True, "conv_size": 4}).curve()
    # 6 x 256 x 512 x 4 B, and (2 x 6 x 256 + 6 x 512) x 3 x 2 B
    assert curve.constant_bytes == 2 * (6 * 256 * 512 * 4 + 6_144 * 3 * 2)


def test_a_block_that_is_pruned_keeps_nothing_and_one_with_a_window_its_window() -> None:
    def block(**attention: Any) -> dict[str, Any]:
        return {"attention": attention}

    blocks = [
        block(n_heads_in_group=2),
        block(no_op=True),
        block(n_heads_in_group=4, window_length=32),
        block(num_key_value_heads=4),
    ]
    layout = read_config({**SIZES, "block_configs": blocks})
    curve = layout.curve()
    # heads of 16 elements: 2 and 4 heads in full, 1 in the window, x (16 + 16) x 2 B
    assert (curve.growing_bytes_per_token, curve.windowed[0].bytes_per_token) == (6 * 64, 64)
    assert [group.keeps for group in layout.explain()][-1] == "nothing"


def test_mamba_between_attention_takes_the_dtype_of_its_state() -> None:
    mamba = {"layer_types": ["mamba"] * 3 + ["attention"], "mamba_d_state": 8, "mamba_d_conv": 4}
    keys = {"mamba_n_heads": 4, "mamba_d_head": 32, "mamba_n_groups": 1}
    whole = read_config({**SIZES, **mamba, **keys, "torch_dtype": "float32"}).curve()
    half = read_config({**SIZES, **mamba, **keys, "mamba_ssm_cache_dtype": "bfloat16"}).curve()
    # 3 x (4 x 32 x 8 x 4 B + (128 + 16) x 3 x 4 B), and with 2 B each
    assert (whole.constant_bytes, half.constant_bytes) == (3 * (4_096 + 1_728), 3 * (2_048 + 864))


def test_every_kind_of_part_says_how_it_was_worked_out() -> None:
    v4 = read_config({**V4, "compress_ratios": [0, 4, 4, 4]}).explain("fp8")
    assert [group.working for group in v4] == [
        "1 layer x (448 + 64) in fp8 = 512 B",
        "3 layers x (448 + 64) in fp8 = 512 B",
        "3 layers x (448 + 64) in fp8 = 512 B / 4 tokens an entry",
        "3 layers x 64 B / 4 tokens an entry",
        "3 layers x (81,920 B recurrent + 0 B convolution)",
    ]
    assert [group.keeps for group in v4] == [
        "latent of the last 128 tokens",
        "latent of the last 128 tokens",
        "latent",
        "indexer keys",
        "recurrent state",
    ]
    audio = {"is_encoder_decoder": True, "max_source_positions": 1500, "num_mel_bins": 80}
    cross = read_config({**SIZES, **audio}).explain()[1]
    assert (cross.keeps, cross.constant_bytes) == (
        "cross-attention, by source position",
        cross.bytes_per_token * 1500,
    )
    chunk = read_config({**SIZES, "attention_chunk_size": 32}).explain()[0]
    assert chunk.keeps == "keys and values of the chunk 32 tokens"


def test_mtp_layers_of_a_model_of_windows_only_are_as_its_last() -> None:
    config = {**SIZES, "sliding_window": 8, "num_nextn_predict_layers": 2}
    assert read_config(config, mtp_layers=True).curve().windowed[0].bytes_per_token == 6 * 128


def test_mtp_modules_of_several_layers() -> None:
    config = {**SIZES, "num_mtp_modules": 3, "mtp_transformer_layers": 2}
    assert read_config(config, mtp_layers=True).layers == 10


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({**SIZES, "block_configs": [1]}, r"block_configs\[0\] = 1: must be an object"),
        (
            {**SIZES, "block_configs": [{"attention": {"n_heads_in_group": 3}}]},
            "n_heads_in_group = 3: contra",
        ),
        (
            {**SIZES, "block_configs": [{"attention": {"n_heads_in_group": 2, "num_key_value_heads": 4}}]},
            "num_key_value_heads = 4: contradicts",
        ),
        ({**V4, "compress_ratios": [4]}, "compress_ratios = '1 entries': contradicts num_hidden_layers = 4"),
        ({**V4, "layer_types": [*COMPRESSED, "full_attention"]}, "layer_types = 'full_attention'"),
        ({**V4, "compress_ratios": [0] * 4, "qk_rope_head_dim": 512}, "qk_rope_head_dim = 512: contradicts"),
        ({**GLA, "expand_k": "half"}, "expand_k = 'half': must be a number"),
        ({**GLA, "expand_k": 0.3}, "num_heads = 4: contradicts hidden_size = 2048"),
        (
            {**SIZES, "kv_lora_rank": 8, "qk_rope_head_dim": 4, "indexer_types": ["part"] * 4},
            "must hold full",
        ),
        (
            {**SIZES, "mamba_d_state": 8, "attn_layer_period": 2, "attn_layer_offset": 2},
            "attn_layer_offset = 2",
        ),
        ({**SIZES, "linear_attn_config": {"full_attn_layers": [9]}}, "full_attn_layers = 9"),
        (
            {**SIZES, "linear_attn_config": {"full_attn_layers": [4], "kda_layers": [1]}},
            "kda_layers = '1 entries': contradicts",
        ),
        ({**SIZES, "attention_types": [["global"]]}, "attention_types = "),
        ({**SIZES, "num_key_value_heads": [2, 2]}, "num_key_value_heads = '2 entries': contradicts"),
    ],
)
def test_what_a_family_refuses(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read_config(config)


def test_a_window_by_its_older_name_with_every_nth_layer_in_full() -> None:
    config = {**SIZES, "local_attention": 128, "global_attn_every_n_layers": 2, "model_type": "modernbert-x"}
    curve = read_config({**config, "max_position_embeddings": 8192}).curve()
    # layers 0 and 2 in full: 2 x 2 heads x 16 x 2 x 2 B; the other two in a window of 128
    assert curve.growing_bytes_per_token == 256
    assert [(window.bytes_per_token, window.window_tokens) for window in curve.windowed] == [(256, 128)]


@pytest.mark.parametrize(
    ("more", "growing", "windowed"),
    [({}, 4096, []), ({"attention_window_size": 2048, "full_attention_idx": [1]}, 2048, [(2048, 2048)])],
)
def test_attention_in_the_middle_of_each_step_of_mamba_layers(
    more: dict[str, Any], growing: int, windowed: list[tuple[int, int]]
) -> None:
    config = {**SIZES, "num_attention_heads": 32, "num_key_value_heads": 4, "hidden_size_per_head": 128}
    mamba = {"mamba_step": 2, "mamba_num_heads": 16, "mamba_d_state": 64, "mamba_d_conv": 4}
    curve = read_config({**config, **mamba, **more}).curve()
    # layers 1 and 3 attend, 4 heads x 128 x 2 x 2 B each
    assert curve.growing_bytes_per_token == growing
    assert [(window.bytes_per_token, window.window_tokens) for window in curve.windowed] == windowed
    # layers 0 and 2: 16 heads x 128 x 64 in fp32, and 3 inputs of a convolution over 16 x 128 in bf16
    assert curve.constant_bytes == 2 * (16 * 128 * 64 * 4 + 16 * 128 * 3 * 2)
