"""Total and active parameters of a model, estimated from the sizes in its config.json.

Counted are the weight matrices: embeddings, attention or recurrent mixers, MLPs and experts, and the router.
Norms and biases are left out (about 0.01%), and so are vision and audio towers and MTP layers.
*Active* are those that one token runs through: all but the experts that the router does not choose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from aisim_model.kv_cache.families.base import Kind
from aisim_model.kv_cache.families.heads import attention_heads, heads_layer
from aisim_model.kv_cache.families.latent import is_latent
from aisim_model.kv_cache.keys import HIDDEN, ConfigError, Keys
from aisim_model.kv_cache.parts import HeadKv
from aisim_model.kv_cache.read import layer_kinds, text_keys

EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
CHOSEN = ("num_experts_per_tok", "experts_per_token", "top_k_experts", "moe_topk", "moe_top_k")
SHARED_SIZE = (
    "shared_expert_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "share_expert_dim",
    "shared_intermediate_size",
)
INTERMEDIATE = ("intermediate_size", "ffn_hidden_size", "ffn_dim", "n_inner", "hidden_dim", "d_ff")


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


class Weights(NamedTuple):
    """Weights of one piece: all, and those that one token runs through [-]."""

    total: int
    active: int


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
    try:
        total = active = embedding_weights(keys)
        for index, kind in enumerate(kinds):
            mixer, forward = mixer_weights(keys, kind), feed_forward_weights(keys, kinds, index)
            total += mixer + forward.total
            active += mixer + forward.active
    except ConfigError as error:
        return ParameterEstimate(None, None, str(error))
    return ParameterEstimate(total, active)


def embedding_weights(keys: Keys) -> int:
    """Return the weights of the embedding, twice where the head has its own [-]."""
    vocabulary = keys.need("vocab_size", "padded_vocab_size", what="the embedding")
    tied = keys.flag("tie_word_embeddings")
    if tied is None:
        tied = keys.outer.get("tie_word_embeddings") is True or not keys.has("rms_norm_eps")
    return vocabulary * hidden_size(keys) * (1 if tied else 2)


def hidden_size(keys: Keys) -> int:
    """Return the width of the residual stream [-]."""
    return keys.need(*HIDDEN, what="the size of the weights")


def mixer_weights(keys: Keys, kind: Kind) -> int:
    """Return the weights of what mixes tokens in one layer [-]."""
    if kind.name in ("none", "mlp", "moe"):
        return 0
    return latent_weights(keys) if is_latent(keys) else heads_weights(keys, kind)


def heads_weights(keys: Keys, kind: Kind) -> int:
    """Return the query, key, value and output matrices of one layer [-]."""
    hidden, heads = hidden_size(keys), attention_heads(keys)
    part = heads_layer(keys, kind)[0]
    if not isinstance(part, HeadKv):
        return 0
    both = part.key_elements + part.value_elements
    gate = heads * part.key_elements if keys.flag("attn_output_gate") else 0
    return hidden * (both * (heads + part.kv_heads) + gate)


def latent_weights(keys: Keys) -> int:
    """Return the matrices of one MLA layer, its indexer counted [-]."""
    hidden, heads = hidden_size(keys), attention_heads(keys)
    latent = keys.need("kv_lora_rank", what="the latent")
    nope = keys.need("qk_nope_head_dim", what="the size of a query head")
    rope = keys.whole("qk_rope_head_dim", low=0) or 0
    value = keys.need("v_head_dim", what="the size of a value head")
    low_rank = keys.whole("q_lora_rank", low=0)
    query = heads * (nope + rope)
    total = low_rank * (hidden + query) if low_rank else hidden * query
    total += hidden * (latent + rope) + latent * heads * (nope + value) + heads * value * hidden
    index_heads, index_size = keys.whole("index_n_heads"), keys.whole("index_head_dim")
    if index_heads and index_size:
        total += (low_rank or hidden) * index_heads * index_size + hidden * (index_size + index_heads)
    return total


def feed_forward_weights(keys: Keys, kinds: Sequence[Kind], index: int) -> Weights:
    """Return the weights of a layer's MLP or experts [-]."""
    blocks = any(kind.name in ("mlp", "moe") for kind in kinds)
    if blocks and kinds[index].name not in ("mlp", "moe"):
        return Weights(0, 0)
    experts = keys.whole(*EXPERTS)
    sparse = kinds[index].name == "moe" if blocks else _is_sparse(keys, index)
    if experts is None or experts == 1 or not sparse:
        dense = keys.whole("intermediate_size_mlp", "dense_intermediate_size") or _intermediate(keys)
        return Weights(*[_matrices(keys) * hidden_size(keys) * dense] * 2)
    size = keys.whole("moe_intermediate_size", "expert_ffn_hidden_size") or _intermediate(keys)
    chosen = keys.need(*CHOSEN, what="the active parameters")
    one = _matrices(keys) * hidden_size(keys) * size
    common = hidden_size(keys) * (experts + _matrices(keys) * _shared(keys, size))
    return Weights(experts * one + common, chosen * one + common)


def _matrices(keys: Keys) -> int:
    """Return 3 for a gated MLP, 2 for a plain one."""
    act = keys.raw("hidden_act", "hidden_activation", "mlp_hidden_act", "activation_function")
    gated = act in ("silu", "swish", "swiglu", "swigluoai") or keys.has("rms_norm_eps", "rmsnorm")
    return 3 if gated and act != "relu2" else 2


def _intermediate(keys: Keys) -> int:
    return keys.whole(*INTERMEDIATE) or 4 * hidden_size(keys)


def _shared(keys: Keys, size: int) -> int:
    """Return the width of the experts that every token runs through [-]."""
    count = keys.whole("n_shared_experts", "num_shared_experts", "num_shared_expert", low=0)
    return keys.whole(*SHARED_SIZE, low=0) or (count or 0) * size


def _is_sparse(keys: Keys, index: int) -> bool:
    """Whether a layer has experts."""
    if index < (keys.whole("first_k_dense_replace", low=0) or 0):
        return False
    if index in (keys.items("mlp_only_layers") or []):
        return False
    listed = keys.raw("moe_layer_freq")
    if isinstance(listed, list):
        return bool(listed[index]) if index < len(listed) else True
    step = keys.whole("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_freq")
    if keys.has("expert_layer_period"):
        offset = keys.whole("expert_layer_offset", low=0) or 0
        return index % keys.need("expert_layer_period", what="the experts") == offset
    return (index + 1) % step == 0 if step else True
