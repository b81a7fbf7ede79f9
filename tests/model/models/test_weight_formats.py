"""Formats of weights: what a quantization_config says of each part, and the bytes that engines load."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model import catalog
from aisim_model.errors import InputError
from aisim_model.models.spec import ModelSpec
from aisim_model.models.weights.checkpoint import stored_weights_of
from aisim_model.models.weights.formats import FORMATS, OTHER_NAMES, StoredWeights, stored_as, weight_format
from aisim_model.models.weights.stored import parts_of, weight_bytes, weights_in

LAYERS = [f"model.layers.{layer}." for layer in range(4)]


def config(**said: Any) -> dict[str, Any]:
    return {"num_hidden_layers": 4, "quantization_config": said}


def group(bits: int, kind: str, size: int | None = None, **more: Any) -> dict[str, Any]:
    weights = {"num_bits": bits, "type": kind} | ({} if size is None else {"group_size": size})
    return {"weights": weights, "targets": ["Linear"], **more}


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8 fp8 fp8"),
        ({"quant_method": "fbgemm_fp8", "modules_to_not_convert": ["lm_head"]}, "fp8 fp8 fp8"),
        # the router and norms of every layer have no say
        (
            {"quant_method": "fp8", "modules_to_not_convert": [f"{at}mlp.gate" for at in LAYERS]},
            "fp8 fp8 fp8",
        ),
        (
            {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"]},
            "bf16 mxfp4 mxfp4",
        ),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "int4 int4 int4"),
        ({"quant_method": "gptq", "bits": 8}, "int8 int8 int8"),
        ({"quant_method": "auto-round", "bits": 4}, "int4 int4 int4"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "int4 int4 int4"),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "int8 int8 int8"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]}, "nvfp4 nvfp4 nvfp4"),
        ({"quant_method": "modelopt", "quant_algo": "FP8_PB_WO"}, "fp8 fp8 fp8"),
        ({"quant_method": "modelopt", "quant_algo": "W4A16_AWQ"}, "int4 int4 int4"),
        # attention is left out in three layers of four: of that part bf16
        (
            {"quant_algo": "NVFP4", "exclude_modules": [f"{at}self_attn*" for at in LAYERS[:3]]},
            "bf16 nvfp4 nvfp4",
        ),
        # in one of four it isn't
        ({"quant_algo": "NVFP4", "exclude_modules": [f"{LAYERS[0]}self_attn*"]}, "nvfp4 nvfp4 nvfp4"),
        (
            {"quant_method": "compressed-tensors", "config_groups": {"a": group(8, "float")}},
            "fp8 fp8 fp8",
        ),
        (
            {"quant_method": "compressed-tensors", "config_groups": {"a": group(8, "int")}},
            "int8 int8 int8",
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"a": group(4, "int", 32)},
                "ignore": ["re:.*self_attn.*", "re:.*shared_experts.*", r"re:.*mlp\.(gate|up|down)_proj.*"],
            },
            "bf16 bf16 int4",
        ),
        (
            {"format": "mxfp4-pack-quantized", "config_groups": {"a": group(4, "float", 32)}},
            "mxfp4 mxfp4 mxfp4",
        ),
        (
            {
                "config_groups": {
                    "a": {**group(8, "float"), "targets": ["re:.*self_attn.*"]},
                    "b": {**group(4, "float", 16), "targets": ["re:.*experts.*"]},
                }
            },
            "fp8 bf16 nvfp4",
        ),
        (
            {
                "quant_algo": "MIXED_PRECISION",
                "quantized_layers": {
                    "model.layers.0.self_attn.q_proj": {"quant_algo": "FP8"},
                    "model.layers.0.mlp.experts.0.up_proj": {"quant_algo": "W4A16_NVFP4"},
                },
            },
            "fp8 bf16 nvfp4",
        ),
        ({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3"}}}, "fp8 fp8 fp8"),
    ],
)
def test_what_a_checkpoint_says_of_each_part(said: dict[str, Any], parts: str) -> None:
    found = stored_weights_of(config(**said))
    assert " ".join(found[:3]) == parts
    assert not found.unread


def test_a_nested_text_model_and_a_file_beside_it_are_asked() -> None:
    inner = {"quantization_config": {"quant_method": "fp8"}}
    assert stored_weights_of({"text_config": inner}).attention == "fp8"
    beside = {"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}}
    assert stored_weights_of({"num_hidden_layers": 4}, beside).experts == "nvfp4"
    assert stored_weights_of({}) == StoredWeights()


@pytest.mark.parametrize(
    "said",
    [{"quant_method": "spinning"}, {"quant_method": "aqlm", "bits": 2}, {"quant_method": "gptq", "bits": 3}],
)
def test_a_method_that_isnt_known_is_asked_about(said: dict[str, Any]) -> None:
    found = stored_weights_of(config(**said))
    assert found.unread == said["quant_method"]
    assert found.experts == "bf16"


@given(
    said=st.dictionaries(st.text(max_size=20), st.none() | st.integers() | st.text() | st.lists(st.text()))
)
def test_anything_at_all_is_read_or_asked_about(said: dict[str, Any]) -> None:
    assert set(stored_weights_of(config(**said))[:3]) <= set(FORMATS)


def test_names_of_formats() -> None:
    assert {weight_format(name) for name in OTHER_NAMES} <= {"checkpoint", *FORMATS}
    assert weight_format("int4 (AWQ)") == weight_format("GPTQ") == "int4"
    with pytest.raises(InputError, match="weight_format = 'fp3': is no format that engines serve"):
        weight_format("fp3")


@pytest.mark.parametrize(
    ("model", "name", "ranks", "gib"),
    [
        ("gpt-oss-120b", "checkpoint", 1, 65.97),  # "Model loading took", vllm issue 23278
        ("gpt-oss-20b", "mxfp4", 1, 13.72),  # on an A100
        ("llama-3.1-70b", "fp8", 1, 67.72),  # w8a8, vllm issue 12569
        ("llama-3.1-8b", "bf16", 1, 14.96),  # vllm pull 10511
        ("llama-3.1-8b", "fp8", 1, 8.46),  # "Rank 0 uses 8.46 GB", TensorRT-LLM issue 6294
        ("qwen3-30b-a3b", "bf16", 4, 4 * 14.2474),  # vllm issue 17327
        ("kimi-k2.5", "int4", 8, 594e9 / 2**30),
    ],
)
def test_bytes_are_those_that_engines_load(model: str, name: str, ranks: int, gib: float) -> None:
    spec = catalog.model(model).spec()
    assert weight_bytes(spec, weights_in(spec, name), ranks) / 2**30 == pytest.approx(gib, rel=0.005)


def test_padding_is_to_tiles_of_a_rank() -> None:
    # 2,880 columns on one rank are 23 tiles of 128, on eight 360 are 3; rows 2,880 are 12 tiles of 256
    spec = catalog.model("gpt-oss-120b").spec()
    experts = parts_of(spec).experts * (0.5 + 1 / 32)
    one, eight = (weight_bytes(spec, spec.stored, ranks) for ranks in (1, 8))
    grown = (8 * 3 * 128 - 23 * 128) / 2880 * 3072 / 2880
    assert eight - one == pytest.approx(experts * grown)


@given(model=st.sampled_from(catalog.models()), name=st.sampled_from(FORMATS))
def test_parts_add_up_and_no_format_is_larger_than_bf16(model: Any, name: str) -> None:
    spec = model.spec()
    assert sum(parts_of(spec)) == pytest.approx(spec.total_parameters)
    assert min(parts_of(spec)) >= 0
    stored = stored_as(name, mixture=spec.total_parameters != spec.active_parameters)
    assert weight_bytes(spec, stored, 1) <= weight_bytes(spec, StoredWeights(), 1)


def test_a_link_of_before_counts_all_parameters_alike() -> None:
    spec = catalog.model("llama-3.1-8b").spec()
    data = spec.model_dump(mode="json")
    old = ModelSpec.model_validate({**data, "experts": data["experts"][:4]} | {"stored": StoredWeights()})
    assert weight_bytes(old, stored_as("fp8", mixture=False), 1) == pytest.approx(8.03e9 + 0.525e9, rel=0.01)
