"""MHA, GQA, MQA: keys and values by head, and the many names of the number of KV heads."""

from __future__ import annotations

from collections.abc import Sequence

from aisim_model.models.kv_cache.families.base import Family, Kind, fitted, hidden_size, layer_count
from aisim_model.models.kv_cache.keys import HEADS, HIDDEN, KV_HEADS, Keys
from aisim_model.models.kv_cache.parts import HeadKv, Layer, State

# in this order: Zamba-2 declares kv_channels besides, of another size
HEAD_DIMS = (
    ("head_dim", "attention_head_dim", "head_size"),
    ("kv_channels",),
    ("d_kv",),
    ("d_head",),
    ("dim_head",),
    ("hidden_size_per_head",),
)
LISTED_KV_HEADS = (*KV_HEADS, "num_key_value_heads_per_layer")
ATTENDING = ("full", "sliding", "chunked", "hybrid", "convolved", "convolved_sliding")
SLIDING_KV_HEADS = ("swa_num_key_value_heads", "num_swa_key_value_heads")
DECODER_HEADS = ("decoder_attention_heads", "decoder_num_attention_heads")
TWICE_AS_MANY = ("mimo_v2_flash",)
SLIDING_HEADS = ("swa_num_attention_heads", "num_swa_attention_heads")


def attention_heads(keys: Keys) -> int:
    """Return the query heads [-]."""
    return keys.whole(*DECODER_HEADS) or keys.need(*HEADS, what="the KV heads")


def kv_heads(keys: Keys) -> int:
    """Return the KV heads [-]: as declared, one for multi-query, all where nothing says else."""
    declared, heads = keys.whole(*KV_HEADS), keys.whole(*HEADS)
    nested = keys.sub("attn_config") if keys.has("attn_config") else None
    if nested is not None:
        declared = nested.whole("kv_n_heads") or declared
        if declared is None and nested.text("attn_type") == "multiquery_attention":
            return 1
    grouped = keys.flag("multi_query_attention")
    if grouped or (grouped is None and declared is None and keys.has("multi_query_group_num")):
        return keys.whole("multi_query_group_num") or 1
    if keys.flag("multi_query") and not keys.flag("new_decoder_architecture"):
        if declared not in (None, 1, heads):
            raise keys.contradiction("multi_query", True, f"{_name(keys)} = {declared}")
        return 1
    if declared is None:
        if (not keys.defaults or keys.has("rms_norm_eps")) and not keys.has("proj_groups"):
            keys.note(f"{KV_HEADS[0]} is not in the config: as many KV heads as query heads are taken.")
        return _grouped(keys, attention_heads(keys))
    if heads is not None and heads % declared:
        name = next((key for key in HEADS if keys.has(key)), HEADS[0])
        raise keys.contradiction(_name(keys), declared, f"{name} = {heads}, which it must divide")
    return declared


def _grouped(keys: Keys, heads: int) -> int:
    """Return the heads over how many share one (StripedHyena); all where none do [-]."""
    shared = keys.whole("proj_groups") or 1
    if heads % shared:
        raise keys.contradiction("proj_groups", shared, f"{HEADS[0]} = {heads}, which it must divide")
    return heads // shared


def head_elements(keys: Keys, query_heads: int | None = None) -> int:
    """Return the elements of one head [-]: as declared, else the width over the query heads, if whole."""
    for names in HEAD_DIMS:
        declared = keys.whole(*names)
        if declared is not None:
            return declared
    heads = query_heads or attention_heads(keys)
    width = keys.whole("attention_hidden_size") or keys.need(*HIDDEN, what="the size of a head")
    if width % heads:
        problem = f"is not in the config, and hidden size {width} over {heads} heads is not whole"
        raise keys.refused("head_dim", None, problem)
    if width // heads % 8:  # the width of few real heads
        keys.note(f"head_dim is not in the config: {width // heads}, hidden size over heads, is taken.")
    return width // heads


