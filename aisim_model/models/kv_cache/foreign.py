"""Files of other tools that hold a model's sizes: MLC, TensorRT-LLM, ONNX GenAI, GGUF metadata as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from aisim_model.models.kv_cache.keys import HEADS, HIDDEN, KV_HEADS, LAYERS, MAX_LAYERS, ConfigError

MAX_DEPTH = 12
DECODER_LAYERS = ("decoder_layers", "num_decoder_layers", "decoder_num_hidden_layers", "block_configs")
# parts of a model that keep no KV of a request's own text, and what is no model at all
_OTHER_PARTS = re.compile(
    r"vision|visual|image|audio|speech|encoder|vit\b|siglip|clip|projector|adapter|resampler|draft|speculat"
    r"|eagle|mtp|talker|code_predictor|vocoder|tts|diffusion|quantiz|lora_config|depth|patcher|video"
)
# sizes in a GGUF file, after the architecture's name; source: ggml's gguf-py/gguf/constants.py
_GGUF: Mapping[str, str] = MappingProxyType(
    {
        "block_count": "num_hidden_layers",
        "embedding_length": "hidden_size",
        "context_length": "max_position_embeddings",
        "feed_forward_length": "intermediate_size",
        "vocab_size": "vocab_size",
        "expert_count": "num_experts",
        "expert_used_count": "num_experts_per_tok",
        "expert_feed_forward_length": "moe_intermediate_size",
        "leading_dense_block_count": "first_k_dense_replace",
        "nextn_predict_layers": "num_nextn_predict_layers",
        "attention.head_count": "num_attention_heads",
        "attention.head_count_kv": "num_key_value_heads",
        "attention.key_length": "head_dim",
        "attention.value_length": "v_head_dim",
        "attention.key_length_swa": "swa_head_dim",
        "attention.value_length_swa": "swa_v_head_dim",
        "attention.sliding_window": "sliding_window",
        "attention.shared_kv_layers": "num_kv_shared_layers",
        "attention.q_lora_rank": "q_lora_rank",
        "attention.kv_lora_rank": "kv_lora_rank",
        "attention.indexer.head_count": "index_n_heads",
        "attention.indexer.key_length": "index_head_dim",
        "attention.indexer.top_k": "index_topk",
        "rope.dimension_count": "qk_rope_head_dim",
        "full_attention_interval": "full_attention_interval",
        "shortconv.l_cache": "conv_L_cache",
        "wkv.head_size": "head_size",
    }
)
_DELTA = ("qwen3next", "qwen35", "qwen35moe")  # whose `ssm.` keys size gated DeltaNet


def in_config_keys(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a file with the keys of a config.json: as it is, or made of the GGUF metadata that it holds.

    Examples
    --------
    >>> in_config_keys({"model_info": {"llama.block_count": 32, "llama.attention.head_count": 8}})
    {'model_type': 'llama', 'global_head_dim': None, 'num_hidden_layers': 32, 'num_attention_heads': 8}
    """
    for _path, found in _objects(config):
        flat = _flat(found)
        name = next((key for key in flat if key.endswith(".block_count") and key.count(".") == 1), None)
        if name is not None:
            return _from_gguf(flat, name.split(".")[0])
    return config


def sized_within(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], str] | None:
    """Return the one object, at any depth, that sizes a text model, and the path to it; None without one.

    Raises
    ------
    ConfigError
        Where several objects size different models.

    Examples
    --------
    >>> sized_within({"a": {"b": {"num_layers": 2, "hidden_size": 64, "num_heads": 4}}})[1]
    'a.b.'
    """
    found = [(path, inner) for path, inner in _objects(config) if is_sized(inner)]
    sizes = {
        tuple(_first(inner, names) for names in ((*LAYERS, *DECODER_LAYERS), HEADS, KV_HEADS))
        for _path, inner in found
    }
    if len(sizes) > 1:
        paths = ", ".join(path.rstrip(".") for path, _ in found[:4])
        problem = "size different models in one file"
        raise ConfigError(paths, None, problem, "Give the object of the text model alone.")
    return (found[0][1], found[0][0]) if found else None


def is_sized(config: Mapping[str, Any]) -> bool:
    """Whether these keys size a model by themselves."""
    layers = _first(config, (*LAYERS, *DECODER_LAYERS)) is not None
    return layers and _first(config, (*HIDDEN, *HEADS)) is not None


