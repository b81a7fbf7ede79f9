"""Mamba 1 and 2: a recurrent state and the last inputs of a convolution; alone, or beside attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from aisim_model.models.kv_cache.families.base import (
    FULL,
    Family,
    Kind,
    at_places,
    fitted,
    hidden_size,
    layer_count,
)
from aisim_model.models.kv_cache.families.heads import heads_layer, heads_weights
from aisim_model.models.kv_cache.families.state import recurrent_bytes
from aisim_model.models.kv_cache.keys import HEADS, HIDDEN, Keys
from aisim_model.models.kv_cache.parts import Layer, State

STATE = ("mamba_d_state", "ssm_state_size", "state_size", "d_state")
TAPS = ("mamba_d_conv", "conv_kernel", "mamba_conv_kernel", "d_conv")
EXPAND = ("mamba_expand", "expand", "mamba_expand_factor")
INNER = ("mamba_d_ssm", "mamba_intermediate_size", "d_inner")
SSM_HEADS = ("mamba_n_heads", "mamba_num_heads", "n_mamba_heads")
SSM_HEAD_DIM = ("mamba_d_head", "mamba_head_dim", "mamba_headdim", "hidden_size_per_head")
GROUPS = ("mamba_n_groups", "mamba_ngroups", "n_groups")
STEP = "mamba_step"
FALCON = ("ssm_multipliers", "ssm_in_multiplier", "ssm_out_multiplier", "attention_in_multiplier")
MAMBA = Kind("mamba")
_LETTERS: Mapping[str, Kind] = MappingProxyType(
    {"M": MAMBA, "*": FULL, "-": Kind("mlp"), "E": Kind("moe"), "A": FULL}
)


def has_attention(keys: Keys) -> bool:
    """Whether there is attention beside Mamba; `num_heads` alone are Mamba's own."""
    return keys.has(*(name for name in HEADS if name != "num_heads"))