def heads_layer(keys: Keys, kind: Kind, window_tokens: int | None = None) -> Layer:
    """Return what a layer of plain attention keeps, in a window or in full."""
    if kind.name == "sliding":
        count, key = _sliding_heads(keys), keys.whole("swa_head_dim")
        query = keys.whole(*SLIDING_HEADS)
        own_value = keys.whole("swa_v_head_dim")
    elif kind.name == "full" and keys.raw("global_head_dim") is not None:
        # Gemma-4 stores keys and values both, though it makes them of one matrix
        split = keys.flag("attention_k_eq_v") is False
        count = None if split else keys.whole("num_global_key_value_heads")
        key, query, own_value = keys.whole("global_head_dim"), None, None
    else:
        count = key = query = own_value = None
    query = kind.query_heads or query
    elements = key or head_elements(keys, query)
    value = own_value or (key if key else keys.whole("v_head_dim", low=0)) or elements
    part = HeadKv(
        kv_heads=kind.kv_heads or count or kv_heads(keys),
        key_elements=elements,
        value_elements=value,
        window_tokens=window_tokens,
        chunked=kind.name == "chunked",
    )
    taps = keys.whole("conv_window")
    return (part,) if taps is None else (part, _convolved(keys, part, taps))


def _sliding_heads(keys: Keys) -> int | None:
    """Return the KV heads of layers in a window; None where they have as many as the others [-]."""
    count = keys.whole(*SLIDING_KV_HEADS)
    if count is not None or keys.model_type not in TWICE_AS_MANY:
        return count
    keys.note(f"The class {keys.model_type} gives layers in a window twice the KV heads of the others.")
    return 2 * kv_heads(keys)


def _convolved(keys: Keys, part: HeadKv, taps: int) -> State:
    """Return the keys and values before, where a convolution runs over them (Baichuan-M1)."""
    each = part.kv_heads * (part.key_elements + part.value_elements)
    return State(heads=part.kv_heads, recurrent_bytes=0, conv_bytes=each * (taps - 1) * keys.dtype_bytes)


def _name(keys: Keys) -> str:
    return next((name for name in KV_HEADS if keys.has(name)), KV_HEADS[0])


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    """Every layer in full."""
    if keys.whole("qk_nope_head_dim", low=0) and not keys.has("use_mla"):
        raise keys.missing("kv_lora_rank", "what an MLA layer keeps")
    if keys.has("sparse_attention_config"):
        keys.note(
            "Keys and values are kept in full; index keys that an engine may keep besides are not counted."
        )
    return [Kind("full")] * layer_count(keys)


def with_listed_heads(keys: Keys, kinds: Sequence[Kind]) -> Sequence[Kind]:
    """Give each layer with attention its own KV heads, where they are a list."""
    name = next((name for name in LISTED_KV_HEADS if isinstance(keys.config.get(name), list)), None)
    if name is None:
        return kinds
    counts = keys.items(name) or []
    fitted(keys, name, [Kind("full")] * len(counts))
    if not counts:
        raise keys.contradiction(name, "0 entries", f"{len(kinds)} layers")
    return [
        kind._replace(kv_heads=_listed_heads(keys, name, count)) if kind.name in ATTENDING else kind
        for kind, count in zip(kinds, [*counts, *[counts[-1]] * (len(kinds) - len(counts))], strict=False)
    ]


def _listed_heads(keys: Keys, name: str, count: object) -> int:
    found = keys.checked(name, count)
    heads = None if any(isinstance(keys.config.get(key), list) for key in HEADS) else keys.whole(*HEADS)
    if heads is not None and heads % found:
        raise keys.contradiction(name, found, f"{HEADS[0]} = {heads}, which it must divide")
    return found


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    return heads_layer(keys, kind) if kind.name == "full" else None


def heads_weights(keys: Keys, kind: Kind) -> int:
    """Return the weights of query, key, value and output [-]."""
    hidden, heads = hidden_size(keys), attention_heads(keys)
    part = heads_layer(keys, kind)[0]
    if not isinstance(part, HeadKv):
        return 0
    both = part.key_elements + part.value_elements
    gate = heads * part.key_elements if _gated_output(keys) else 0
    return hidden * (both * (heads + part.kv_heads) + gate)


def _gated_output(keys: Keys) -> bool:
    """Whether attention's output is gated by as many elements as a query has."""
    return bool(keys.flag("attn_output_gate")) or keys.model_type == "qwen3_next"


def reading_weights(keys: Keys) -> int:
    """Return query and output of a layer that reads another one's keys and values [-]."""
    return 2 * hidden_size(keys) * attention_heads(keys) * head_elements(keys)


FAMILY = Family("heads", "Llama, Qwen, GPT-2, Falcon, MPT, ChatGLM, OpenELM", _pattern, _keep, heads_weights)
