"""Files that are no model's config, and configs that can't be: a sentence that names key and value."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aisim_model.models.kv_cache import ConfigError, KvCurve, read_config
from aisim_model.models.kv_cache.document import MAX_CONFIG_BYTES
from aisim_model.models.spec import ModelSpec

LLAMA: dict[str, Any] = {
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "max_position_embeddings": 8192,
}


def without(*names: str) -> dict[str, Any]:
    return {key: value for key, value in LLAMA.items() if key not in names}


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ("", "is not JSON"),
        ("{'a': 1}", "is not JSON: .* at line 1, column 2"),
        (b"\xff\xfe\xfa", "is not JSON"),
        ("[1, 2]", "is a list, not an object"),
        ("3", "is a number or a truth value"),
        ("null", "is null"),
        ('"config"', "is a text"),
        ("[" * 10_000 + "]" * 10_000, "nested too deep|is a list"),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, "nested too deep|is not in the file"),
        (b"{" + b" " * MAX_CONFIG_BYTES + b"}", "is larger than a config.json ever is"),
        ('{"num_hidden_layers": ' + "9" * 5_000 + "}", "too many digits|must be a whole number"),
        ('{"num_hidden_layers": 2, "num_hidden_layers": 3}', "num_hidden_layers = 2: stands twice"),
        ("{}", "this is no model's config.json"),
        ('{"peft_type": "LORA", "r": 8, "base_model_name_or_path": "x"}', "peft_type = 'LORA': .*adapter"),
        ('{"tokenizer_class": "LlamaTokenizer", "model_max_length": 4096}', "shows that this is a tokenizer"),
        ('{"producer": {"name": "modelopt"}, "quantization": {}}', "hf_quant_config.json"),
        ('{"weight_map": {}, "metadata": {}}', "an index of weight files"),
        ('{"temperature": 0.6, "top_p": 0.9}', "no model's config.json"),
        ('{"peft_type": "P_TUNING", "num_layers": 28, "num_attention_heads": 16}', "peft_type = 'P_TUNING'"),
        ('{"_diffusers_version": "0.29", "num_layers": 24, "num_attention_heads": 24}', "an image pipeline"),
        ('{"text_config": [1]}', r"text_config = \[1\]: must be an object"),
    ],
)
def test_a_file_that_is_no_models_config(document: str | bytes, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read_config(document)


def test_a_value_as_deep_as_can_be_read_is_refused_by_name() -> None:
    # somewhere in here json still reads what Python can no longer print
    for depth in range(900, 1000):
        with pytest.raises(ConfigError, match=r"num_hidden_layers = |nested too deep"):
            read_config('{"num_hidden_layers": ' + "[" * depth + "]" * depth + "}")


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({**LLAMA, "num_attention_heads": 0}, "num_attention_heads = 0: must be a whole number from 1"),
        ({**LLAMA, "num_key_value_heads": "8"}, "num_key_value_heads = '8'"),
        ({**LLAMA, "num_hidden_layers": 32.5}, r"num_hidden_layers = 32\.5"),
        ({**LLAMA, "num_hidden_layers": True}, "num_hidden_layers = True"),
        ({**LLAMA, "num_hidden_layers": 10**7}, "num_hidden_layers = 10000000: .* from 1 to 10,000"),
        ({**LLAMA, "hidden_size": [4096]}, r"hidden_size = \[4096\]"),
        ({**LLAMA, "sliding_window": -4096}, "sliding_window = -4096"),
        ({**LLAMA, "sliding_window": -1, "use_sliding_window": False}, "sliding_window = -1"),
        ({**LLAMA, "head_dim": float("inf")}, "head_dim = inf"),
        ({**LLAMA, "max_position_embeddings": -1}, "max_position_embeddings = -1"),
        (
            {**LLAMA, "use_sliding_window": "no", "sliding_window": 8},
            "use_sliding_window = 'no': must be true",
        ),
        (
            {**LLAMA, "layer_types": ["full_attention"] * 31 + ["spiral"]},
            "layer_types = 'spiral': must be one",
        ),
        ({**LLAMA, "attn_config": 3}, "attn_config = 3: must be an object"),
        ({**LLAMA, "hybrid_override_pattern": "M*" * 15 + "M?"}, "holds '\\?'"),
        ({**LLAMA, "sliding_window": 64, "sliding_window_pattern": "LLX"}, "must hold L for local"),
        ({**LLAMA, "kv_lora_rank": 0}, "kv_lora_rank = 0"),
        ({**LLAMA, "layer_types": "full"}, "layer_types = 'full': must be a list"),
    ],
)
def test_a_value_that_can_not_be(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read_config(config)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({**LLAMA, "n_layer": 24}, "n_layer = 24: contradicts num_hidden_layers = 32"),
        ({**LLAMA, "n_head_kv": 4}, "n_head_kv = 4: contradicts num_key_value_heads = 8"),
        (
            {**LLAMA, "num_key_value_heads": 5},
            "num_key_value_heads = 5: contradicts num_attention_heads = 32",
        ),
        ({**LLAMA, "num_key_value_heads": 64}, "contradicts num_attention_heads = 32"),
        ({**LLAMA, "multi_query": True}, "multi_query = True: contradicts num_key_value_heads = 8"),
        ({**LLAMA, "layer_types": ["full_attention"] * 31}, "layer_types = '31 entries': contradicts"),
        ({**LLAMA, "hybrid_override_pattern": "M*"}, "hybrid_override_pattern = '2 entries'"),
        ({**LLAMA, "num_kv_shared_layers": 32}, "num_kv_shared_layers = 32"),
        (
            {**LLAMA, "head_dim": 128, "attention_head_dim": 64},
            "attention_head_dim = 64: contradicts head_dim",
        ),
        (
            {**LLAMA, "text_config": {**LLAMA, "num_hidden_layers": 16}},
            "num_hidden_layers = 32: contradicts text_config.num_hidden_layers = 16",
        ),
    ],
)
def test_two_keys_that_contradict_each_other(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read_config(config)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (without("num_hidden_layers"), "num_hidden_layers = None: is not in the config"),
        (without("num_attention_heads"), "num_attention_heads = None"),
        (without("hidden_size"), "hidden_size = None: is not in the config, so the size of a head"),
        ({**LLAMA, "hidden_size": 5000}, "hidden size 5000 over 32 heads is not whole"),
        ({**LLAMA, "kv_lora_rank": 512}, "qk_rope_head_dim = None"),
        ({**LLAMA, "layer_types": ["sliding_attention"] * 32}, "sliding_window = None"),
        ({**LLAMA, "layer_types": ["mamba"] * 32}, "mamba_d_state = None"),
        (
            {**LLAMA, "full_attention_interval": 4, "linear_num_value_heads": 8},
            "linear_value_head_dim = None",
        ),
        ({"text_config": without("hidden_size")}, "text_config.hidden_size = None"),
    ],
)
def test_a_missing_size_is_asked_for(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read_config(config)


def test_the_largest_sizes_make_a_curve() -> None:
    most = 10**9
    heads = {"linear_num_value_heads": most, "linear_num_key_heads": most, "full_attention_interval": 33}
    sizes = dict.fromkeys(("linear_value_head_dim", "linear_key_head_dim", "linear_conv_kernel_dim"), most)
    curve = read_config({**LLAMA, **heads, **sizes}).curve()
    assert curve.constant_bytes == 32 * (10**27 * 4 + 3 * 10**18 * (10**9 - 1) * 2)
    assert curve.bytes(np.array([1]))[0] == pytest.approx(1.92e29 + 1.28e29)


def test_bare_words_for_numbers_are_read() -> None:
    text = json.dumps(LLAMA)[:-1] + ', "time_step_limit": [0.0, Infinity], "x": NaN, "y": -Infinity}'
    assert read_config(text).curve().growing_bytes_per_token == 131_072


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_bytes_are_read_in_the_encodings_of_json(encoding: str) -> None:
    assert read_config(json.dumps(LLAMA).encode(encoding)).curve().growing_bytes_per_token == 131_072


@pytest.mark.parametrize(
    "model",
    [
        {"model_type": "bert"},
        {"architectures": ["XlmForMaskedLM"]},
        {"architectures": ["T5EncoderModel"]},
        {"type_vocab_size": 2},
        {"patch_size": 14, "image_size": 224},
        {"feat_extract_norm": "group"},
        {"architectures": ["SomethingForCTC"]},
        {"num_queries": 100, "is_encoder_decoder": True},
        {"prediction_length": 24},
        {"model_type": "siglip", "text_config": {**LLAMA, "model_type": "siglip_text"}},
    ],
)
def test_an_encoder_is_refused(model: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="keeps no KV cache"):
        read_config({**LLAMA, **model})


def test_the_same_class_as_a_decoder_is_read() -> None:
    assert read_config({**LLAMA, "model_type": "bert", "is_decoder": True}).layers == 32


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.integers(0, 64)
NAMES = st.sampled_from(
    sorted(
        {
            *LLAMA,
            *("text_config", "layer_types", "sliding_window", "head_dim", "kv_lora_rank", "qk_rope_head_dim"),
            *("model_type", "multi_query", "block_configs", "attn_config", "compress_ratios", "mb_per_layer"),
            *("hybrid_override_pattern", "full_attention_interval", "linear_attn_config", "ssm_cfg"),
            *("mamba_d_state", "mamba_n_heads", "mamba_d_head", "attn_layer_period", "attn_type_list"),
            *("decoder_layers", "is_encoder_decoder", "num_kv_shared_layers", "use_cla", "conv_window"),
            *("per_layer_config", "kv_source_layers", "total_ut_steps", "loop_num_passes", "gqa_layers"),
            *(
                "cca",
                "zaya_layers",
                "conv_kernel_size",
                "local_layer_ids",
                "index_topk_pattern",
                "proj_groups",
            ),
            *("attn_layer_idxs", "interleaved_sliding_window", "mlp_layer_types", "max_window_layers"),
            *("num_nextn_predict_layers", "indexer_types", "index_head_dim", "sliding_window_pattern"),
        }
    )
)
KNOWN = st.sampled_from(
    ["hybrid", "hybrid_sliding", "indexed_attention", "zaya", "FS", "a"]
) | st.sampled_from(["gemma3", "gemma2", "mamba", "rwkv", "full_attention", "mamba2", "conv", "L", "M*-"])
TREES = st.recursive(
    LEAVES | KNOWN,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=6)
    ),
    max_leaves=12,
)
CONFIGS = st.dictionaries(NAMES, TREES, max_size=8).map(lambda config: {**LLAMA, **config})


@settings(max_examples=400)
@given(TREES | CONFIGS)
def test_any_json_gives_a_curve_or_that_error(tree: object) -> None:
    try:
        spec = ModelSpec.from_config(json.dumps(tree), "any")
    except ConfigError:
        return
    curve = spec.kv.curve("fp8")
    assert isinstance(curve, KvCurve)
    sizes = [curve.bytes(tokens) for tokens in (0, 1, 2, 1_000, 10**6)]
    assert sizes == sorted(sizes)
    assert spec.kv.explain("fp8")


@given(st.binary(max_size=64) | st.text(max_size=64))
def test_any_file_gives_that_error(document: str | bytes) -> None:
    with pytest.raises(ConfigError):
        read_config(document)
