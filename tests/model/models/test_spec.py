"""What a served model is, from its config: sizes, cache, parameters, and back from JSON."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.models.kv_cache import ConfigError
from aisim_model.models.spec import ModelSpec

QWEN3_32B: dict[str, Any] = {
    "model_type": "qwen3",
    "num_hidden_layers": 64,
    "hidden_size": 5120,
    "intermediate_size": 25600,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "hidden_act": "silu",
    "vocab_size": 151936,
    "tie_word_embeddings": False,
    "max_position_embeddings": 40960,
}


def test_sizes_of_a_dense_model() -> None:
    spec = ModelSpec.from_config(QWEN3_32B, "Qwen3-32B", "its config.json")
    assert (spec.layers, spec.attention_layers, spec.hidden_size) == (64, 64, 5120)
    assert (spec.attention_heads, spec.head_dim) == (64, 128.0)
    assert spec.kv.curve().growing_bytes_per_token == 262_144
    assert spec.parameters_from == "estimated"


def test_declared_parameters_are_kept() -> None:
    spec = ModelSpec.from_config(QWEN3_32B, "a", total_parameters=235, active_parameters=22)
    assert (spec.total_parameters, spec.active_parameters, spec.parameters_from) == (235, 22, "declared")
    assert ModelSpec.from_config(QWEN3_32B, "a", total_parameters=7).active_parameters == 7


def test_parameters_that_can_not_be_told_say_which_key_is_missing() -> None:
    config = {key: value for key, value in QWEN3_32B.items() if key != "vocab_size"}
    spec = ModelSpec.from_config(config, "a")
    assert (spec.total_parameters, spec.active_parameters) == (None, None)
    assert spec.parameters_from.startswith("vocab_size = None: is not in the config")


def test_a_head_of_mla_costs_the_mean_of_key_and_value() -> None:
    config = {"num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128, "kv_lora_rank": 512}
    heads = {"qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
    # (128 + 64 + 128) / 2
    assert ModelSpec.from_config({**config, **heads}, "a").head_dim == 160.0


def test_a_model_of_state_only_has_no_attention() -> None:
    mamba = {
        "num_hidden_layers": 64,
        "hidden_size": 2560,
        "state_size": 16,
        "conv_kernel": 4,
        "vocab_size": 50280,
    }
    spec = ModelSpec.from_config(mamba, "mamba")
    assert (spec.attention_layers, spec.attention_heads, spec.head_dim) == (0, 0, 0.0)
    assert spec.kv.curve().per_token_bytes == 0


def test_a_spec_is_small_and_comes_back_from_json() -> None:
    spec = ModelSpec.from_config(QWEN3_32B, "Qwen3-32B")
    text = spec.model_dump_json()
    assert len(text) < 850
    assert ModelSpec.model_validate_json(text) == spec


def test_a_config_without_a_width_is_asked_for_it() -> None:
    config = {key: value for key, value in QWEN3_32B.items() if key != "hidden_size"}
    with pytest.raises(ConfigError, match="hidden_size = None"):
        ModelSpec.from_config({**config, "model_type": "other"}, "a")
