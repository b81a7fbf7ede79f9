"""Configs that people renamed, wrapped and cut: the same bytes, or a question, or a note; never silent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aisim_model import catalog
from aisim_model.models.kv_cache import ConfigError, KvCurve, read_config
from aisim_model.models.kv_cache.text_model import text_model

MODELS = Path(catalog.__file__).parent / "data" / "models"
CONFIGS: dict[str, dict[str, Any]] = {
    file.stem: json.loads(file.read_text())["config"] for file in sorted(MODELS.glob("*.json"))
}
LLAMA: dict[str, Any] = {
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
}
LLAMA_BYTES = 32 * 8 * (128 + 128) * 2


def plain(config: dict[str, Any]) -> dict[str, Any]:
    """Return the text model's keys under a class that nobody knows."""
    keys = {key: value for key, value in text_model(config)[0].items() if key != "architectures"}
    return {**keys, "model_type": "unheard_of"}


def growing(config: dict[str, Any]) -> int:
    return read_config(config).curve().growing_bytes_per_token


def known(config: dict[str, Any]) -> KvCurve | None:
    try:
        return read_config(config).curve()
    except ConfigError:
        return None


@pytest.mark.parametrize("model", CONFIGS)
def test_wrapped_and_respelt_configs_give_the_same_bytes_or_are_asked_about(model: str) -> None:
    config = CONFIGS[model]
    own = plain(config)
    # gemma-3's windows are its class's alone
    expected = known(own) if model == "gemma-3-12b" else read_config(config).curve()
    camel = {
        "".join(part.title() if at else part for at, part in enumerate(key.split("_"))): value
        for key, value in own.items()
    }
    towers = {"num_hidden_layers": 24, "hidden_size": 1024, "num_attention_heads": 16}
    altered = [
        own,
        camel,
        {key.replace("_", "-"): value for key, value in own.items()},
        {"a": {"hparams": {"network": own}}},
        {"model": own, "draft_model": {**towers, "num_hidden_layers": 1}},
        {**own, "vision_config": towers, "audio_config": towers},
    ]
    for one in altered:
        found = known(one)
        assert found in (expected, None), one


@pytest.mark.parametrize(
    "name",
    [
        "kv_heads",
        "n_kv",
        "num_kv_head",
        "kv_num_heads",
        "kv_head_count",
        "nKvHeads",
        "attn-kv-heads",
        "key_value_head_count",
        "multi_query_group_num",
    ],
)
def test_kv_heads_are_read_in_other_words(name: str) -> None:
    config = {key: value for key, value in LLAMA.items() if key != "num_key_value_heads"}
    assert growing({**config, name: 8}) == LLAMA_BYTES


@pytest.mark.parametrize("name", ["attn_head_dim", "attention_head_size", "head_width", "headDim"])
def test_a_heads_size_is_read_in_other_words(name: str) -> None:
    config = {key: value for key, value in LLAMA.items() if key != "head_dim"}
    assert growing({**config, name: 64}) == LLAMA_BYTES // 2


def test_a_known_name_goes_before_other_words() -> None:
    assert growing({**LLAMA, "kv_head_count": 2, "attn_head_dim": 32}) == LLAMA_BYTES


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ({"swa": {"window": 1024}}, "window"),
        ({"ttt_layers": [0, 2]}, "ttt_layers"),
        ({"hybrid": {"linear": {"key_heads": 16}}}, "linear_key_heads"),
        ({"local": {"attention": {"size": 512}}}, "local"),
        ({"chunked_attention_size": 8192}, "chunked_attention_size"),
        ({"hyena_filters": 256}, "hyena_filters"),
        ({"full_attn_every": 4}, "full_attn_every"),
        ({"global_attn_layers": [0, 5]}, "global_attn_layers"),
        ({"qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "dkv_rank": 512}, "kv_lora_rank"),
        ({"kv_lora_rank": 512, "qk_rope_head_dim": 64, "index_topk": 2048}, "index_head_dim"),
        ({"sliding_window_pattern": 6}, "sliding_window"),
    ],
)
def test_a_second_kind_is_asked_about(keys: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        read_config({**LLAMA, **keys})


@pytest.mark.parametrize(
    "keys",
    [
        {"cla_factor": 2},
        {"kv_share_factor": 2},
        {"mla_layers": [0, 1]},
        {"num_global_layers": 4},
        {"d_v": 96},
        {"qkv_dim": 96},
    ],
)
def test_sizes_that_no_rule_reads_are_named(keys: dict[str, Any]) -> None:
    notes = read_config({**LLAMA, **keys}).notes
    assert any("No rule reads" in note and next(iter(keys)) in note for note in notes)


@pytest.mark.parametrize(
    "keys", [{"global_step": 7}, {"num_experts": 8, "moe_layers": [1, 2]}, {"full_attn_every": 1}]
)
def test_what_sizes_no_layer_is_not_asked_about(keys: dict[str, Any]) -> None:
    assert growing({**LLAMA, **keys}) == LLAMA_BYTES


def test_a_cycle_of_blocks_without_recurrence_keeps_every_token() -> None:
    kinds = ["sliding_attention", "full_attention"]
    curve = read_config({**LLAMA, "sliding_window": 128, "block_types": kinds}).curve()
    assert curve.growing_bytes_per_token == LLAMA_BYTES // 2


def test_what_is_not_certain_is_said() -> None:
    without = {key: value for key, value in LLAMA.items() if key != "num_key_value_heads"}
    assert any("as many KV heads" in note for note in read_config(without).notes)
    windows = {**LLAMA, "sliding_window": 128, "local_attention_window": 512}
    named = {**windows, "layer_types": ["sliding_attention", "full_attention"] * 16}
    assert any("not local_attention_window = 512" in note for note in read_config(named).notes)
    named["mamba_d_state"] = 128
    assert any("mamba_d_state sizes a kind of layer" in note for note in read_config(named).notes)


def test_both_sizes_of_a_state_are_said_where_engines_differ() -> None:
    # 32 heads x 128 x 128: 4 B an element in fp32, 2 B in the model's own bf16
    delta = {f"linear_num_{kind}_heads": 32 for kind in ("key", "value")}
    delta |= {"linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4}
    config = {**LLAMA, **delta, "full_attention_interval": 4}
    assert any("2,097,152 B; vLLM" in note and "1,048,576 B" in note for note in read_config(config).notes)
    told = read_config({**config, "mamba_ssm_dtype": "float32"})
    assert not any("vLLM" in note for note in told.notes)


def test_layers_that_run_many_times_keep_each_time() -> None:
    assert growing({**LLAMA, "loop_num": 20}) == 20 * LLAMA_BYTES
