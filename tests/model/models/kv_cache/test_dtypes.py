"""KV dtypes: bytes of an element, and of an MLA entry in the layouts that engines have."""

from __future__ import annotations

from fractions import Fraction

import pytest

from aisim_model.errors import InputError
from aisim_model.models.kv_cache import KV_DTYPES, KvLayout, kv_dtype_of, read_config
from aisim_model.models.kv_cache.parts import HeadKv

MLA = {"num_hidden_layers": 61, "num_attention_heads": 128, "kv_lora_rank": 512, "qk_rope_head_dim": 64}


@pytest.mark.parametrize(
    ("name", "bytes_per_element"),
    [
        ("bf16", Fraction(2)),
        ("fp16", Fraction(2)),
        ("fp32", Fraction(4)),
        ("fp8", Fraction(1)),
        ("int8", Fraction(1)),
        # 4 bits and 8 bits for 16 elements: 0.5 + 1/16; for 32 elements 0.5 + 1/32
        ("nvfp4", Fraction("0.5625")),
        ("mxfp4", Fraction("0.53125")),
        # llama.cpp's blocks of 32 elements: 34, 18 bytes
        ("q8_0", Fraction(34, 32)),
        ("q4_0", Fraction(18, 32)),
    ],
)
def test_bytes_of_an_element(name: str, bytes_per_element: Fraction) -> None:
    assert KV_DTYPES[name].element_bytes == bytes_per_element


@pytest.mark.parametrize(
    ("name", "growing"),
    [
        ("bf16", 61 * 576 * 2),
        ("fp8", 61 * 576),
        # 512 B + 4 scales of 4 B + 64 x 2 B = 656 B a layer
        ("fp8_ds_mla", 61 * 656),
        # 512 B + 64 x 2 B = 640 B a layer
        ("fp8_mla_bf16_rope", 61 * 640),
        # 576 x 9/16 B = 324 B a layer
        ("nvfp4", 61 * 324),
    ],
)
def test_growing_bytes_of_deepseek_v3(name: str, growing: int) -> None:
    assert read_config(MLA).curve(name).growing_bytes_per_token == growing


@pytest.mark.parametrize(
    ("name", "growing"),
    [
        # 8 heads x 2 x (128 + 4) B: vLLM has a scale of fp32 for each token and head
        ("fp8_per_token_head", 2_112),
        # 8 heads x 2 x (64 + 4) B
        ("int4_per_token_head", 1_088),
        ("4bit+4B/head", 1_088),
        # 8 heads x 2 x (128 + 4 x 2) B
        ("8bit+2B/32", 2_176),
        ("8 bits + 2 bytes / 32", 2_176),
        # 8 heads x 2 x 128 x 6.5 / 8 B
        ("6.5bit", 1_664),
        ("q8_0", 2_176),
        # a started group counts: 8 heads x 2 x (64 + 2 x 2) B
        ("4bit+2B/100", 1_088),
    ],
)
def test_bits_and_scales_of_a_layer_of_heads(name: str, growing: int) -> None:
    layout = KvLayout.of([(HeadKv(kv_heads=8, key_elements=128, value_elements=128),)])
    assert layout.curve(name).growing_bytes_per_token == growing
    assert kv_dtype_of(kv_dtype_of(name).name) == kv_dtype_of(name)


def test_an_mla_entry_is_one_vector_to_a_format_of_ones_own() -> None:
    # 576 x 4/8 B + 5 scales of 2 B for each started 128 elements
    assert read_config(MLA).curve("4bit+2B/128").growing_bytes_per_token == 61 * 298


def test_indexer_bytes_are_the_same_in_every_dtype() -> None:
    layout = read_config({**MLA, "index_head_dim": 128})
    assert {layout.curve(name).indexer_bytes_per_token for name in KV_DTYPES} == {61 * 132}


def test_an_mla_layout_is_refused_where_layers_have_kv_heads() -> None:
    layout = KvLayout.of([(HeadKv(kv_heads=8, key_elements=128, value_elements=128),)])
    with pytest.raises(InputError, match=r"kv_dtype = 'fp8_ds_mla': is a layout of MLA latents"):
        layout.curve("fp8_ds_mla")


@pytest.mark.parametrize(("other", "name"), [("bfloat16", "bf16"), ("FP8_E4M3", "fp8"), ("half", "fp16")])
def test_engines_own_names_are_understood(other: str, name: str) -> None:
    assert kv_dtype_of(other).name == name


@pytest.mark.parametrize(
    "name", ["fp5", "", "auto", None, "0bit", "65bit", "8bit+2B/0", "8bit+0B/32", "8bit/32", "8bit+2B/row"]
)
def test_an_unknown_name_is_refused_with_those_there_are(name: object) -> None:
    with pytest.raises(InputError, match="must be one of bf16, fp16"):
        kv_dtype_of(name)
