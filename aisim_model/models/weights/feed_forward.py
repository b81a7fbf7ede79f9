"""Weights of a layer's MLP or experts, and of their router."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from aisim_model.models.kv_cache.families.base import Kind, hidden_size
from aisim_model.models.kv_cache.families.mamba import has_attention
from aisim_model.models.kv_cache.keys import Keys

EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
CHOSEN = (
    "num_experts_per_tok",
    "num_experts_per_token",
    "experts_per_token",
    "top_k_experts",
    "moe_topk",
    "moe_top_k",
    "moe_k",
)
SHARED_COUNT = ("n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts")
SHARED_SIZE = (
    "shared_expert_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "share_expert_dim",
    "shared_intermediate_size",
)
INTERMEDIATE = (
    "intermediate_size",
    "ffn_hidden_size",
    "ffn_dim",
    "decoder_ffn_dim",
    "n_inner",
    "hidden_dim",
    "d_ff",
    "block_ff_dim",
    "dff",
)
EXPERT_SIZES = ("moe_intermediate_size", "expert_ffn_hidden_size")
_BY_LAYER = (*EXPERTS, *CHOSEN, *SHARED_COUNT, *INTERMEDIATE, *EXPERT_SIZES, "block_configs")
MAX_FFN_MULT = 100
GATED_MATRICES, PLAIN_MATRICES = 3, 2
PLAIN_ACTIVATIONS = ("relu2", "xielu")
GATED_CLASSES = ("qwen", "bitnet")
GATED_ACTIVATIONS = ("silu", "swish", "swiglu", "swigluoai", "situ")
PLAIN_SIGNS = ("layer_norm_epsilon", "layer_norm_eps", "activation_function", "norm_epsilon", "d_model")


class Weights(NamedTuple):
    """Weights of one piece: all, and those that one token runs through [-]."""

    total: int
    active: int


def feed_forwards(layers: Sequence[Keys], kinds: Sequence[Kind]) -> list[Weights]:
    """Return the weights of each layer's MLP or experts, first layer first; layers alike are weighed once.

    Parameters
    ----------
    layers : sequence of Keys
        The keys of each layer.
    kinds : sequence of Kind
        The kind of each.

    Examples
    --------
    >>> sizes = Keys({"hidden_size": 64, "intermediate_size": 256, "hidden_act": "silu"})
    >>> feed_forwards([sizes] * 2, [Kind("full")] * 2)[1]
    Weights(total=49152, active=49152)
    """
    blocks = any(kind.name in ("mlp", "moe") for kind in kinds)
    # by keys' identity: which layers have experts, and what is listed by layer
    read: dict[int, tuple[Callable[[int], bool], list[Sequence[Any]]]] = {}
    weighed: dict[tuple[object, ...], Weights] = {}
    found = []
    for index, (keys, kind) in enumerate(zip(layers, kinds, strict=True)):
        if id(keys) not in read:
            read[id(keys)] = (
                _sparse(keys),
                [value for name in _BY_LAYER if isinstance(value := keys.config.get(name), list)],
            )
        is_sparse, lists = read[id(keys)]
        sparse = kind.name == "moe" if blocks else is_sparse(index)
        # LongCat's layers are two blocks each
        alike = (id(keys), kind.name, sparse, index % 2, *(repr(each[index : index + 1]) for each in lists))
        if alike not in weighed:
            weighed[alike] = _feed_forward(keys, kind, index, blocks, sparse)
        found.append(weighed[alike])
    return found


def _feed_forward(keys: Keys, kind: Kind, index: int, blocks: bool, sparse: bool) -> Weights:
    """Return the weights of one layer's MLP or experts, its `blocks` being layers of their own or not."""
    if blocks and kind.name not in ("mlp", "moe"):
        return Weights(0, 0)
    if kind.name == "mamba" and not has_attention(keys):
        return Weights(0, 0)  # Mamba alone has no MLP
    if keys.has("block_configs"):
        return Weights(*[_pruned(keys, index)] * 2)
    experts = _at(keys, EXPERTS, index)
    if keys.model_type == "longcat_flash" and experts:
        # two attention blocks share one set of experts, and have an MLP each
        each = _mlp(keys, intermediate_size(keys))
        found = _experts(keys, index, experts) if index % 2 == 0 else Weights(0, 0)
        return Weights(each + found.total, each + found.active)
    if not experts or experts == 1 or not sparse:
        width = keys.whole("intermediate_size_mlp", "dense_intermediate_size")
        return Weights(*[_mlp(keys, width or intermediate_size(keys, index))] * 2)
    return _experts(keys, index, experts)


def _experts(keys: Keys, index: int, experts: int) -> Weights:
    """Return the weights of a layer's experts, its router and what every token runs through."""
    size = _at(keys, EXPERT_SIZES, index) or intermediate_size(keys, index)
    chosen = _at(keys, CHOSEN, index)
    if chosen is None:
        raise keys.missing(CHOSEN[0], "the active parameters")
    hidden, latent = hidden_size(keys), keys.whole("moe_latent_size", "routed_expert_hidden_size")
    one = matrices(keys) * (latent or hidden) * size
    common = hidden * experts + _mlp(keys, _shared(keys, size, index)) + 2 * hidden * (latent or 0)
    if keys.flag("enable_moe_block"):
        common += _mlp(keys, intermediate_size(keys, index))
    # some of the chosen may be experts that do nothing
    working = chosen * experts // (experts + (keys.whole("zero_expert_num", low=0) or 0))
    return Weights(experts * one + common, working * one + common)