class Sizes:
    """Sizes of one Mamba layer, whatever its keys are called."""

    def __init__(self, keys: Keys) -> None:
        pure = not has_attention(keys)
        nested = keys.sub("ssm_cfg") if keys.has("ssm_cfg") else None
        hidden = keys.need(*HIDDEN, what="the recurrent state")
        self.state = keys.need(*STATE, what="the recurrent state") if nested is None else 0
        self.taps = (keys.whole(*TAPS) if nested is None else nested.whole("d_conv")) or 4
        self.head_dim = _auto(keys, SSM_HEAD_DIM) or (keys.whole("head_dim") if pure else None)
        heads = _auto(keys, SSM_HEADS) or (keys.whole("num_heads") if pure else None)
        expand = (keys.whole(*EXPAND) if nested is None else nested.whole("expand")) or 2
        self.inner = keys.whole(*INNER) or expand * hidden
        if pure and nested is None:
            self.inner = keys.whole("intermediate_size") or self.inner
        if nested is not None:
            second = nested.raw("layer") == "Mamba2"
            self.state = nested.whole("d_state") or (128 if second else 16)
            self.head_dim = (nested.whole("headdim") or 64) if second else None
        if heads and self.head_dim and not keys.has(*INNER):
            self.inner = heads * self.head_dim
        first = keys.has("mamba_dt_rank", "time_step_rank")  # Mamba 1 makes its time steps of low rank
        if heads and not self.head_dim and not first:
            if self.inner % heads:
                name = next(name for name in (*SSM_HEADS, "num_heads") if keys.has(name))
                raise keys.contradiction(name, heads, f"{self.inner} channels, which it must divide")
            self.head_dim = self.inner // heads
        self.heads = heads or (self.inner // self.head_dim if self.head_dim else self.inner)
        # PLaMo-2 makes its B and C after the convolution
        after = keys.has(STEP)
        self.groups = (
            0 if after else (keys.whole(*GROUPS) if nested is None else nested.whole("ngroups")) or 1
        )

    @property
    def channels(self) -> int:
        """Channels of the convolution: Mamba 2 also runs its B and C through it."""
        return self.inner + (2 * self.groups * self.state if self.head_dim else 0)


def _auto(keys: Keys, names: tuple[str, ...]) -> int | None:
    """Return a whole number; None also where it is ``auto``."""
    return None if any(keys.config.get(name) == "auto" for name in names) else keys.whole(*names)


def mamba_state(keys: Keys) -> State:
    """Return the state of one Mamba layer: channels x state, and (taps - 1) inputs of the convolution."""
    sizes = Sizes(keys)
    return State(
        heads=max(sizes.heads, 1),
        recurrent_bytes=recurrent_bytes(keys, sizes.inner * sizes.state),
        conv_bytes=sizes.channels * (sizes.taps - 1) * keys.dtype_bytes,
    )


def _pattern(keys: Keys) -> Sequence[Kind] | None:
    for find in (_override, _period, _stepped, _indices, _beside, _pure):
        kinds = find(keys)
        if kinds is not None:
            return kinds
    return None


def _override(keys: Keys) -> Sequence[Kind] | None:
    """Nemotron-H: a letter a layer."""
    pattern = keys.text("hybrid_override_pattern")
    if not pattern:
        return None
    unknown = next((letter for letter in pattern if letter not in _LETTERS), None)
    if unknown is not None:
        raise keys.refused(
            "hybrid_override_pattern", pattern, f"holds {unknown!r}, none of {''.join(_LETTERS)}"
        )
    return fitted(keys, "hybrid_override_pattern", [_LETTERS[letter] for letter in pattern])


def _period(keys: Keys) -> Sequence[Kind] | None:
    """Jamba: one attention layer in each period; Zamba: one with attention beside its Mamba."""
    period = keys.whole("attn_layer_period")
    if period is None or not keys.has(*STATE):
        return None
    offset = keys.whole("attn_layer_offset", low=0) or 0
    if offset >= period:
        raise keys.contradiction("attn_layer_offset", offset, f"attn_layer_period = {period}")
    count = layer_count(keys)
    if keys.model_type == "zamba" or keys.has(
        "n_mamba_heads"
    ):  # two layers of Mamba and one with attention come before the first period
        kinds = [Kind("hybrid") if index % period == offset else MAMBA for index in range(count - 3)]
        return [MAMBA, MAMBA, Kind("hybrid"), *kinds][:count]
    return [FULL if index % period == offset else MAMBA for index in range(count)]


def _stepped(keys: Keys) -> Sequence[Kind] | None:
    """PLaMo-2: one attention layer in the middle of each step, in a window but where listed as full."""
    step = keys.whole(STEP)
    if step is None or not keys.has(*STATE) or keys.flag("mamba_enabled") is False:
        return None
    count = layer_count(keys)
    middle = min(step // 2, count - 1)
    full = {
        keys.checked("full_attention_idx", place, low=0, high=count - 1)
        for place in keys.items("full_attention_idx") or []
    }
    window = Kind("sliding") if keys.has("attention_window_size") else FULL
    return [MAMBA if index % step != middle else FULL if index in full else window for index in range(count)]


def _indices(keys: Keys) -> Sequence[Kind] | None:
    """Bamba: attention at these layers only; Zamba-2: beside Mamba at these."""
    for name, attention in (
        ("attn_layer_indices", FULL),
        ("attn_layer_idx", FULL),
        ("hybrid_layer_ids", Kind("hybrid")),
    ):
        if keys.items(name) is not None and (keys.has(*STATE) or keys.has("ssm_cfg")):
            return at_places(keys, name, attention, MAMBA)
    return None


def _beside(keys: Keys) -> Sequence[Kind] | None:
    """Falcon-H1: attention and Mamba side by side in every layer; Hymba: mostly in a window, and in twos."""
    sizes = ("mamba_d_ssm", "mamba_n_heads", "mamba_expand")
    if not (keys.has(*STATE) and has_attention(keys) and keys.has(*sizes)):
        return None
    count, places = layer_count(keys), keys.items("global_attn_idx")
    if places is None:
        # every layer is so in Falcon-H1 alone; elsewhere a schedule is missing
        return [Kind("hybrid")] * count if keys.has(*FALCON) or keys.model_type == "falcon_h1" else None
    window = keys.need("sliding_window", what="how many tokens a window layer keeps")
    found = [Kind("hybrid", window_tokens=None if index in places else window) for index in range(count)]
    for group in keys.items("kv_reuse_group") or []:
        for place in group[1:] if isinstance(group, list) else []:
            found[keys.checked("kv_reuse_group", place, low=0, high=count - 1)] = MAMBA
    return found


def _pure(keys: Keys) -> Sequence[Kind] | None:
    """Mamba: no attention at all."""
    if keys.has("ssm_cfg", *STATE) and not has_attention(keys):
        return [MAMBA] * layer_count(keys)
    return None


def _keep(keys: Keys, kind: Kind) -> Layer | None:
    if kind.name == "mamba":
        return (mamba_state(keys),)
    return (
        (*heads_layer(keys, kind, kind.window_tokens), mamba_state(keys)) if kind.name == "hybrid" else None
    )


def _weigh(keys: Keys, kind: Kind) -> int | None:
    """In and out, and for Mamba 1 the projections of its state and time steps; attention beside them."""
    if kind.name not in ("mamba", "hybrid"):
        return None
    beside = heads_weights(keys, kind) if kind.name == "hybrid" else 0
    sizes, hidden = Sizes(keys), hidden_size(keys)
    if sizes.head_dim:
        return beside + hidden * (3 * sizes.inner + 2 * sizes.groups * sizes.state + sizes.heads)
    rank = keys.whole("mamba_dt_rank", "time_step_rank") or -(-hidden // 16)
    return beside + 3 * hidden * sizes.inner + sizes.inner * (2 * rank + 2 * sizes.state)


FAMILY = Family(
    "mamba",
    "Mamba, Jamba, Nemotron-H, Granite 4, Bamba, Falcon-H1, Hymba, Zamba, PLaMo-2",
    _pattern,
    _keep,
    _weigh,
)
