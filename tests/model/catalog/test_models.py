"""The catalogue's models: shapes and bytes worked by hand, published parameters against counted ones."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import pytest
from pydantic import ValidationError

from aisim_model import catalog
from aisim_model.catalog import CatalogModel, model, models
from aisim_model.catalog.records import DATA
from aisim_model.errors import InputError
from aisim_model.models.spec import ModelSpec


class Shape(NamedTuple):
    layers: int
    attention_heads: int
    kv_heads: int | None
    head_dim: int
    kv_bytes_per_token_bf16: int


# Bytes of one more token once every window is full: full-attention layers x KV heads x (key + value) x 2 B,
# and for MLA layers x (kv_lora_rank + qk_rope_head_dim) x 2 B; its head_dim is the mean of key and value.
BY_HAND = {
    "deepseek-r1": Shape(61, 128, None, 160, 61 * (512 + 64) * 2),
    "deepseek-v3": Shape(61, 128, None, 160, 61 * (512 + 64) * 2),
    "deepseek-v3.2": Shape(61, 128, None, 160, 61 * (512 + 64) * 2),
    "gemma-3-12b": Shape(48, 16, 8, 256, 8 * 8 * (256 + 256) * 2),  # every sixth layer is full
    "glm-4.5": Shape(92, 96, 8, 128, 92 * 8 * (128 + 128) * 2),
    "glm-5": Shape(78, 64, None, 256, 78 * (512 + 64) * 2),
    "glm-5.2": Shape(78, 64, None, 256, 78 * (512 + 64) * 2),
    "gpt-oss-120b": Shape(36, 64, 8, 64, 18 * 8 * (64 + 64) * 2),  # every other layer is full
    "gpt-oss-20b": Shape(24, 64, 8, 64, 12 * 8 * (64 + 64) * 2),
    "kimi-k2": Shape(61, 64, None, 160, 61 * (512 + 64) * 2),
    "kimi-k2.5": Shape(61, 64, None, 160, 61 * (512 + 64) * 2),
    "llama-3.1-405b": Shape(126, 128, 8, 128, 126 * 8 * (128 + 128) * 2),
    "llama-3.1-70b": Shape(80, 64, 8, 128, 80 * 8 * (128 + 128) * 2),
    "llama-3.3-70b": Shape(80, 64, 8, 128, 80 * 8 * (128 + 128) * 2),
    "llama-3.1-8b": Shape(32, 32, 8, 128, 32 * 8 * (128 + 128) * 2),
    "llama-4-scout": Shape(48, 40, 8, 128, 12 * 8 * (128 + 128) * 2),  # every fourth layer is full
    "minimax-m2.5": Shape(62, 48, 8, 128, 62 * 8 * (128 + 128) * 2),
    "mistral-7b": Shape(32, 32, 8, 128, 32 * 8 * (128 + 128) * 2),
    "mixtral-8x22b": Shape(56, 48, 8, 128, 56 * 8 * (128 + 128) * 2),
    "mixtral-8x7b": Shape(32, 32, 8, 128, 32 * 8 * (128 + 128) * 2),
    "nemotron-3-super-120b": Shape(88, 32, 2, 128, 8 * 2 * (128 + 128) * 2),  # 8 "*" in the pattern
    "nemotron-super-49b": Shape(80, 64, 8, 128, 49 * 8 * (128 + 128) * 2),  # 31 layers without attention
    "olmo-2-32b": Shape(64, 40, 8, 128, 64 * 8 * (128 + 128) * 2),
    "qwen2.5-7b": Shape(28, 28, 4, 128, 28 * 4 * (128 + 128) * 2),
    "qwen3-235b-a22b": Shape(94, 64, 4, 128, 94 * 4 * (128 + 128) * 2),
    "qwen3-30b-a3b": Shape(48, 32, 4, 128, 48 * 4 * (128 + 128) * 2),
    "qwen3-32b": Shape(64, 64, 8, 128, 64 * 8 * (128 + 128) * 2),
    "qwen3-8b": Shape(36, 32, 8, 128, 36 * 8 * (128 + 128) * 2),
    "qwen3-coder-480b-a35b": Shape(62, 96, 8, 128, 62 * 8 * (128 + 128) * 2),
    "qwen3-next-80b-a3b": Shape(48, 16, 2, 256, 12 * 2 * (256 + 256) * 2),  # every fourth layer is full
    "qwen3.5-397b-a17b": Shape(60, 32, 2, 256, 15 * 2 * (256 + 256) * 2),
}


# Weights of the experts that a token is not sent to:
# layers with experts x (experts - chosen) x matrices of one x their two sides.
IDLE = {
    "deepseek-r1": 58 * (256 - 8) * 3 * 7168 * 2048,  # 61 layers, the first three without experts
    "deepseek-v3": 58 * (256 - 8) * 3 * 7168 * 2048,
    "deepseek-v3.2": 58 * (256 - 8) * 3 * 7168 * 2048,
    "glm-4.5": 89 * (160 - 8) * 3 * 5120 * 1536,  # 92 layers, the first three without
    "glm-5": 75 * (256 - 8) * 3 * 6144 * 2048,  # 78 layers, the first three without
    "glm-5.2": 75 * (256 - 8) * 3 * 6144 * 2048,
    "gpt-oss-120b": 36 * (128 - 4) * 3 * 2880 * 2880,
    "gpt-oss-20b": 24 * (32 - 4) * 3 * 2880 * 2880,
    "kimi-k2": 60 * (384 - 8) * 3 * 7168 * 2048,  # 61 layers, the first without
    "kimi-k2.5": 60 * (384 - 8) * 3 * 7168 * 2048,
    "llama-4-scout": 48 * (16 - 1) * 3 * 5120 * 8192,
    "minimax-m2.5": 62 * (256 - 8) * 3 * 3072 * 1536,
    "mixtral-8x22b": 56 * (8 - 2) * 3 * 6144 * 16384,
    "mixtral-8x7b": 32 * (8 - 2) * 3 * 4096 * 14336,
    "nemotron-3-super-120b": 40 * (512 - 22) * 2 * 1024 * 2688,  # 40 "E" in the pattern, ungated, latent
    "qwen3-235b-a22b": 94 * (128 - 8) * 3 * 4096 * 1536,
    "qwen3-30b-a3b": 48 * (128 - 8) * 3 * 2048 * 768,
    "qwen3-coder-480b-a35b": 62 * (160 - 8) * 3 * 6144 * 2560,
    "qwen3-next-80b-a3b": 48 * (512 - 10) * 3 * 2048 * 512,
    "qwen3.5-397b-a17b": 60 * (512 - 10) * 3 * 4096 * 1024,
}

# What a published active count leaves out, and our count has: vocabulary x hidden size for the embedding
# and as many for the head, and for DeepSeek-V3.2 the indexer, its figures being those of its base.
LEFT_OUT = {
    "deepseek-v3.2": 61 * (1536 * 64 * 128 + 7168 * 128 + 7168 * 64),  # queries, keys, a weight for each head
    "glm-4.5": 2 * 151_552 * 5120,
    "glm-5": 2 * 154_880 * 6144,
    "glm-5.2": 2 * 154_880 * 6144,
    "gpt-oss-120b": 201_088 * 2880,  # its report counts the head
    "gpt-oss-20b": 201_088 * 2880,
    "minimax-m2.5": 2 * 200_064 * 3072,
}


def test_every_model_is_worked_by_hand() -> None:
    assert [entry.id for entry in models()] == sorted(BY_HAND)


def test_a_file_is_named_after_its_model() -> None:
    assert {file.stem for file in (DATA / "models").iterdir()} == {entry.id for entry in models()}


@pytest.mark.parametrize("model_id", BY_HAND)
def test_shape_and_bytes(model_id: str) -> None:
    found = model(model_id).summary()
    assert {name: found[name] for name in Shape._fields} == BY_HAND[model_id]._asdict()


def test_the_opening_example_by_hand() -> None:
    # 12,000 tokens x 64 layers x 8 heads x (128 + 128) x 2 B = 3,145,728,000 B
    assert model("qwen3-32b").spec().kv.curve("bf16").bytes(12_000) == 3_145_728_000


def test_deepseek_v3_by_hand() -> None:
    # 8,192 tokens x 61 layers x (512 + 64) x 2 B = 575,668,224 B
    assert model("deepseek-v3").spec().kv.curve("bf16").bytes(8192) == 575_668_224


@pytest.mark.parametrize("entry", models(), ids=lambda entry: entry.id)
def test_published_total_agrees_with_a_count_of_the_weights(entry: CatalogModel) -> None:
    counted = ModelSpec.from_config(entry.config, entry.name)
    # Llama-4 Scout's 109 billion have 0.9 of vision encoder in them; all others are nearer than 0.7%.
    assert counted.total_parameters == pytest.approx(entry.total_parameters, rel=0.012)


@pytest.mark.parametrize("entry", models(), ids=lambda entry: entry.id)
def test_published_active_agrees_with_a_count_of_the_weights(entry: CatalogModel) -> None:
    counted = ModelSpec.from_config(entry.config, entry.name)
    assert counted.total_parameters is not None
    active = counted.total_parameters - IDLE.get(entry.id, 0)
    assert counted.active_parameters == active
    # "A22B" and the like are rounded to a billion
    assert active - LEFT_OUT.get(entry.id, 0) == pytest.approx(entry.active_parameters, rel=0.03)


def test_active_is_less_than_total_only_where_there_are_experts() -> None:
    assert {entry.id for entry in models() if entry.active_parameters < entry.total_parameters} == set(IDLE)


def test_a_spec_is_read_once_and_carries_the_published_parameters() -> None:
    spec = model("mixtral-8x7b").spec()
    assert spec is model("mixtral-8x7b").spec()
    assert (spec.total_parameters, spec.active_parameters) == (46_700_000_000, 12_900_000_000)


@pytest.mark.shared
def test_every_model_of_the_facts_has_its_expected_bytes(shared_dir: Path) -> None:
    with (shared_dir / "facts" / "configs_expected.csv").open(newline="") as lines:
        expected = {row["file"].replace("__", "/"): row for row in csv.DictReader(lines)}
    checked = 0
    for entry in models():
        for name, row in expected.items():
            if name in entry.source and row["confidence"] == "checked_twice":
                growing = entry.spec().kv.curve("bf16").growing_bytes_per_token
                assert growing == int(row["kv_bytes_per_token_bf16"]), name
                checked += 1
    assert checked >= 20


def test_an_unknown_model_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"model = 'qwen3-23b'.*nearest are .*qwen3-32b"):
        model("qwen3-23b")


@pytest.mark.parametrize(
    "wrong",
    [
        {"active_parameters": 0},
        {"active_parameters": 10**12},  # more than the total
        {"total_parameters": 32.8},
        {"parameters_source": ""},
        {"id": "Qwen3 32B"},
        {"config": "text"},
    ],
)
def test_a_wrong_file_is_refused_on_load(wrong: dict[str, object]) -> None:
    right = model("qwen3-32b").model_dump()
    assert CatalogModel.model_validate(right).id == "qwen3-32b"
    with pytest.raises(ValidationError):
        CatalogModel.model_validate({**right, **wrong})


def test_the_catalogue_exports_what_it_holds() -> None:
    assert all(hasattr(catalog, name) for name in catalog.__all__)
