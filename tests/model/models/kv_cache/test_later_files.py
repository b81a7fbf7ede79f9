"""What later files say in other keys: sources of shared caches, indexers, keys by layer, passes, pools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aisim_model.models.kv_cache import ConfigError, class_defaults, read_config
from aisim_model.models.weights import estimate_parameters

SIZES: dict[str, Any] = {
    "num_hidden_layers": 4,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
MLA: dict[str, Any] = {
    "num_hidden_layers": 8,
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "index_head_dim": 128,
}
SHARES = ["full", "full", "full", "shared", "shared", "shared", "full", "shared"]
LAYER_BYTES = 2 * (16 + 16) * 2  # of SIZES: 2 heads of 16 elements in bf16


@pytest.mark.parametrize(
    "shares",
    [
        {"layer_types": ["deepseek_sparse_attention"] * 8, "indexer_types": SHARES},
        {"layer_types": ["indexed_attention"] * 8, "indexer_types": SHARES},
        {"index_topk_pattern": "FFFSSSFS"},
        {"index_topk_pattern": SHARES},
        {"layer_types": ["indexed_attention"] * 4 + ["full_attention"] * 4},
    ],
)
def test_layers_without_an_indexer_of_their_own_keep_no_index_keys(shares: dict[str, Any]) -> None:
    curve = read_config({**MLA, **shares}).curve()
    # 8 x (512 + 64) x 2 B; 4 of them x (128 + 4) B
    assert (curve.growing_bytes_per_token, curve.indexer_bytes_per_token) == (9_216, 528)


def test_a_step_of_indexers_without_a_start_has_two_layers_before_it() -> None:
    # transformers' GLM: 0, 1, then every fourth from 1 on: 0, 1, 5 of 8
    assert read_config({**MLA, "index_topk_freq": 4}).curve().indexer_bytes_per_token == 3 * 132


def test_pooled_index_keys_are_an_entry_for_each_pool() -> None:
    # 8 x (128 + 4) B for 16 tokens
    assert read_config({**MLA, "index_kpool": 16}).curve().indexer_bytes_per_token == 66


def test_latents_in_a_window() -> None:
    types = ["sliding_attention"] * 3 + ["indexed_attention"]
    config = {**MLA, "num_hidden_layers": 4, "layer_types": types, "sliding_window": 512}
    curve = read_config(config).curve()
    assert (curve.growing_bytes_per_token, curve.indexer_bytes_per_token) == (1_152, 132)
    assert [(window.bytes_per_token, window.window_tokens) for window in curve.windowed] == [(3_456, 512)]


def test_a_latent_whose_class_gives_its_size_and_has_no_rotary_part() -> None:
    config = {"model_type": "deepseek_v2", "num_hidden_layers": 2, "num_attention_heads": 16}
    assert read_config(config).curve().growing_bytes_per_token == 2 * (512 + 64) * 2
    plain = {**SIZES, "model_type": "deepseek_v2", "kv_lora_rank": None}
    assert read_config(plain).curve().growing_bytes_per_token == 4 * LAYER_BYTES
    assert read_config({**MLA, "qk_rope_head_dim": 0, "head_dim": 0}).curve().growing_bytes_per_token == 8_192


def test_single_layers_override_keys() -> None:
    own = {"1": {"num_key_value_heads": 1}, "03": {"head_dim": 32}}
    config = {
        **SIZES,
        "per_layer_config": own,
        "intermediate_size": 8,
        "vocab_size": 10,
        "hidden_act": "silu",
    }
    # two layers as they are, one of half the heads, one of twice the elements
    assert read_config(config).curve().growing_bytes_per_token == (2 * 2 + 1 + 4) * LAYER_BYTES // 2
    found = estimate_parameters(config)
    # 64 x 10 embedding, MLP 3 x 64 x 8; attention 64 x 32 x (heads + KV heads): 6, 5, 6 and 2 x 6
    assert found.total == 640 + 4 * 1_536 + 64 * 32 * (6 + 5 + 6 + 12)


def test_layers_that_read_the_cache_of_a_source() -> None:
    curve = read_config({**SIZES, "kv_source_layers": [0, 0, 2, 2]}).curve()
    assert curve.growing_bytes_per_token == 2 * LAYER_BYTES


@pytest.mark.parametrize(
    "loop",
    [
        {"loop_num_passes": 3, "loop_layer_index_start": 1, "loop_layer_index_end": 3},
        {"n_recurrent_loops": 3, "n_input_layers": 1, "n_recurrent_layers": 2},
    ],
)
def test_some_layers_run_more_than_once(loop: dict[str, Any]) -> None:
    last = read_config({**SIZES, **loop, "recurrent_kv_cache_mode": "last_loop"}).curve()
    assert last.growing_bytes_per_token == 4 * LAYER_BYTES
    layout = read_config({**SIZES, **loop})
    # layers 0 and 3 once, 1 and 2 three times
    assert (layout.layers, layout.curve().growing_bytes_per_token) == (4, 8 * LAYER_BYTES)


def test_convolutions_of_the_last_inputs_beside_windows() -> None:
    keys = {"sconv_kernel_size": 4, "local_layer_ids": [0, 1, 2], "sliding_window_size": 8}
    swa = {"swa_num_key_value_heads": 4, "swa_head_dim": 16}
    curve = read_config({**SIZES, **keys, **swa}).curve()
    assert curve.growing_bytes_per_token == LAYER_BYTES
    assert [(window.bytes_per_token, window.window_tokens) for window in curve.windowed] == [
        (3 * 2 * LAYER_BYTES, 8)
    ]
    # 3 inputs in bf16: of keys and values 64 elements and thrice 128, of two streams of 64 in each layer
    assert curve.constant_bytes == 3 * 2 * (64 + 3 * 128 + 4 * 2 * 64)


def test_windows_and_full_layers_of_two_convolutions() -> None:
    types = ["hybrid", *["hybrid_sliding"] * 3]
    config = {**SIZES, "layer_types": types, "cca_time0": 2, "cca_time1": 3, "sliding_window": 8}
    curve = read_config(config).curve()
    assert (curve.growing_bytes_per_token, curve.windowed[0].bytes_per_token) == (
        LAYER_BYTES,
        3 * LAYER_BYTES,
    )
    # (4 + 2) heads x 16 x (1 + 2) inputs in bf16, and 64 elements of the token before
    assert curve.constant_bytes == 4 * (6 * 16 * 3 * 2 + 64 * 2)


def test_older_files_of_zaya_list_what_each_stage_is() -> None:
    zaya = {**SIZES, "cca": True, "zaya_layers": ["a", 16, "a", 16]}
    assert read_config(zaya).curve().growing_bytes_per_token == 2 * LAYER_BYTES
    with pytest.raises(ConfigError, match=r"zaya_layers = 'b'"):
        read_config({**zaya, "zaya_layers": ["a", "b", "a", 16]})


@pytest.mark.parametrize(("name", "first"), [("kda_layers", 0), ("kda_layers", 1), ("full_attn_layers", 0)])
def test_layers_of_linear_attention_counted_from_nought_or_one(name: str, first: int) -> None:
    places = [3 + first] if name == "full_attn_layers" else [first, 1 + first, 2 + first]
    other = (
        {"full_attn_layers": [3], "kda_layers": [0, 1, 2]} if name == "full_attn_layers" else {name: places}
    )
    linear = {"linear_attn_config": {"num_heads": 2, "head_dim": 8, **other}}
    curve = read_config({**SIZES, **linear}).curve()
    # one layer in full; 3 x (2 x 8 x 8 x 4 B + 3 x 16 x 3 x 2 B)
    assert (curve.growing_bytes_per_token, curve.constant_bytes) == (LAYER_BYTES, 3 * (512 + 288))


def test_a_window_a_layer_under_its_other_name() -> None:
    curve = read_config({**SIZES, "interleaved_sliding_window": [8, None]}).curve()
    assert curve.growing_bytes_per_token == 2 * LAYER_BYTES
    assert curve.windowed[0].window_tokens == 8


def test_a_class_that_gives_windows_twice_the_heads() -> None:
    config = {**SIZES, "model_type": "mimo_v2_flash", "sliding_window": 8}
    config["layer_types"] = ["full_attention", *["sliding_attention"] * 3]
    layout = read_config(config)
    assert layout.curve().growing_bytes_per_token == LAYER_BYTES
    assert layout.curve().windowed[0].bytes_per_token == 3 * 2 * LAYER_BYTES
    declared = read_config({**config, "swa_num_key_value_heads": 1}).curve()
    assert declared.windowed[0].bytes_per_token == 3 * LAYER_BYTES // 2


def test_a_heads_size_by_the_name_of_cpm() -> None:
    assert read_config({**SIZES, "dim_head": 32}).curve().growing_bytes_per_token == 8 * LAYER_BYTES


def test_which_layer_is_which_is_asked_where_only_the_class_would_know() -> None:
    config = {**SIZES, "model_type": "olmo3", "sliding_window": 8}
    with pytest.raises(
        ConfigError, match="layer_types = None: is not in the config, so which layers of the class"
    ):
        read_config(config)
    # every second layer in full, or none with a window
    assert read_config({**config, "sliding_window_pattern": 2}).curve().windowed != ()
    assert read_config({**config, "sliding_window": None}).curve().growing_bytes_per_token == 4 * LAYER_BYTES


@pytest.mark.parametrize(
    "kind", ["cohere2_moe", "dory", "neomme", "embedding_gemma2_text", "gpt_neo", "zamba2"]
)
def test_a_class_that_mixes_layers_is_not_read_as_one_kind(kind: str) -> None:
    with pytest.raises(ConfigError, match=f"which layers of the class {kind} keep what"):
        read_config({**SIZES, "model_type": kind, "sliding_window": 8})


def test_a_nested_class_of_its_own_has_its_own_window() -> None:
    # 30 layers, every 6th in full; transformers' Gemma4UnifiedTextConfig: sliding_window 1,024, not 512
    layout = read_config({"model_type": "gemma4_unified", "text_config": {"num_hidden_layers": 30}})
    assert [window.window_tokens for window in layout.curve().windowed] == [1_024]


def test_the_table_of_class_defaults_holds_what_was_put_there_by_hand() -> None:
    table = json.loads(Path(class_defaults.__file__).with_suffix(".json").read_text())
    for kind, entry in table["by_hand"]["keys"].items():
        assert entry.pop("why")
        assert entry.items() <= table["defaults"][kind].items()
    assert table["by_hand"]["own_rule"].keys() <= set(table["own_rule"])
    assert set(table["text_classes"].values()) <= table["defaults"].keys()


def test_heads_listed_by_layer_hold_in_windows_too() -> None:
    types = ["sliding_attention", "full_attention"] * 2
    config = {**SIZES, "num_key_value_heads": [2, 4, 1, 2], "layer_types": types, "sliding_window": 8}
    curve = read_config(config).curve()
    # 64 B a head: 4 + 2 heads in full, 2 + 1 in the window
    assert curve.growing_bytes_per_token == 6 * 64
    assert [(window.bytes_per_token, window.window_tokens) for window in curve.windowed] == [(3 * 64, 8)]


def test_a_pattern_written_as_a_float_is_that_number() -> None:
    config = {**SIZES, "sliding_window": 8, "sliding_window_pattern": 2.0}
    assert read_config(config).curve().growing_bytes_per_token == 2 * LAYER_BYTES


def test_max_window_layers_holds_whoever_says_that_windows_are_used() -> None:
    config = {**SIZES, "sliding_window": 8, "max_window_layers": 4}
    assert read_config(config).curve().windowed == ()


def test_a_nested_decoder_of_a_whole_with_an_encoder_keeps_its_source() -> None:
    config = {"is_encoder_decoder": True, "decoder": {**SIZES, "sliding_window": 8}, "encoder": SIZES}
    cross = read_config(config).curve().cross_attention
    assert cross is not None
    assert (cross.bytes_per_source_token, cross.source_tokens) == (4 * LAYER_BYTES, None)
    assert read_config({"decoder": SIZES}).curve().cross_attention is None


def test_a_decoder_with_fewer_kv_heads_keeps_those() -> None:
    curve = read_config({**SIZES, "is_encoder_decoder": True}).curve()
    assert curve.growing_bytes_per_token == 4 * LAYER_BYTES


def test_heads_for_a_source_may_be_others() -> None:
    # nari-labs/Dia-1.6B-0626: 18 x 4 x (128 + 128) x 2 B over its own tokens, of 16 heads over the source
    decoder = {"num_hidden_layers": 18, "hidden_size": 2048, "num_attention_heads": 16, "head_dim": 128}
    cross = {"num_key_value_heads": 4, "cross_num_key_value_heads": 16, "cross_head_dim": 128}
    curve = read_config({"is_encoder_decoder": True, "decoder_config": {**decoder, **cross}}).curve()
    assert curve.cross_attention is not None
    assert (curve.growing_bytes_per_token, curve.cross_attention.bytes_per_source_token) == (36_864, 147_456)


def test_a_model_of_three_models_is_not_taken_for_its_decoder() -> None:
    with pytest.raises(ConfigError, match="no model's config"):
        read_config({"decoder_config": SIZES, "global_config": SIZES, "encoder_config": SIZES})


@pytest.mark.parametrize(
    ("outer", "text", "growing"),
    [
        # 24 x 4 x (128 + 128) x 2 B; an explicit width of 16 heads over 2,048
        ("qwen3_vl_moe", {"num_hidden_layers": 24, "num_key_value_heads": 4}, 24 * 4 * 256 * 2),
        ("glm4v", {"num_hidden_layers": 10}, 10 * 2 * 256 * 2),
        ("janus", {"num_hidden_layers": 30}, 30 * 32 * 256 * 2),
        ("mistral3", {"num_hidden_layers": 40, "head_dim": 128}, 40 * 8 * 256 * 2),
        ("vipllava", {}, 32 * 32 * 256 * 2),
    ],
)
def test_nested_files_leave_out_what_their_class_gives(
    outer: str, text: dict[str, Any], growing: int
) -> None:
    layout = read_config({"model_type": outer, "text_config": text})
    assert layout.curve().growing_bytes_per_token == growing
    assert any("is the default of the class" in note for note in layout.notes)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (
            {**SIZES, "per_layer_config": {"4": {}}},
            "per_layer_config = 4: must be a whole number from 0 to 3",
        ),
        ({**SIZES, "per_layer_config": {"x": {}}}, "per_layer_config = 'x'"),
        ({**SIZES, "per_layer_config": {"1": 3}}, "per_layer_config.1 = 3: must be an object"),
        ({**SIZES, "kv_source_layers": [0, 0]}, "kv_source_layers = '2 entries': contradicts"),
        ({**SIZES, "kv_source_layers": [0, 2, 2, 2]}, "kv_source_layers = 2"),
        ({**SIZES, "total_ut_steps": 0}, "total_ut_steps = 0"),
        ({**MLA, "index_topk_pattern": "FFX"}, "index_topk_pattern = 'X': must hold F or S"),
        ({**MLA, "index_topk_pattern": "FF"}, "index_topk_pattern = '2 entries': contradicts"),
        ({**SIZES, "linear_attn_config": {"num_heads": 2, "head_dim": 8}}, "full_attn_layers = None"),
        ({**SIZES, "num_key_value_heads": [2, 3, 1, 4]}, "num_key_value_heads = 3: contradicts"),
        ({**SIZES, "num_key_value_heads": None, "proj_groups": 3}, "proj_groups = 3: contradicts"),
        ({**SIZES, "gqa_layers": [4], "linear_attn_config": {"num_heads": 2}}, "gqa_layers = 4"),
        ({**SIZES, "num_key_value_heads": []}, "num_key_value_heads = '0 entries': contradicts"),
        (
            {**SIZES, "num_hidden_layers": None, "layer_types": ["full"], "num_key_value_heads": []},
            "num_key_value_heads = '0 entries'",
        ),
        ({**SIZES, "sliding_window": 8, "sliding_window_pattern": [1, 0]}, "sliding_window_pattern = "),
        ({**SIZES, "text_config": {**SIZES, "num_key_value_heads": 4}}, "contradicts text_config.num_key"),
        (
            {**SIZES, "layer_types": ["mamba"] * 4, "mamba_d_state": 8, "mamba_n_heads": 3},
            "mamba_n_heads = 3",
        ),
        (
            {
                **SIZES,
                "full_attention_interval": 2,
                "linear_num_value_heads": 4,
                "linear_num_key_heads": 3,
                "linear_key_head_dim": 8,
                "linear_value_head_dim": 8,
                "linear_conv_kernel_dim": 4,
            },
            "linear_num_key_heads = 3: contradicts linear_num_value_heads = 4",
        ),
    ],
)
def test_what_is_refused(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read_config(config)