def _first(config: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    value = next((config[name] for name in names if config.get(name) is not None), None)
    return str(value) if isinstance(value, list | dict) else value


def _objects(
    config: Mapping[str, Any], path: str = "", depth: int = 0
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every object of a file that may hold the text model, outer ones first."""
    yield path, config
    for name, value in config.items() if depth < MAX_DEPTH else ():
        if isinstance(value, Mapping) and not _OTHER_PARTS.search(str(name).lower()):
            yield from _objects(value, f"{path}{name}.", depth + 1)


def _flat(config: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Return nested GGUF keys with points between them; a dump's object of type and value as its value."""
    found: dict[str, Any] = {}
    for name, value in config.items():
        if isinstance(value, Mapping) and "value" in value and "type" in value:
            found[f"{prefix}{name}"] = value["value"]
        elif isinstance(value, Mapping) and depth < 4:
            found |= _flat(value, f"{prefix}{name}.", depth + 1)
        else:
            found[f"{prefix}{name}"] = value
    return found


def _from_gguf(flat: Mapping[str, Any], architecture: str) -> dict[str, Any]:
    """Return the metadata of a GGUF file under the names of a config.json."""
    start = f"{architecture}."
    own = {key.removeprefix(start): _number(value) for key, value in flat.items() if key.startswith(start)}
    # a class of that name may size layers in full apart, which these files do the other way round
    config: dict[str, Any] = {"model_type": architecture, "global_head_dim": None}
    config |= {name: own[key] for key, name in _GGUF.items() if own.get(key) is not None}
    latent = "kv_lora_rank" in config
    if not latent:
        config.pop("qk_rope_head_dim", None)
    else:
        config.pop("num_key_value_heads", None)  # 1 there: the latent is one head
        config["head_dim"] = own.get("attention.key_length_mla", config.get("head_dim"))
        config["v_head_dim"] = own.get("attention.value_length_mla", config.get("v_head_dim"))
    pattern = own.get("attention.sliding_window_pattern")
    if isinstance(pattern, list):
        config["layer_types"] = ["sliding_attention" if flag else "full_attention" for flag in pattern]
    elif pattern is not None:
        config["sliding_window_pattern"] = pattern
    return config | _gguf_states(own, architecture) | _gguf_layers(config, own)


def _number(value: Any) -> Any:
    """Return a whole number that stands as a text, as llama-cpp-python has its metadata, as the number."""
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 13 else value


def _gguf_states(own: Mapping[str, Any], architecture: str) -> dict[str, Any]:
    """Return the sizes of recurrent layers: gated DeltaNet in architectures that have it, else Mamba."""
    sizes = {key.removeprefix("ssm."): value for key, value in own.items() if key.startswith("ssm.")}
    if not sizes:
        return {}
    if architecture in _DELTA:
        heads, inner = sizes.get("time_step_rank"), sizes.get("inner_size")
        value = inner // heads if isinstance(heads, int) and isinstance(inner, int) and heads > 0 else None
        return {
            "linear_num_value_heads": heads,
            "linear_value_head_dim": value,
            "linear_num_key_heads": sizes.get("group_count"),
            "linear_key_head_dim": sizes.get("state_size"),
            "linear_conv_kernel_dim": sizes.get("conv_kernel"),
            "full_attention_interval": own.get("full_attention_interval", 4),
        }
    second = sizes.get("group_count") is not None  # Mamba 2: its time steps' rank counts its heads
    found = {
        "mamba_d_state": sizes.get("state_size"),
        "mamba_d_conv": sizes.get("conv_kernel"),
        "mamba_d_ssm": sizes.get("inner_size"),
        "mamba_n_groups": sizes.get("group_count"),
        "mamba_n_heads" if second else "mamba_dt_rank": sizes.get("time_step_rank"),
    }
    return {name: value for name, value in found.items() if value is not None}


def _gguf_layers(config: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kinds of layers where a list of KV heads says by 0 which layers have no attention."""
    counts = config.get("num_key_value_heads")
    if not isinstance(counts, list) or len(counts) > MAX_LAYERS or 0 not in counts:
        return {}
    other = "mamba" if any(key.startswith("ssm.") for key in own) else "conv"
    forward = own.get("feed_forward_length")
    widths = forward if isinstance(forward, list) and len(forward) == len(counts) else [0] * len(counts)
    kinds = [
        "full_attention" if count else "mlp" if width else other
        for count, width in zip(counts, widths, strict=True)
    ]
    heads = config.get("num_attention_heads")
    listed = {"num_attention_heads": max(heads)} if isinstance(heads, list) and heads else {}
    return {"layer_types": kinds, "num_key_value_heads": max(counts), **listed}
