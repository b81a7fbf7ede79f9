"""Reading a config: class defaults that are said, MTP layers, suggestions, families at a glance."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from aisim_model.models.kv_cache import FAMILIES, ConfigError, read_config, suggested_kv_dtype

GEMMA_SPARSE = {
    "model_type": "gemma3",
    "text_config": {"model_type": "gemma3_text", "hidden_size": 2560, "num_hidden_layers": 34},
}
DEEPSEEK = {
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "num_nextn_predict_layers": 1,
}
QWEN: dict[str, Any] = {
    "num_hidden_layers": 28,
    "hidden_size": 3584,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "max_position_embeddings": 32768,
}


def test_a_class_default_is_used_and_said() -> None:
    layout = read_config(GEMMA_SPARSE)
    # 5 of 34 layers in full: 5 x 4 x (256 + 256) x 2 B
    assert layout.curve().growing_bytes_per_token == 20_480
    assert "head_dim is not in the config: 256 is the default of the class gemma3_text." in layout.notes
    assert (
        "sliding_window is not in the config: 4096 is the default of the class gemma3_text." in layout.notes
    )


def test_the_outer_class_names_the_text_models_where_it_does_not() -> None:
    named = read_config(GEMMA_SPARSE)
    text = {"hidden_size": 2560, "num_hidden_layers": 34}
    assert read_config({"model_type": "gemma3", "text_config": text}).curve() == named.curve()


def test_a_declared_null_takes_no_default_window() -> None:
    text = {**GEMMA_SPARSE["text_config"], "sliding_window": None}
    assert read_config({"model_type": "gemma3", "text_config": text}).curve().windowed == ()


def test_null_is_as_good_as_absent() -> None:
    assert read_config({**QWEN, "head_dim": None}).curve() == read_config(QWEN).curve()


def test_missing_kv_heads_mean_all_heads() -> None:
    config = {key: value for key, value in QWEN.items() if key != "num_key_value_heads"}
    # 28 x 28 x (128 + 128) x 2 B
    assert read_config(config).curve().growing_bytes_per_token == 401_408


@pytest.mark.parametrize(
    ("keys", "windows"),
    [
        ({"sliding_window": 4096}, [4096]),
        ({"sliding_window": 4096, "use_sliding_window": False}, []),
        ({"sliding_window": 4096, "use_sliding_window": True, "max_window_layers": 28}, []),
        ({"sliding_window": 32768}, []),
        ({"sliding_window": 32767}, [32767]),
        ({"sliding_window": None}, []),
        ({"sliding_window": [1024, None, 4096, None]}, [1024, 4096]),
        ({"sliding_window": 512, "layer_types": ["sliding_attention"] * 28, "use_sliding_window": False}, []),
    ],
)
def test_when_a_window_counts(keys: dict[str, Any], windows: list[int]) -> None:
    curve = read_config({**QWEN, **keys}).curve()
    assert [window.window_tokens for window in curve.windowed] == windows


def test_layers_from_max_window_layers_on_slide() -> None:
    keys = {"sliding_window": 4096, "use_sliding_window": True, "max_window_layers": 21}
    curve = read_config({**QWEN, **keys}).curve()
    # 4 x (128 + 128) x 2 B = 2,048 B a layer: 21 in full, 7 in the window
    assert (curve.growing_bytes_per_token, curve.windowed[0].bytes_per_token) == (21 * 2048, 7 * 2048)


def test_chunks_say_that_they_are_an_upper_bound() -> None:
    layout = read_config({**QWEN, "attention_chunk_size": 8192})
    assert layout.curve().windowed[0].bytes_per_token == 21 * 2048
    assert any("upper bound" in note for note in layout.notes)
    assert any("every 4th layer sees all" in note for note in layout.notes)


@pytest.mark.parametrize("rope", [[1, 1, 1, 0] * 7, []])
def test_layers_without_rope_see_all(rope: list[int]) -> None:
    curve = read_config({**QWEN, "attention_chunk_size": 8192, "no_rope_layers": rope}).curve()
    assert curve.growing_bytes_per_token == 7 * 2048


def test_mtp_layers_count_only_when_asked_for() -> None:
    # 61 and 62 layers x 576 x 2 B
    plain = read_config(DEEPSEEK)
    assert plain.curve().growing_bytes_per_token == 70_272
    assert "Layers for multi-token prediction (1) are not counted." in plain.notes
    assert read_config(DEEPSEEK, mtp_layers=True).curve().growing_bytes_per_token == 71_424


def test_a_list_that_goes_on_into_the_mtp_layers_gives_their_kind() -> None:
    types = ["full_attention"] * 28 + ["sliding_attention"]
    config = {**QWEN, "layer_types": types, "sliding_window": 512, "num_nextn_predict_layers": 1}
    assert read_config(config).curve().windowed == ()
    assert read_config(config, mtp_layers=True).curve().windowed[0].bytes_per_token == 2048


def test_a_distillation_with_a_deepseek_name_is_plain() -> None:
    config = {**QWEN, "_name_or_path": "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"}
    assert read_config(config).curve().growing_bytes_per_token == 57_344


def test_mla_keys_that_are_switched_off_count_for_nothing() -> None:
    config = {**QWEN, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "use_mla": False}
    assert read_config(config).curve().growing_bytes_per_token == 57_344


def test_encoder_decoder_keeps_its_source_apart() -> None:
    t5 = {"model_type": "t5", "is_encoder_decoder": True, "num_layers": 24, "num_decoder_layers": 24}
    layout = read_config({**t5, "d_model": 1024, "num_heads": 16, "d_kv": 64})
    curve = layout.curve()
    # 24 x 16 x (64 + 64) x 2 B for a token of the target, and as much for one of the source
    assert curve.growing_bytes_per_token == 98_304
    assert curve.cross_attention is not None
    assert (curve.cross_attention.bytes_per_source_token, curve.cross_attention.source_tokens) == (
        98_304,
        None,
    )
    assert curve.bytes(10) == 983_040
    assert any("source" in note for note in layout.notes)


def test_a_config_whose_layers_keep_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="keep nothing at all"):
        read_config({**QWEN, "num_hidden_layers": 2, "layer_types": ["mlp", "moe"]})


def test_the_checkpoint_suggests_a_kv_dtype_and_nothing_is_applied() -> None:
    quant = {"producer": {"name": "modelopt"}, "quantization": {"kv_cache_quant_algo": "FP8"}}
    layout = read_config(QWEN, kv_quant=quant)
    assert layout.curve() == read_config(QWEN).curve()
    assert any(note.startswith("The checkpoint suggests kv_dtype fp8") for note in layout.notes)


NESTED: Any = functools.reduce(lambda inner, _: [inner], range(5000), [])  # deeper than Python prints


@pytest.mark.parametrize(
    ("config", "quant", "dtype"),
    [
        ({}, None, None),
        ({"quantization_config": {"quant_method": "fp8"}}, None, None),
        ({"quantization_config": {"kv_cache_scheme": {"num_bits": 8, "type": "float"}}}, None, "fp8"),
        ({"quantization_config": {"kv_cache_scheme": {"num_bits": 3, "type": "float"}}}, None, None),
        ({}, {"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "NVFP4"}}, "nvfp4"),
        ({}, {"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": None}}, None),
        ({}, {"quantization": {"kv_cache_quant_algo": "NVFP4_AFFINE"}}, "nvfp4"),
        ({}, {"quantization": {"kv_cache_quant_algo": "FP8_E5M2"}}, "fp8"),
        ({}, {"quantization": {"kv_cache_quant_algo": NESTED}}, None),
        ({"quantization_config": {"kv_cache_scheme": {"num_bits": NESTED}}}, None, None),
        ({}, {"quantization": 3}, None),
    ],
)
def test_what_a_checkpoint_says_of_its_kv_dtype(config: Any, quant: Any, dtype: str | None) -> None:
    assert suggested_kv_dtype(config, quant) == dtype


def test_a_kv_algorithm_that_is_none_known_is_said_and_the_model_is_read() -> None:
    quant = {"quantization": {"kv_cache_quant_algo": "FP3"}}
    assert suggested_kv_dtype({}, quant) is None
    layout = read_config(QWEN, kv_quant=quant)
    assert layout.curve() == read_config(QWEN).curve()
    assert any("none known here, fp3" in note for note in layout.notes)


def test_the_registry_names_every_family_once() -> None:
    names = [family.name for family in FAMILIES]
    assert len(set(names)) == len(names)
    assert names[-1] == "heads"  # what nothing else claims
    assert all(family.examples for family in FAMILIES)
