"""Where the text model's keys stand in a file, and files that hold none."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aisim_model.models.kv_cache.class_defaults import is_encoder
from aisim_model.models.kv_cache.foreign import DECODER_LAYERS as _DECODER_LAYERS
from aisim_model.models.kv_cache.foreign import sized_within
from aisim_model.models.kv_cache.keys import HEADS, HIDDEN, KV_HEADS, LAYERS, ConfigError, Keys

NESTED = (
    "text_config",
    "thinker_config",
    "llm_config",
    "language_config",
    "language_model_config",
    "llm_cfg",
    "lm_config",
    "text_model_config",
    "decoder",
    "decoder_config",
    "model_config",
    "pretrained_config",
)
MAX_DEPTH = 4
# other files that lie beside a config.json, by a key that only they have
_ALWAYS_OTHER = ("peft_type", "_diffusers_version", "weight_map")
_OTHER_FILES: Mapping[str, str] = MappingProxyType(
    {
        "peft_type": "an adapter's config; choose the config.json of its base model",
        "base_model_name_or_path": "an adapter's config; choose the config.json of its base model",
        "added_tokens_decoder": "a tokenizer's config",
        "added_tokens": "a tokenizer",
        "chat_template": "a tokenizer's config",
        "image_processor_type": "a preprocessor's config",
        "feature_extractor_type": "a preprocessor's config",
        "weight_map": "an index of weight files",
        "producer": "a hf_quant_config.json; give it beside the model's config.json",
        "_diffusers_version": "an image pipeline",
        "tokenizer_class": "a tokenizer's config",
    }
)
_TASKS = (
    "MaskedLM",
    "EncoderModel",
    "ForAudioClassification",
    "ForCTC",
    "ForDepthEstimation",
    "ForImageClassification",
    "ForObjectDetection",
    "ForSemanticSegmentation",
)
# of detectors and of forecasts: they answer at once, encoder and decoder though they may have
_AT_ONCE = ("num_queries", "prediction_length")


def text_model(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Return the keys of the text model in a config, and the path to them.

    Examples
    --------
    >>> text_model({"thinker_config": {"text_config": {"num_hidden_layers": 28}}})[1]
    'thinker_config.text_config.'
    """
    found, path = config, ""
    for _ in range(MAX_DEPTH):
        name = next((name for name in NESTED if found.get(name) is not None), None)
        if name is None:
            break
        if name == "decoder_config" and "global_config" in found:
            return found, path  # a byte-latent model's decoder is one of its three models
        if not isinstance(found[name], Mapping):
            raise ConfigError(f"{path}{name}", found[name], "must be an object", "Correct the key.")
        inner = found[name]
        if _sized(found) and not _sized(inner) and not any(_nests(inner, deeper) for deeper in NESTED):
            break
        if _sized(found) and _sized(inner):
            _same_sizes(found, inner, f"{path}{name}.")
        found, path = inner, f"{path}{name}."
    if not _has_layers(found):
        found, path = sized_within(config) or (found, path)
    return found, path


def _nests(config: Mapping[str, Any], name: str) -> bool:
    return isinstance(config.get(name), Mapping)


def _sized(config: Mapping[str, Any]) -> bool:
    """Whether these keys size a model's layers and width by themselves."""
    return _has_layers(config) and any(config.get(name) is not None for name in HIDDEN)


def _has_layers(config: Mapping[str, Any]) -> bool:
    return any(config.get(name) is not None for name in (*LAYERS, *_DECODER_LAYERS))


def _same_sizes(outer: Mapping[str, Any], inner: Mapping[str, Any], path: str) -> None:
    """Refuse a file whose two levels size different text models."""
    for name in (*LAYERS, *HEADS, *KV_HEADS):
        one, other = outer.get(name), inner.get(name)
        if one is not None and other is not None and one != other:
            problem = f"contradicts {path}{name} = {other!r:.40}"
            raise ConfigError(name, one, problem, "Correct the one that is wrong.")


def refuse_others(keys: Keys) -> None:
    """Refuse a file that is no model's config, and a model that keeps no KV."""
    config, remedy = keys.config, "Choose the config.json of a model."
    names = (*LAYERS, *HEADS, *_DECODER_LAYERS, "encoder_layers")
    sized = any(name in config for name in names) or "num_hidden_layers" in keys.defaults
    for name in _ALWAYS_OTHER if sized else _OTHER_FILES:
        if name in config:
            raise ConfigError(name, config[name], f"shows that this is {_OTHER_FILES[name]}", remedy)
    if not sized:
        problem = "is not in the file, nor any other key of a model's size: this is no model's config.json"
        raise ConfigError(f"{keys.path}num_hidden_layers", None, problem, remedy)
    masked = any(part in str(name) for name in _architectures(keys) for part in _TASKS)
    token_types = "type_vocab_size" in config and keys.model_type != "xlnet"
    sensor = "feat_extract_norm" in config or ("patch_size" in config and "vocab_size" not in config)
    named = is_encoder(keys.model_type) or is_encoder(_outer_type(keys))
    encoder = named or masked or token_types or sensor
    decodes = config.get("is_decoder") is True or config.get("is_encoder_decoder") is True
    if any(name in config for name in _AT_ONCE) or (encoder and not decodes):
        problem = "is an encoder: it keeps no KV cache and hands nothing over"
        raise ConfigError(
            f"{keys.path}model_type", keys.model_type, problem, "Choose the config.json of a decoder."
        )


def _outer_type(keys: Keys) -> str:
    value = keys.outer.get("model_type")
    return value if isinstance(value, str) else ""


def _architectures(keys: Keys) -> list[Any]:
    value = keys.config.get("architectures") or keys.outer.get("architectures")
    return value[:4] if isinstance(value, list) else []
