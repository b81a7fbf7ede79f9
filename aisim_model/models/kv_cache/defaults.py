"""What a model's class takes for keys that its config.json leaves out.

Source: the ``configuration_*.py`` files of Hugging Face transformers. A default that is used is said in the
layout's notes. A class that isn't here has none: the missing key is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aisim_model.models.kv_cache.class_shapes import class_shape
from aisim_model.models.kv_cache.keys import NO_DEFAULTS


def _shape(layers: int, hidden: int, heads: int, **more: Any) -> Mapping[str, Any]:
    sizes = {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads}
    return MappingProxyType({**sizes, **more})


_GEMMA3 = _shape(
    26,
    2304,
    8,
    num_key_value_heads=4,
    head_dim=256,
    sliding_window=4096,
    sliding_window_pattern=6,
    intermediate_size=9216,
    vocab_size=262208,
    tie_word_embeddings=True,
)
_DELTA = MappingProxyType(
    {
        "linear_conv_kernel_dim": 4,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 32,
        "full_attention_interval": 4,
        "head_dim": 256,
    }
)
_DEFAULTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "cohere2": _shape(
            40,
            8192,
            64,
            sliding_window=4096,
            sliding_window_pattern=4,
            intermediate_size=22528,
        ),
        "falcon": _shape(32, 4544, 71, multi_query=True),
        "gemma": _shape(
            28,
            3072,
            16,
            num_key_value_heads=16,
            head_dim=256,
            intermediate_size=24576,
            vocab_size=256000,
            tie_word_embeddings=True,
        ),
        "gemma2": _shape(
            26,
            2304,
            8,
            num_key_value_heads=4,
            head_dim=256,
            sliding_window=4096,
            sliding_window_pattern=2,
            intermediate_size=9216,
            vocab_size=256000,
            tie_word_embeddings=True,
        ),
        "gemma3_text": _GEMMA3,
        "gemma3n_text": _shape(
            35,
            2048,
            8,
            num_key_value_heads=2,
            head_dim=256,
            sliding_window=512,
            sliding_window_pattern=5,
            num_kv_shared_layers=15,
            tie_word_embeddings=True,
        ),
        "gemma4_text": _shape(
            30,
            2304,
            8,
            num_key_value_heads=4,
            head_dim=256,
            global_head_dim=512,
            sliding_window=512,
            sliding_window_pattern=6,
            attention_k_eq_v=False,
            intermediate_size=9216,
            vocab_size=262144,
            tie_word_embeddings=True,
        ),
        "gpt2": _shape(12, 768, 12),
        "gpt_bigcode": _shape(12, 768, 12, multi_query=True),
        "gpt_neox": _shape(44, 6144, 64, intermediate_size=24576),
        "gpt_oss": _shape(
            36,
            2880,
            64,
            num_key_value_heads=8,
            head_dim=64,
            sliding_window=128,
            sliding_window_pattern=2,
            intermediate_size=2880,
        ),
        "gptj": _shape(28, 4096, 16),
        "jamba": MappingProxyType({"attn_layer_period": 8, "attn_layer_offset": 4}),
        "llama": _shape(32, 4096, 32, intermediate_size=11008, vocab_size=32000),
        "llama4_text": _shape(
            48,
            5120,
            40,
            num_key_value_heads=8,
            head_dim=128,
            attention_chunk_size=8192,
            intermediate_size=8192,
        ),
        "mistral": _shape(
            32,
            4096,
            32,
            num_key_value_heads=8,
            intermediate_size=14336,
            vocab_size=32000,
        ),
        "mixtral": _shape(
            32,
            4096,
            32,
            num_key_value_heads=8,
            intermediate_size=14336,
            vocab_size=32000,
        ),
        "mllama_text_model": _shape(
            40,
            4096,
            32,
            num_key_value_heads=8,
            cross_attention_layers=(3, 8, 13, 18, 23, 28, 33, 38),
            intermediate_size=14336,
        ),
        "opt": _shape(12, 768, 12),
        "phi": _shape(24, 2048, 32, intermediate_size=8192),
        "phi3": _shape(32, 3072, 32, intermediate_size=8192),
        "phi4flash": _shape(
            32,
            2560,
            40,
            num_key_value_heads=4,
            sliding_window=2047,
            mb_per_layer=2,
            mamba_d_state=16,
            mamba_d_conv=4,
            mamba_expand=2,
        ),
        "qwen2": _shape(32, 4096, 32, use_sliding_window=False, intermediate_size=22016),
        "qwen3": _shape(32, 4096, 32, head_dim=128, use_sliding_window=False, intermediate_size=22016),
        "qwen3_5_moe_text": _DELTA,
        "qwen3_5_text": _DELTA,
        "qwen3_next": _DELTA,
        "recurrent_gemma": _shape(
            26,
            2560,
            10,
            block_types=("recurrent", "recurrent", "attention"),
            attention_window_size=2048,
            conv1d_width=4,
            intermediate_size=7680,
            tie_word_embeddings=True,
        ),
    }
)
# the text model of a class that nests one and doesn't name it
_TEXT_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "aria": "aria_text",
        "aya_vision": "cohere2",
        "blip-2": "opt",
        "deepseek_vl": "llama",
        "ernie4_5_vl_moe": "ernie4_5_vl_moe_text",
        "fuyu": "persimmon",
        "gemma3": "gemma3_text",
        "gemma3n": "gemma3n_text",
        "gemma4": "gemma4_text",
        "gemma4_unified": "gemma4_text",
        "gemma4_unified_text": "gemma4_text",
        "glm4v": "glm4v_text",
        "glm4v_moe": "glm4v_moe_text",
        "glm_ocr": "glm_ocr_text",
        "granite_speech": "granite",
        "idefics2": "mistral",
        "idefics3": "llama",
        "instructblip": "opt",
        "internvl": "qwen2",
        "janus": "llama",
        "kimi_k25": "deepseek_v3",
        "llama4": "llama4_text",
        "llava": "llama",
        "llava_next": "llama",
        "llava_next_video": "llama",
        "llava_onevision": "qwen2",
        "mistral3": "mistral",
        "mllama": "mllama_text_model",
        "ovis2": "qwen2",
        "paddleocr_vl": "paddleocr_vl_text",
        "paligemma": "gemma",
        "qwen2_5_omni": "qwen2_5_omni_text",
        "qwen2_5_vl": "qwen2_5_vl_text",
        "qwen2_audio": "qwen2",
        "qwen2_vl": "qwen2_vl_text",
        "qwen3_5": "qwen3_5_text",
        "qwen3_5_moe": "qwen3_5_moe_text",
        "qwen3_omni_moe": "qwen3_omni_moe_text",
        "qwen3_vl": "qwen3_vl_text",
        "qwen3_vl_moe": "qwen3_vl_moe_text",
        "smolvlm": "llama",
        "video_llava": "llama",
        "vipllava": "llama",
        "voxtral": "llama",
    }
)


def class_defaults(config: Mapping[str, Any], text: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the defaults of a text model's class, its ``model_type`` among them; empty where unknown.

    Parameters
    ----------
    config, text : Mapping
        The whole file and the text model's keys in it.

    Examples
    --------
    >>> class_defaults({"model_type": "gemma3"}, {"hidden_size": 2560})["head_dim"]
    256
    """
    outer = config.get("model_type")
    named = text.get("model_type") or outer
    kind = _TEXT_CLASSES.get(named, named) if isinstance(named, str) else None
    found = {} if kind is None else {**class_shape(kind), **_DEFAULTS.get(kind, {})}
    return MappingProxyType({**found, "model_type": kind}) if found else NO_DEFAULTS
