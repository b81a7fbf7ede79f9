"""Configs and metadata out of public issues, each with its source; bytes are worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.models.kv_cache import read_config

READ: dict[str, tuple[dict[str, Any], int, list[tuple[int, int]]]] = {
    # github.com/alvarobartt/hf-mem/issues/60: gpt-oss-120b; 18 x 8 x (64 + 64) x 2 B each
    "hf-mem#60": (
        {
            "model_type": "gpt_oss",
            "num_hidden_layers": 36,
            "num_attention_heads": 64,
            "num_key_value_heads": 8,
            "head_dim": 64,
            "sliding_window": 128,
            "layer_types": ["sliding_attention", "full_attention"] * 18,
        },
        36_864,
        [(36_864, 128)],
    ),
    # github.com/manjunathshiva/turboquant-mlx/pull/52: 8 of 88 layers attend, 8,192 B a token in all
    "turboquant-mlx#52": (
        {
            "model_type": "nemotron_h",
            "num_hidden_layers": 88,
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_key_value_heads": 2,
            "head_dim": 128,
            "hybrid_override_pattern": "MEMEMEM*EME" * 8,
            "ssm_state_size": 128,
            "mamba_num_heads": 128,
            "mamba_head_dim": 64,
            "n_groups": 8,
            "conv_kernel": 4,
        },
        8_192,
        [],
    ),
    # github.com/pytorch/executorch/pull/19251: layer i of Gemma 3 is full where (i + 1) % 6 == 0
    "executorch#19251": (
        {
            "model_type": "gemma3_text",
            "num_hidden_layers": 26,
            "hidden_size": 1152,
            "num_attention_heads": 4,
            "num_key_value_heads": 1,
            "head_dim": 256,
            "sliding_window": 512,
            "sliding_window_pattern": 6,
        },
        4 * 1_024,
        [(22 * 1_024, 512)],
    ),
    # github.com/huggingface/transformers/pull/39698: a pattern in letters
    "transformers#39698": (
        {
            "model_type": "exaone4",
            "num_hidden_layers": 64,
            "hidden_size": 5120,
            "num_attention_heads": 40,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "sliding_window": 4096,
            "sliding_window_pattern": "LLLG",
        },
        16 * 4_096,
        [(48 * 4_096, 4096)],
    ),
    # github.com/huggingface/transformers/pull/45514: sizes of Mamba, and no layer that is one
    "transformers#45514": (
        {
            "model_type": "granitemoehybrid",
            "num_hidden_layers": 4,
            "hidden_size": 1024,
            "num_attention_heads": 8,
            "num_key_value_heads": 2,
            "layers_block_type": ["attention"] * 4,
            "mamba_d_state": 128,
            "mamba_n_heads": 32,
        },
        4 * 2 * 256 * 2,
        [],
    ),
    # github.com/QwenLM/Qwen3/issues/679: a window as long as the longest prompt
    "Qwen3#679": (
        {
            "model_type": "qwen2_moe",
            "num_hidden_layers": 28,
            "hidden_size": 3584,
            "num_attention_heads": 28,
            "num_key_value_heads": 4,
            "max_position_embeddings": 131072,
            "sliding_window": 131072,
            "use_sliding_window": False,
            "max_window_layers": 28,
        },
        28 * 4 * 256 * 2,
        [],
    ),
    # github.com/huggingface/trl/pull/6268: KV heads that an MLA model has no use for
    "trl#6268": (
        {
            "model_type": "deepseek_v3",
            "num_hidden_layers": 2,
            "hidden_size": 16,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "kv_lora_rank": 512,
            "qk_rope_head_dim": 64,
        },
        2 * 576 * 2,
        [],
    ),
    # github.com/InternLM/lmdeploy/pull/2215: Mistral-Nemo, whose heads are not hidden size over heads
    "lmdeploy#2215": (
        {
            "model_type": "mistral",
            "num_hidden_layers": 40,
            "hidden_size": 5120,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "sliding_window": None,
        },
        163_840,
        [],
    ),
    # github.com/HabanaAI/vllm-fork/pull/1294: head_dim null means absent
    "vllm-fork#1294": (
        {
            "model_type": "llama",
            "num_hidden_layers": 32,
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "head_dim": None,
        },
        131_072,
        [],
    ),
    # github.com/openvinotoolkit/openvino.genai/pull/1355: no KV heads in the file; 32 x 32 x (64 + 64) x 2 B
    "openvino.genai#1355": (
        {"model_type": "phi", "num_hidden_layers": 32, "hidden_size": 2048, "num_attention_heads": 32},
        262_144,
        [],
    ),
    # github.com/NVIDIA/TensorRT-LLM/issues/2332: an engine's config.json without head_size
    "TensorRT-LLM#2332": (
        {
            "version": "0.13.0",
            "pretrained_config": {
                "architecture": "LlamaForCausalLM",
                "dtype": "bfloat16",
                "hidden_size": 4096,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "max_position_embeddings": 16384,
                "num_key_value_heads": 32,
                "moe": {"num_experts": 0, "top_k": 0},
                "mapping": {"world_size": 2, "tp_size": 2},
                "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"},
            },
        },
        524_288,
        [],
    ),
    # github.com/NVIDIA/TensorRT-LLM/issues/855: heads of 100 elements, 26 x 32 x (100 + 100) x 2 B
    "TensorRT-LLM#855": (
        {"model_type": "llama", "num_hidden_layers": 26, "hidden_size": 3200, "num_attention_heads": 32},
        332_800,
        [],
    ),
    # github.com/Mindinventory/MindSQL/issues/1: llama-cpp-python's metadata, its numbers as text
    "MindSQL#1": (
        {
            "general.architecture": "llama",
            "llama.context_length": "4096",
            "llama.embedding_length": "4096",
            "llama.rope.dimension_count": "128",
            "llama.attention.head_count": "32",
            "llama.block_count": "32",
            "llama.attention.head_count_kv": "32",
        },
        524_288,
        [],
    ),
    # github.com/abetlen/llama-cpp-python/pull/1497: Llama 3 8B
    "llama-cpp-python#1497": (
        {
            "general.architecture": "llama",
            "llama.block_count": 32,
            "llama.context_length": 8192,
            "llama.embedding_length": 4096,
            "llama.attention.head_count": 32,
            "llama.attention.head_count_kv": 8,
        },
        131_072,
        [],
    ),
    # github.com/ggml-org/llama.cpp/pull/23792: Qwen3.5; 16 of 64 layers x 4 x (256 + 256) x 2 B
    "llama.cpp#23792": (
        {
            "general.architecture": "qwen35",
            "qwen35.block_count": 64,
            "qwen35.context_length": 262144,
            "qwen35.embedding_length": 5120,
            "qwen35.attention.head_count": 24,
            "qwen35.attention.head_count_kv": 4,
            "qwen35.attention.key_length": 256,
            "qwen35.attention.value_length": 256,
            "qwen35.full_attention_interval": 4,
            "qwen35.ssm.conv_kernel": 4,
            "qwen35.ssm.state_size": 128,
            "qwen35.ssm.group_count": 16,
            "qwen35.ssm.time_step_rank": 48,
            "qwen35.ssm.inner_size": 6144,
        },
        65_536,
        [],
    ),
    # github.com/mlc-ai/web-llm/issues/478: -1 switches the window off
    "web-llm#478": (
        {
            "model_type": "mistral",
            "model_config": {
                "hidden_size": 4096,
                "num_attention_heads": 32,
                "num_hidden_layers": 32,
                "num_key_value_heads": 8,
                "head_dim": 128,
                "sliding_window_size": -1,
                "context_window_size": 4096,
            },
        },
        131_072,
        [],
    ),
    # github.com/MiniMax-AI/MiniMax-01/issues/29: heads of 128 at a width of 6,144; 10 of 80 layers in full
    "MiniMax-01#29": (
        {
            "model_type": "minimax_text_01",
            "num_hidden_layers": 80,
            "hidden_size": 6144,
            "num_attention_heads": 64,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "attn_type_list": [0, 0, 0, 0, 0, 0, 0, 1] * 10,
        },
        40_960,
        [],
    ),
    # github.com/AlexsJones/llmfit/issues/420: Qwen3.5-35B-A3B, 10 of 40 layers in full
    "llmfit#420": (
        {
            "text_config": {
                "model_type": "qwen3_5_moe_text",
                "num_hidden_layers": 40,
                "hidden_size": 2048,
                "num_attention_heads": 16,
                "num_key_value_heads": 2,
                "head_dim": 256,
                "full_attention_interval": 4,
            }
        },
        20_480,
        [],
    ),
    # github.com/vllm-project/tpu-inference/pull/2329: Gemma 4, heads of 512 in full and of 256 in a window
    "tpu-inference#2329": (
        {
            "num_hidden_layers": 6,
            "num_attention_heads": 8,
            "num_key_value_heads": 4,
            "hidden_size": 2560,
            "head_dim": 256,
            "global_head_dim": 512,
            "sliding_window": 1024,
            "layer_types": ["sliding_attention"] * 5 + ["full_attention"],
        },
        4 * 1_024 * 2,
        [(5 * 4 * 512 * 2, 1024)],
    ),
}


@pytest.mark.parametrize("source", READ)
def test_bytes_of_what_was_pasted(source: str) -> None:
    config, growing, windows = READ[source]
    curve = read_config(config).curve()
    assert curve.growing_bytes_per_token == growing
    assert [(window.bytes_per_token, window.window_tokens) for window in curve.windowed] == windows
