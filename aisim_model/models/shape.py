"""What a pass needs of a model: its sizes, and where its parameters lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from aisim_model.arrays import Values
from aisim_model.models.kv_cache.families.base import hidden_size
from aisim_model.models.kv_cache.families.per_layer import layer_keys
from aisim_model.models.kv_cache.keys import ConfigError, Keys
from aisim_model.models.kv_cache.parts import HeadKv, LatentKv
from aisim_model.models.kv_cache.read import layer_kinds, text_keys
from aisim_model.models.weights import embedding_weights, mixers_weights
from aisim_model.models.weights.feed_forward import CHOSEN, EXPERTS, feed_forwards

if TYPE_CHECKING:
    from aisim_model.models.spec import ModelSpec


class Experts(NamedTuple):
    """What only a model's config says of its experts and its embedding.

    Parameters
    ----------
    experts, chosen : int
        Routed experts of a layer, and those that a token runs through [-]; 0 where there are none.
    layers : int
        Layers with experts [-].
    looked_up_parameters : int
        Parameters of which a token reads one row: an input embedding that isn't the head too [-].
    head_parameters, attention_parameters : int
        Of the head, and of what mixes tokens in all layers [-]; 0 in links of before 0.3.0.
    routed_parameters, width : int
        Of all routed experts, as the config sizes them, and columns of an expert's matrices [-].
    """

    experts: int = 0
    chosen: int = 0
    layers: int = 0
    looked_up_parameters: int = 0
    head_parameters: int = 0
    attention_parameters: int = 0
    routed_parameters: int = 0
    width: int = 0


class Shape(NamedTuple):
    """Sizes of a model as a pass feels them; every field a float, or an array of one for each of many models.

    Parameters
    ----------
    layers, attention_layers, window_layers, expert_layers : float
        All layers; those with attention over a request's tokens; those of them that keep a window; those
        with experts [-].
    hidden_size, attention_heads, head_dim : float
        Width, query heads of a layer, and elements of a head, the mean of key and value [-].
    dense_parameters, expert_parameters : float
        Parameters that every token multiplies with, and those of routed experts, all of them [-].
    routed_share : float
        Share of the experts that a token runs through [-]; 1 for a dense model.
    decode_flops_per_token : float
        Arithmetic of one decoding sequence's attention for each token of its context, all heads, windowed
        layers left out [FLOP]. In MLA every head works on the latent itself.
    chosen_experts : float
        Routed experts of a layer that a token runs through [-].
    """

    layers: Values
    attention_layers: Values
    window_layers: Values
    expert_layers: Values
    hidden_size: Values
    attention_heads: Values
    head_dim: Values
    dense_parameters: Values
    expert_parameters: Values
    routed_share: Values
    decode_flops_per_token: Values
    chosen_experts: Values = 0.0


def read_experts(config: Mapping[str, Any] | str | bytes) -> Experts:
    """Read experts and embedding from a config.json; none where it doesn't size them.

    Parameters
    ----------
    config : Mapping, str or bytes
        The file's text, or the object in it.

    Raises
    ------
    ConfigError
        For what is no model's config at all.

    Examples
    --------
    >>> sizes = {"n_layer": 12, "n_embd": 768, "n_head": 12, "n_inner": 3072, "vocab_size": 50257}
    >>> found = read_experts(sizes)
    >>> found.experts, found.head_parameters, found.attention_parameters
    (0, 38597376, 28311552)
    """
    keys = text_keys(config)
    kinds = layer_kinds(keys)
    try:
        own = layer_keys(keys, len(kinds))
        forwards = feed_forwards(own, kinds)
        head = hidden_size(keys) * keys.need("vocab_size", "padded_vocab_size", what="the embedding")
        looked_up = embedding_weights(keys) - head
        mixers = sum(mixers_weights(own, kinds))
    except ConfigError:  # the parameters aren't known either, and no roofline is asked for
        return Experts()
    sparse = sum(forward.total > forward.active for forward in forwards)
    experts, chosen = keys.whole(*EXPERTS, low=0) or 0, keys.whole(*CHOSEN, low=0) or 0
    idle = sum(forward.total - forward.active for forward in forwards)
    return Experts(
        experts=experts,
        chosen=chosen,
        layers=sparse,
        looked_up_parameters=looked_up,
        head_parameters=head,
        attention_parameters=mixers,
        routed_parameters=idle * experts // (experts - chosen) if chosen < experts else 0,
        width=_width(keys) if sparse else 0,
    )


def _width(keys: Keys) -> int:
    """Return the columns of an expert's matrices; 0 where a config lists them by layer [-]."""
    sizes = (keys.config.get(name) for name in ("moe_intermediate_size", "intermediate_size"))
    return next((size for size in sizes if isinstance(size, int) and not isinstance(size, bool)), 0)


def shape_of(spec: ModelSpec) -> Shape:
    """Work out a model's shape; without parameters where they are not known.

    Experts hold ``(total - active) / (1 - chosen / experts)``; where a config doesn't say how many there are,
    all parameters count as theirs, ``active / total`` of them chosen.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    """
    total, active, experts = (
        float(spec.total_parameters or 0),
        float(spec.active_parameters or 0),
        spec.experts,
    )
    share = 1.0
    if active < total:
        share = experts.chosen / experts.experts if 0 < experts.chosen < experts.experts else active / total
    in_experts = (total - active) / (1.0 - share) if share < 1.0 else 0.0
    windowed, decode_flops = _attention(spec)
    return Shape(
        layers=float(spec.layers),
        attention_layers=float(spec.attention_layers),
        window_layers=float(windowed),
        expert_layers=float(experts.layers),
        hidden_size=float(spec.hidden_size),
        attention_heads=float(spec.attention_heads),
        head_dim=float(spec.head_dim),
        dense_parameters=max(total - in_experts - experts.looked_up_parameters, 0.0),
        expert_parameters=in_experts,
        routed_share=share,
        decode_flops_per_token=decode_flops,
        chosen_experts=float(experts.chosen),
    )


def _attention(spec: ModelSpec) -> tuple[int, float]:
    """Return the layers that keep a window, and the FLOPs of decode attention for each token of context."""
    windowed, flops = 0, 0.0
    for index, count in Counter(spec.kv.order).items():
        for part in spec.kv.blocks[index]:
            if not isinstance(part, HeadKv | LatentKv):
                continue
            if part.window_tokens is not None:
                windowed += count
                continue
            # scores over key elements, values over value elements, 2 FLOPs each
            elements = 2.0 * spec.head_dim
            if isinstance(part, LatentKv):
                elements = (2.0 * part.latent_elements + part.rope_elements) / part.tokens_per_entry
            flops += count * 2.0 * spec.attention_heads * elements
    return windowed, flops
