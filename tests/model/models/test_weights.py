"""Estimated parameters against those that the models' makers publish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aisim_model.models.weights import estimate_parameters

# in billions, from the models' own pages; None where a maker gives no active figure
PUBLISHED = (
    ("meta-llama__Llama-2-7b-hf", 6.74, 6.74),
    ("meta-llama__Meta-Llama-3.1-70B", 70.6, 70.6),
    ("meta-llama__Meta-Llama-3.1-405B", 405.9, 405.9),
    ("meta-llama__Llama-4-Scout-17B-16E-Instruct", 109, 17),
    ("mistralai__Mixtral-8x7B-v0.1", 46.7, 12.9),
    ("Qwen__Qwen-1_8B", 1.84, 1.84),
    ("Qwen__Qwen1.5-MoE-A2.7B", 14.3, 2.7),
    ("Qwen__Qwen3-32B", 32.8, 32.8),
    ("Qwen__Qwen3-235B-A22B", 235, 22),
    ("Qwen__Qwen3-Next-80B-A3B", 80, 3.9),
    ("deepseek-ai__DeepSeek-V3", 671, 37),
    ("deepseek-ai__DeepSeek-V4-Flash", 284, 13),
    ("deepseek-ai__DeepSeek-V4-Pro", 1600, 49),
    ("moonshotai__Kimi-K2-Instruct", 1000, 32),
    ("openai__gpt-oss-120b", 116.8, 5.1),
    ("zai-org__GLM-4.5", 355, 32),
    ("MiniMaxAI__MiniMax-M2.5", 229, 10),
    ("tencent__Hunyuan-A13B-Instruct", 80, 13),
    ("stepfun-ai__Step-3.7-Flash", 196, 11),
    ("google__gemma-2-9b-it", 9.24, 9.24),
    ("google__gemma-4-26B-A4B", 25.2, 3.8),
    ("google__recurrentgemma-2b", 2.68, 2.68),
    ("ai21labs__AI21-Jamba-1.5-Mini", 51.6, 12),
    ("ibm-granite__granite-4.0-h-small", 32, 9),
    ("nvidia__Nemotron-H-56B-Base-8K", 56, 56),
    ("nvidia__NVIDIA-Nemotron-3-Super-120B-A12B-FP8", 120, 12),
    ("nvidia__Llama-3_3-Nemotron-Super-49B-v1", 49.9, 49.9),
    ("state-spaces__mamba-2.8b-hf", 2.77, 2.77),
    ("openai__whisper-large-v3", 1.54, 1.54),
    ("tiiuae__falcon-40b", 41.3, 41.3),
    ("openai-community__gpt2", 0.124, 0.124),
    ("EleutherAI__gpt-neox-20b", 20.6, 20.6),
    ("bigscience__bloom", 176.2, 176.2),
    ("facebook__opt-66b", 65.7, 65.7),
    ("mosaicml__mpt-7b", 6.65, 6.65),
    ("microsoft__phi-2", 2.78, 2.78),
    ("THUDM__chatglm3-6b", 6.24, 6.24),
    ("llava-hf__llava-1.5-7b-hf", 6.74, 6.74),
)
TOTAL_TOLERANCE, ACTIVE_TOLERANCE = 0.03, 0.13  # makers round "A3B", and some leave the embedding out


@pytest.mark.shared
@pytest.mark.parametrize(("file", "total", "active"), PUBLISHED, ids=[row[0] for row in PUBLISHED])
def test_published_parameters(shared_dir: Path, file: str, total: float, active: float) -> None:
    found = estimate_parameters((shared_dir / "facts" / "configs" / f"{file}.json").read_bytes())
    assert found.missing == ""
    assert found.total == pytest.approx(total * 1e9, rel=TOTAL_TOLERANCE)
    assert found.active == pytest.approx(active * 1e9, rel=ACTIVE_TOLERANCE)


def own_rows() -> list[dict[str, Any]]:
    """Return the models of our own table whose parameters are published."""
    data = Path(__file__).parent / "kv_cache" / "data" / "configs.json"
    return [row for row in json.loads(data.read_text(encoding="utf-8")) if "billions" in row]


@pytest.mark.parametrize("row", own_rows(), ids=lambda row: row["model"])
def test_models_of_our_own_table(row: dict[str, Any]) -> None:
    found = estimate_parameters(row["config"])
    total, active = row["billions"]
    assert found.missing == ""
    assert found.total == pytest.approx(total * 1e9, rel=0.05)
    assert found.active == pytest.approx(active * 1e9, rel=0.2)


SMALL = {
    "num_hidden_layers": 2,
    "hidden_size": 8,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "intermediate_size": 16,
    "vocab_size": 10,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
}


def test_a_dense_model_by_hand() -> None:
    # embedding and head 2 x 10 x 8 = 160; a layer: q and o 8 x 8, k and v 8 x 4: 192; MLP 3 x 8 x 16 = 384
    assert estimate_parameters(SMALL).total == 160 + 2 * (192 + 384) == 1312


def test_a_tied_head_is_counted_once() -> None:
    assert estimate_parameters({**SMALL, "tie_word_embeddings": True}).total == 1312 - 80


def test_experts_by_hand() -> None:
    experts = {"num_experts": 4, "num_experts_per_tok": 1, "moe_intermediate_size": 4, "n_shared_experts": 1}
    # a layer: 192 + 4 experts of 3 x 8 x 4 = 96, a shared one of 96, a router of 8 x 4
    found = estimate_parameters({**SMALL, **experts})
    assert (found.total, found.active) == (160 + 2 * (192 + 5 * 96 + 32), 160 + 2 * (192 + 2 * 96 + 32))


@pytest.mark.parametrize("experts", [None, 0, 1])
def test_no_experts_or_one_are_an_mlp(experts: int | None) -> None:
    assert estimate_parameters({**SMALL, "num_experts": experts}).total == 1312


def test_a_dense_first_layer_by_hand() -> None:
    experts = {"num_experts": 4, "num_experts_per_tok": 1, "moe_intermediate_size": 4}
    found = estimate_parameters({**SMALL, **experts, "first_k_dense_replace": 1})
    assert found.total == 160 + 2 * 192 + 384 + 4 * 96 + 32


@pytest.mark.parametrize(
    "first",
    [
        {"mlp_layer_types": ["dense", "sparse"]},
        {"mlp_layer_types": ["dense", "hash_moe"]},
        {"moe_layer_start_index": 1},
    ],
)
def test_which_layers_have_experts_by_their_other_names(first: dict[str, Any]) -> None:
    experts = {"moe_num_experts": 4, "moe_k": 1, "moe_intermediate_size": 4, "moe_num_shared_experts": 2}
    found = estimate_parameters({**SMALL, **experts, **first})
    # as above, and two shared experts of 3 x 8 x 4 in the second layer
    assert found.total == 160 + 2 * 192 + 384 + 6 * 96 + 32


def test_experts_that_are_switched_off_are_an_mlp() -> None:
    experts = {"num_experts": 4, "num_experts_per_tok": 1, "is_moe": False}
    assert estimate_parameters({**SMALL, **experts}).total == 1312


@pytest.mark.parametrize(
    ("more", "matrices"),
    [
        ({"hidden_act": "relu2"}, 2),
        ({"hidden_act": "xielu", "rms_norm_eps": 1e-5}, 2),
        ({"hidden_act": "relu2", "model_type": "bitnet"}, 3),
    ],
)
def test_how_many_matrices_an_mlp_has(more: dict[str, Any], matrices: int) -> None:
    assert estimate_parameters({**SMALL, **more}).total == 160 + 2 * (192 + matrices * 128)


@pytest.mark.parametrize("name", ["block_ff_dim", "intermediate_size"])
def test_lfm2_takes_two_thirds_of_its_width_in_steps_of_256(name: str) -> None:
    # two thirds of 600 is 400, which goes up to 512: 3 x 8 x 512 a layer
    sizes = {key: value for key, value in SMALL.items() if key != "intermediate_size"}
    config = {**sizes, name: 600, "block_auto_adjust_ff_dim": True}
    assert estimate_parameters(config).total == 160 + 2 * (192 + 3 * 8 * 512)


@pytest.mark.parametrize(
    ("left_out", "more"),
    [
        ("vocab_size", {}),
        ("intermediate_size", {}),
        ("num_experts_per_tok", {"num_experts": 4, "moe_intermediate_size": 4}),
    ],
)
def test_the_missing_key_is_named_and_nothing_is_guessed(left_out: str, more: dict[str, int]) -> None:
    config = {key: value for key, value in {**SMALL, **more}.items() if key != left_out}
    found = estimate_parameters(config)
    assert (found.total, found.active) == (None, None)
    assert found.missing.startswith(f"{left_out} = None: is not in the config")


@pytest.mark.parametrize("tied", [True, False])
def test_the_outer_config_says_whether_the_head_is_tied_where_the_text_config_does_not(tied: bool) -> None:
    # without rms_norm_eps the older classes' default, tied, would stand
    text = {key: value for key, value in SMALL.items() if key not in ("tie_word_embeddings", "rms_norm_eps")}
    nested = estimate_parameters({"model_type": "llava", "text_config": text, "tie_word_embeddings": tied})
    assert nested.total == 1312 - (80 if tied else 0)
