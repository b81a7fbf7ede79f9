"""Sizes of a model's class that single families need no more of: for files that leave them out.

Source: the ``configuration_*.py`` files of Hugging Face transformers 5.24. Classes whose layers differ stand
in `defaults`, with what makes them differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

# layers, width, query heads; KV heads where fewer; elements of a head where not width / heads
_HEADS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "apertus": (32, 4096, 32),
        "apertus1p5_text": (32, 4096, 32),
        "arcee": (32, 2560, 32),
        "aria_text": (32, 4096, 32),
        "biogpt": (24, 1024, 16),
        "bitnet": (30, 2560, 20, 5),
        "chameleon": (32, 4096, 32),
        "cohere": (40, 8192, 64),
        "cosmos3_edge_text": (28, 2048, 16, 8),
        "deepseek_ocr2_text": (32, 4096, 32),
        "diffllama": (16, 2048, 32),
        "doge": (32, 1024, 8),
        "emu3_text_model": (32, 4096, 32, 8),
        "ernie4_5": (18, 1024, 16, 2, 128),
        "ernie4_5_moe": (28, 2560, 20, 4),
        "ernie4_5_vl_moe_text": (28, 2560, 20, 4),
        "evolla": (32, 4096, 32, 8),
        "exaone": (32, 4096, 32, 8),
        "flex_olmo": (32, 4096, 32),
        "glm": (40, 4096, 32, 2),
        "glm4": (40, 4096, 32, 2),
        "glm4_moe": (46, 4096, 96, 8),
        "glm4v_moe_text": (46, 4096, 96, 8),
        "glm4v_text": (40, 4096, 32, 2),
        "glm_ocr_text": (16, 1024, 16, 8),
        "gpt_neox_japanese": (32, 2560, 32),
        "granite": (32, 4096, 32),
        "granite4_vision_text": (32, 4096, 32),
        "granite_docling_text": (28, 1024, 16, 4),
        "granitemoe": (32, 4096, 32),
        "granitemoeshared": (32, 4096, 32),
        "helium": (24, 2560, 20),
        "hunyuan_v1_dense": (32, 4096, 32),
        "hunyuan_v1_moe": (32, 4096, 32),
        "hunyuan_vl_text": (32, 4096, 32),
        "hy_v3": (80, 4096, 64, 8, 128),
        "hyperclovax": (32, 4096, 32),
        "idefics": (32, 4096, 32),
        "internlm3": (48, 4096, 32, 2),
        "iquestcoder": (80, 5120, 40, 8),
        "jais2": (32, 3328, 26),
        "jamba": (32, 4096, 32, 8),
        "minimax_m2": (62, 3072, 48, 8, 128),
        "ministral3": (34, 4096, 32, 8),
        "molmo2_text": (36, 4096, 32, 8),
        "nanochat": (12, 768, 6),
        "nemotron": (32, 6144, 48),
        "olmo": (32, 4096, 32),
        "olmo2": (32, 4096, 32),
        "olmoe": (16, 2048, 16),
        "paddleocr_vl_text": (18, 1024, 16, 2, 128),
        "persimmon": (36, 4096, 64),
        "phi4_multimodal": (32, 3072, 32, 8),
        "phimoe": (32, 4096, 32, 8),
        "qwen2_5_omni_text": (28, 3584, 28, 4),
        "qwen2_5_vl_text": (80, 8192, 64, 8),
        "qwen2_moe": (24, 2048, 16),
        "qwen2_vl_text": (80, 8192, 64, 8),
        "qwen3_5_moe_text": (40, 2048, 16, 2, 256),
        "qwen3_5_text": (32, 4096, 16, 4),
        "qwen3_moe": (24, 2048, 32, 4),
        "qwen3_next": (48, 2048, 16, 2, 256),
        "qwen3_omni_moe_text": (28, 2048, 28, 4),
        "qwen3_vl_moe_text": (24, 2048, 16),
        "qwen3_vl_text": (32, 4096, 32),
        "sarvam_moe": (19, 4096, 64, 4),
        "seed_oss": (64, 4096, 80, 8, 128),
        "smollm3": (36, 2048, 16, 4),
        "solar_open": (48, 4096, 64, 8, 128),
        "stablelm": (32, 2560, 32),
        "starcoder2": (30, 3072, 24, 2),
    }
)
# layers, width, heads; elements of the latent, of its rotary part, of an index key
_LATENTS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "axk1": (61, 7168, 64, 512, 64),
        "axk2": (48, 2048, 32, 128, 32, 128),
        "deepseek_v2": (32, 4096, 32, 512, 64),
        "deepseek_v3": (61, 7168, 128, 512, 64),
        "deepseek_v32": (61, 7168, 128, 512, 64, 128),
        "glm4_moe_lite": (47, 2048, 20, 512, 64),
        "glm_moe_dsa": (78, 6144, 64, 512, 64, 128),
        "hy_v4": (34, 2816, 32, 512, 64, 128),
        "hy_v4_vl_text": (78, 6144, 64, 512, 64, 128),
        "minicpm3": (62, 2560, 40, 256, 32),
        "mistral4": (36, 4096, 32, 256, 64),
        "sarvam_mla": (32, 4096, 64, 512, 64),
        "youtu": (32, 2048, 16, 512, 64),
    }
)
# classes that declare a window and switch it off
_NO_WINDOW = frozenset(
    {
        "qwen2_5_omni_text",
        "qwen2_5_vl_text",
        "qwen2_moe",
        "qwen2_vl_text",
        "qwen3_moe",
        "smollm3",
    }
)
# classes whose layers differ by a rule of their own where the file doesn't say which layer is which
_OWN_RULE = frozenset(
    {
        "afmoe",
        "beam",
        "cwm",
        "deepseek_v4",
        "diffusion_gemma_text",
        "dots3_note_text",
        "exaone4",
        "exaone_moe",
        "flint",
        "glm5_next_text",
        "granite_swa",
        "granitemoe_swa",
        "granitemoehybrid",
        "inkling2_loop_text",
        "inkling2_text",
        "inkling_text",
        "kimi_linear",
        "kolibri1",
        "laguna",
        "lara_mini",
        "lfm2",
        "lfm2_moe",
        "lfm3",
        "mellum",
        "mimo_v2_flash",
        "minimax",
        "modernbert-decoder",
        "muse_glimmer_text",
        "muse_spark_text",
        "nemotron_h",
        "olmo3",
        "olmo_hybrid",
        "qwen4_exp_text",
        "t5_gemma_module",
        "t5gemma2_decoder",
        "t5gemma2_text",
        "vaultgemma",
    }
)


def class_shape(kind: str) -> dict[str, Any]:
    """Return the sizes that a class takes by default; empty where it isn't known.

    Examples
    --------
    >>> class_shape("glm4")["num_key_value_heads"]
    2
    """
    sizes = ("num_hidden_layers", "hidden_size", "num_attention_heads")
    heads = (*sizes, "num_key_value_heads", "head_dim")
    latent = (*sizes, "kv_lora_rank", "qk_rope_head_dim", "index_head_dim")
    found: dict[str, Any] = dict(zip(heads, _HEADS.get(kind, ()), strict=False))
    found |= zip(latent, _LATENTS.get(kind, ()), strict=False)
    return found | ({"use_sliding_window": False} if kind in _NO_WINDOW else {})


def has_own_rule(kind: str) -> bool:
    """Whether a class tells its layers apart by a rule that no key of a file stands for.

    Examples
    --------
    >>> has_own_rule("cwm"), has_own_rule("llama")
    (True, False)
    """
    return kind in _OWN_RULE
