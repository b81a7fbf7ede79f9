"""Files of other tools: GGUF metadata as JSON, TensorRT-LLM, MLC, ONNX Runtime GenAI, at any depth."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.models.kv_cache import ConfigError, read_config

LLAMA_GGUF: dict[str, Any] = {
    "general.architecture": "llama",
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
    "llama.block_count": 32,
    "llama.context_length": 8192,
    "llama.embedding_length": 4096,
    "llama.rope.dimension_count": 128,
}
LLAMA_BYTES = 32 * 8 * 256 * 2
SIZES: dict[str, Any] = {
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
}


@pytest.mark.parametrize(
    ("config", "growing"),
    [
        # an answer of /api/show: github.com/ollama/ollama docs/api.md
        ({"details": {"family": "llama"}, "model_info": LLAMA_GGUF}, LLAMA_BYTES),
        (LLAMA_GGUF, LLAMA_BYTES),
        # gguf-py's dump as JSON: github.com/ggml-org/llama.cpp gguf-py/gguf/scripts/gguf_dump.py
        (
            {
                "metadata": {
                    key: {"index": 1, "type": "UINT32", "offset": 32, "value": value}
                    for key, value in LLAMA_GGUF.items()
                }
            },
            LLAMA_BYTES,
        ),
        # llama-3.2-3B of github.com/ollama/ollama; 28 x 8 x (128 + 128) x 2 B
        (
            {
                "gguf": {
                    "llama": {
                        "block_count": 28,
                        "embedding_length": 3072,
                        "attention": {"head_count": 24, "head_count_kv": 8},
                    }
                }
            },
            28 * 8 * 256 * 2,
        ),
        # a checkpoint's config.json:
        # github.com/NVIDIA/TensorRT-LLM docs/source/legacy/architecture/checkpoint.md
        (
            {**SIZES, "architecture": "LlamaForCausalLM", "head_size": 128, "mapping": {"tp_size": 2}},
            LLAMA_BYTES,
        ),
        # an engine's config.json: the same under pretrained_config, beside build_config
        (
            {
                "version": "0.18.0",
                "pretrained_config": {**SIZES, "head_size": 64},
                "build_config": {"max_seq_len": 8},
            },
            LLAMA_BYTES // 2,
        ),
        # older engines: builder_config with short names (TensorRT-LLM 0.7)
        (
            {
                "builder_config": {"num_layers": 32, "num_heads": 32, "num_kv_heads": 8, "hidden_size": 4096},
                "plugin_config": {"gpt_attention_plugin": "float16"},
            },
            LLAMA_BYTES,
        ),
        # github.com/mlc-ai/mlc-llm docs/deploy/mlc_chat_config.rst; -1 is no window
        (
            {
                "model_type": "llama",
                "model_config": {**SIZES, "head_dim": 128, "prefill_chunk_size": 8192},
                "sliding_window_size": -1,
                "context_window_size": 8192,
            },
            LLAMA_BYTES,
        ),
        # github.com/microsoft/onnxruntime-genai docs: genai_config.json
        (
            {
                "model": {
                    "context_length": 131072,
                    "decoder": {**SIZES, "head_size": 128, "inputs": {"input_ids": "input_ids"}},
                    "type": "llama",
                },
                "search": {"max_length": 131072},
            },
            LLAMA_BYTES,
        ),
        # a vision encoder beside it has other sizes
        (
            {
                "model": {
                    "decoder": {**SIZES, "head_size": 128},
                    "vision": {"num_hidden_layers": 24, "hidden_size": 1024, "num_attention_heads": 16},
                }
            },
            LLAMA_BYTES,
        ),
        # NeMo's checkpoint: github.com/NVIDIA/NeMo model_config.yaml, as JSON
        (
            {
                "trainer": {"devices": 8},
                "model": {**SIZES, "kv_channels": 128, "optim": {"name": "fused_adam"}},
            },
            LLAMA_BYTES,
        ),
        ({"a": {"b": {"c": {"d": {"e": {"config": SIZES}}}}}}, LLAMA_BYTES),
    ],
)
def test_sizes_at_any_depth(config: dict[str, Any], growing: int) -> None:
    assert read_config(config).curve().growing_bytes_per_token == growing


def test_sizes_deeper_in_the_file_come_before_those_of_the_class() -> None:
    config = {"model_type": "llama", "engine": {"sizes": {**SIZES, "num_hidden_layers": 4}}}
    assert read_config(config).layers == 4


def test_two_models_in_one_file_are_asked_about() -> None:
    with pytest.raises(ConfigError, match="size different models"):
        read_config({"first": SIZES, "second": {**SIZES, "num_hidden_layers": 4}})


def test_windows_in_gguf_metadata() -> None:
    # 4 windows of 2 x (128 + 128) x 2 B, 2 layers in full of 2 x (256 + 256) x 2 B
    # keys: github.com/ggml-org/llama.cpp gguf-py/gguf/constants.py
    metadata = {
        "general.architecture": "gemma4",
        "gemma4.block_count": 6,
        "gemma4.embedding_length": 1024,
        "gemma4.attention.head_count": 8,
        "gemma4.attention.head_count_kv": 2,
        "gemma4.attention.key_length": 256,
        "gemma4.attention.value_length": 256,
        "gemma4.attention.key_length_swa": 128,
        "gemma4.attention.value_length_swa": 128,
        "gemma4.attention.sliding_window": 512,
        "gemma4.attention.sliding_window_pattern": [True, True, False, True, True, False],
    }
    curve = read_config(metadata).curve()
    assert (curve.growing_bytes_per_token, curve.windowed[0].bytes_per_token) == (4_096, 4_096)
    del metadata["gemma4.attention.sliding_window_pattern"]
    metadata["general.architecture"] = "unheard"
    with pytest.raises(ConfigError, match="swa_head_dim"):
        read_config({key.replace("gemma4", "unheard"): value for key, value in metadata.items()})


def test_latents_in_gguf_metadata() -> None:
    # 27 x (512 + 64) x 2 B: DeepSeek-V2-Lite
    metadata = {
        "deepseek2.block_count": 27,
        "deepseek2.embedding_length": 2048,
        "deepseek2.attention.head_count": 16,
        "deepseek2.attention.head_count_kv": 1,
        "deepseek2.attention.key_length": 576,
        "deepseek2.attention.value_length": 512,
        "deepseek2.attention.kv_lora_rank": 512,
        "deepseek2.rope.dimension_count": 64,
    }
    assert read_config(metadata).curve().growing_bytes_per_token == 31_104


def test_recurrent_layers_in_gguf_metadata() -> None:
    # Qwen3-Next: 12 of 48 layers x 2 x (256 + 256) x 2 B, 36 states of gated DeltaNet
    metadata = {
        "qwen3next.block_count": 48,
        "qwen3next.embedding_length": 2048,
        "qwen3next.attention.head_count": 16,
        "qwen3next.attention.head_count_kv": 2,
        "qwen3next.attention.key_length": 256,
        "qwen3next.attention.value_length": 256,
        "qwen3next.ssm.conv_kernel": 4,
        "qwen3next.ssm.state_size": 128,
        "qwen3next.ssm.group_count": 16,
        "qwen3next.ssm.time_step_rank": 32,
        "qwen3next.ssm.inner_size": 4096,
    }
    curve = read_config(metadata).curve()
    assert (curve.growing_bytes_per_token, curve.constant_bytes) == (24_576, 36 * (2_097_152 + 49_152))


def test_layers_without_kv_heads_in_gguf_metadata() -> None:
    # a list of KV heads has 0 where a layer is recurrent: 2 x 4 x (128 + 128) x 2 B
    # a state of 2,048 x 16 x 4 B and 3 x 2,048 x 2 B
    metadata = {
        "jamba.block_count": 8,
        "jamba.embedding_length": 1024,
        "jamba.attention.head_count": 8,
        "jamba.attention.head_count_kv": [0, 0, 0, 4, 0, 0, 0, 4],
        "jamba.ssm.conv_kernel": 4,
        "jamba.ssm.inner_size": 2048,
        "jamba.ssm.state_size": 16,
        "jamba.ssm.time_step_rank": 64,
    }
    curve = read_config(metadata).curve()
    assert (curve.growing_bytes_per_token, curve.constant_bytes) == (4_096, 6 * (131_072 + 12_288))


def test_a_window_as_an_object() -> None:
    # ONNX Runtime GenAI: 16 of 32 layers keep 1,024 tokens
    decoder = {
        **SIZES,
        "sliding_window": {"window_size": 1024, "alignment": "right", "layers": list(range(0, 32, 2))},
    }
    curve = read_config({"model": {"type": "gptoss", "decoder": decoder}}).curve()
    assert (curve.growing_bytes_per_token, curve.windowed[0].bytes_per_token) == (LLAMA_BYTES // 2,) * 2