def _at(keys: Keys, names: Sequence[str], index: int) -> int | None:
    """Return a size that may be listed by layer; None where it isn't declared."""
    for name in names:
        value = keys.config.get(name)
        if isinstance(value, list):
            if index >= len(value):
                raise keys.contradiction(name, f"{len(value)} entries", f"layer {index}")
            return keys.checked(name, value[index], low=0)
    return keys.whole(*names, low=0)


def _mlp(keys: Keys, width: int) -> int:
    return matrices(keys) * hidden_size(keys) * width


def matrices(keys: Keys) -> int:
    """Return how many matrices an MLP has: gated ones three, plain ones two."""
    act = keys.raw("hidden_act", "hidden_activation", "mlp_hidden_act", "activation_function")
    if keys.has("ffn_act_fn") or keys.model_type in GATED_CLASSES:
        return GATED_MATRICES
    if act in PLAIN_ACTIVATIONS or keys.model_type.startswith("rwkv"):
        return PLAIN_MATRICES
    gated = act in GATED_ACTIVATIONS or keys.has("rms_norm_eps", "rmsnorm")
    gated = gated or "gated" in str(keys.config.get("feed_forward_proj"))  # T5 1.1
    return GATED_MATRICES if gated or not keys.has(*PLAIN_SIGNS) else PLAIN_MATRICES


def intermediate_size(keys: Keys, index: int = 0) -> int:
    """Return the width of a layer's MLP [-]."""
    width = _at(keys, INTERMEDIATE, index)
    if width is None and keys.model_type in ("rwkv5", "rwkv6"):
        return int(3.5 * hidden_size(keys)) // 32 * 32  # as the class rounds
    adjusted = keys.flag("block_auto_adjust_ff_dim")
    if adjusted or (adjusted is None and keys.has("block_ff_dim")):
        return math.ceil(2 * (width or 0) // 3 / 256) * 256  # LFM2 takes two thirds, in steps of 256
    if width is None and matrices(keys) > PLAIN_MATRICES:
        raise keys.missing(INTERMEDIATE[0], "the size of the MLP")
    width = width or 4 * hidden_size(keys)  # what GPT-2, BLOOM, Falcon and MPT take for granted
    # the first Qwen declares both of its gated halves as one
    return width // 2 if keys.model_type == "qwen" else width


def _shared(keys: Keys, size: int, index: int) -> int:
    """Return the width of the experts that every token runs through [-]."""
    if keys.has("intermediate_size_mlp"):
        return size  # Llama-4 has one such expert, without a key
    count = _at(keys, SHARED_COUNT, index)
    return keys.whole(*SHARED_SIZE, low=0) or (count or 0) * size


def _pruned(keys: Keys, index: int) -> int:
    """Return the MLP of a block of its own width, none, or one matrix."""
    blocks = keys.items("block_configs") or []
    block = blocks[index] if index < len(blocks) and isinstance(blocks[index], Mapping) else {}
    forward = Keys(block, f"{keys.path}block_configs[{index}].").sub("ffn")
    if forward.flag("no_op"):
        return 0
    hidden = hidden_size(keys)
    if forward.flag("replace_with_linear"):
        return hidden * hidden
    width = forward.whole("intermediate_size")
    if width is None:
        times = forward.raw("ffn_mult")
        if isinstance(times, bool) or not isinstance(times, int | float) or not 0 < times < MAX_FFN_MULT:
            raise forward.refused("ffn_mult", times, f"must be a number above 0 and below {MAX_FFN_MULT}")
        width = math.ceil(int(2 * times * hidden / 3) / 256) * 256  # in steps of 256, as the class rounds
    return _mlp(keys, width)


def _sparse(keys: Keys) -> Callable[[int], bool]:
    """Return what says whether a layer has experts, the config's lists read once."""
    if keys.flag("is_moe") is False:
        return lambda index: False
    kinds = keys.items("mlp_layer_types") or []
    dense = keys.whole("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index", low=0) or 0
    only = {place for place in keys.items("mlp_only_layers") or [] if isinstance(place, int)}
    listed = keys.config.get("moe_layer_freq")
    period = keys.whole("expert_layer_period")
    offset = keys.whole("expert_layer_offset", low=0) or 0
    step = keys.whole("decoder_sparse_step", "interleave_moe_layer_step")

    def is_sparse(index: int) -> bool:
        if index < len(kinds):
            return bool(kinds[index] != "dense")
        if index < dense or index in only:
            return False
        if isinstance(listed, list):
            return bool(listed[index]) if index < len(listed) else True
        if period is not None:
            return index % period == offset
        return (index + 1) % step == 0 if step else True

    return is_sparse
