"""Total and active parameters of a model, estimated from the sizes in its config.json.

Counted are the weight matrices: embeddings, attention or recurrent mixers, MLPs and experts, and the router.
Norms and biases are left out (about 0.01%), and so are vision and audio towers and MTP layers.
*Active* are those that one token runs through: all but the experts that the router does not choose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from aisim_model.models.kv_cache.families import FAMILIES
from aisim_model.models.kv_cache.families.base import Kind, hidden_size
from aisim_model.models.kv_cache.families.by_kind import for_kind
from aisim_model.models.kv_cache.families.heads import attention_heads, head_elements
from aisim_model.models.kv_cache.families.per_layer import layer_keys
from aisim_model.models.kv_cache.keys import ConfigError, Keys
from aisim_model.models.kv_cache.read import layer_kinds, text_keys
from aisim_model.models.weights.feed_forward import feed_forwards, intermediate_size, matrices


class ParameterEstimate(NamedTuple):
    """Parameters of a model, or the reason why they are not known.

    Parameters
    ----------
    total, active : int or None
        All parameters, and those that one token runs through [-].
    missing : str
        What the config lacks, as a sentence; empty where nothing is missing.
    """

    total: int | None
    active: int | None
    missing: str = ""


def estimate_parameters(config: Mapping[str, Any] | str | bytes) -> ParameterEstimate:
    """Estimate a model's parameters from its config.json.

    Parameters
    ----------
    config : Mapping, str or bytes
        The file's text, or the object in it.

    Returns
    -------
    ParameterEstimate
        Without figures, and with the missing key named, where the config doesn't size every matrix.

    Raises
    ------
    ConfigError
        For what is no model's config at all.

    Examples
    --------
    >>> estimate_parameters(
    ...     {
    ...         "num_hidden_layers": 32,
    ...         "hidden_size": 4096,
    ...         "intermediate_size": 11008,
    ...         "num_attention_heads": 32,
    ...         "vocab_size": 32000,
    ...         "hidden_act": "silu",
    ...         "tie_word_embeddings": False,
    ...     }
    ... ).total
    6738149376
    """
    keys = text_keys(config)
    kinds = layer_kinds(keys)
    keys = _with_nested_mlp(keys)
    if keys.has("num_mem_blocks") or keys.model_type.startswith("zamba"):
        return ParameterEstimate(
            None, None, "Attention blocks are shared between layers: enter the parameters."
        )
    try:
        total = active = embedding_weights(keys) + encoder_weights(keys)
        total += _layer_embeddings(keys, len(kinds))
        layers = layer_keys(keys, len(kinds))
        mixers, forwards = sum(mixers_weights(layers, kinds)), feed_forwards(layers, kinds)
        total += mixers + sum(forward.total for forward in forwards)
        active += mixers + sum(forward.active for forward in forwards)
    except ConfigError as error:
        return ParameterEstimate(None, None, str(error))
    return ParameterEstimate(total, active)


def mixer_weights(keys: Keys, kind: Kind) -> int:
    """Return the weights of what mixes tokens in a layer of a kind, by the first family that says them [-].

    Examples
    --------
    >>> mixer_weights(Keys({"hidden_size": 4096, "num_attention_heads": 32}), Kind("full"))
    67108864
    """
    own = for_kind(keys, kind)
    weighed = (family.weigh(own, kind) for family in FAMILIES)  # the last family always answers
    return next(weights for weights in weighed if weights is not None)


def mixers_weights(layers: Sequence[Keys], kinds: Sequence[Kind]) -> list[int]:
    """Return `mixer_weights` of each layer, first layer first; layers alike are weighed once [-]."""
    weighed: dict[tuple[int, Kind], int] = {}
    for keys, kind in zip(layers, kinds, strict=True):
        if (id(keys), kind) not in weighed:
            weighed[id(keys), kind] = mixer_weights(keys, kind)
    return [weighed[id(keys), kind] for keys, kind in zip(layers, kinds, strict=True)]


def embedding_weights(keys: Keys) -> int:
    """Return the weights of the embedding, twice where the head has its own [-]."""
    vocabulary = keys.need("vocab_size", "padded_vocab_size", what="the embedding")
    tied = keys.flag("tie_word_embeddings")
    if tied is None:
        outer = keys.outer.get("tie_word_embeddings")
        tied = outer if isinstance(outer, bool) else not keys.has("rms_norm_eps")
    return vocabulary * hidden_size(keys) * (1 if tied else 2)


def _layer_embeddings(keys: Keys, layers: int) -> int:
    """Return the weights of Gemma-3n's embeddings by layer, of which a token looks up one row [-]."""
    size = keys.whole("hidden_size_per_layer_input", low=0)
    vocabulary = keys.whole("vocab_size_per_layer_input", low=0)
    return layers * size * vocabulary if size and vocabulary else 0


def _with_nested_mlp(keys: Keys) -> Keys:
    """Return the keys with those of DBRX's nested MLP beside them."""
    if not keys.has("ffn_config"):
        return keys
    nested = keys.sub("ffn_config").config
    return Keys({**keys.config, **nested}, keys.path, keys.defaults, keys.outer)


def encoder_weights(keys: Keys) -> int:
    """Return the weights of an encoder before the decoder; 0 where there is none [-]."""
    layers = keys.whole("encoder_layers", "encoder_num_hidden_layers")
    if layers is None and keys.flag("is_encoder_decoder"):
        layers = keys.whole("num_layers")
    if layers is None:
        return 0
    heads = keys.whole("encoder_attention_heads") or attention_heads(keys)
    width = heads * head_elements(keys, heads)
    forward = keys.whole("encoder_ffn_dim") or intermediate_size(keys)
    return layers * hidden_size(keys) * (4 * width + matrices(keys) * forward)
