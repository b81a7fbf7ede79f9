"""From a config.json to the layout of its KV cache: by keys, never by the model's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aisim_model.models.kv_cache.class_defaults import class_defaults, has_own_rule, mixes_windows_alone
from aisim_model.models.kv_cache.document import check_bounded, parse
from aisim_model.models.kv_cache.families import FAMILIES
from aisim_model.models.kv_cache.families.base import Kind, mtp_count
from aisim_model.models.kv_cache.families.by_kind import for_kind
from aisim_model.models.kv_cache.families.cross import with_source
from aisim_model.models.kv_cache.families.evidence import check_all_told
from aisim_model.models.kv_cache.families.heads import with_listed_heads
from aisim_model.models.kv_cache.families.latent import with_indexers
from aisim_model.models.kv_cache.families.listed import LISTS
from aisim_model.models.kv_cache.families.loops import with_passes
from aisim_model.models.kv_cache.families.per_layer import layer_keys
from aisim_model.models.kv_cache.families.schedule import names_all
from aisim_model.models.kv_cache.families.shared import without_shared
from aisim_model.models.kv_cache.families.windowed import PATTERNS
from aisim_model.models.kv_cache.foreign import in_config_keys
from aisim_model.models.kv_cache.keys import LAYERS, MAX_LAYERS, Keys
from aisim_model.models.kv_cache.layout import MAX_BLOCKS, KvLayout
from aisim_model.models.kv_cache.names import with_known_names
from aisim_model.models.kv_cache.parts import HeadKv, LatentKv, Layer
from aisim_model.models.kv_cache.quant import quant_notes
from aisim_model.models.kv_cache.text_model import refuse_others, text_model
from aisim_model.models.kv_cache.unread import unread_note

# keys that say which layer is of which kind
WHICH_LAYERS = (
    *LISTS,
    *PATTERNS,
    "attention_types",
    "attn_layer_period",
    "attn_type_list",
    "compress_ratios",
    "full_attention_interval",
    "full_attn_idxs",
    "hybrid_layer_ids",
    "hybrid_layer_pattern",
    "hybrid_override_pattern",
    "layer_group_size",
    "linear_attn_config",
    "local_layer_ids",
)


def text_keys(config: Mapping[str, Any] | str | bytes) -> Keys:
    """Return the text model's keys of a config, or refuse what is no model's config.

    Raises
    ------
    ConfigError
        For a document that is no config.json of a model.

    Examples
    --------
    >>> text_keys({"text_config": {"num_hidden_layers": 2}}).path
    'text_config.'
    """
    given = parse(config)
    check_bounded(given)
    whole_file = in_config_keys(given)
    found, path = text_model(whole_file)
    found, said = with_known_names(found)
    keys = Keys(found, path, class_defaults(whole_file, found), whole_file)
    keys.notes.extend(said)
    refuse_others(keys)
    return keys


def read_config(
    config: Mapping[str, Any] | str | bytes,
    *,
    mtp_layers: bool = False,
    kv_quant: Mapping[str, Any] | None = None,
) -> KvLayout:
    """Work out what each layer of a model keeps, from the keys of its config.json.

    Parameters
    ----------
    config : Mapping, str or bytes
        The file's text, or the object in it.
    mtp_layers : bool
        Whether layers for multi-token prediction are served too; they are left out otherwise.
    kv_quant : Mapping or None
        The object of an ``hf_quant_config.json``: the KV dtype that it names becomes a note, nothing else.

    Returns
    -------
    KvLayout

    Raises
    ------
    ConfigError
        For what is no model's config, a key that is missing, can't be, or contradicts another; it names key
        and value.

    Examples
    --------
    >>> layout = read_config(
    ...     {"num_hidden_layers": 61, "num_attention_heads": 128, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    ... )
    >>> layout.curve("bf16").growing_bytes_per_token
    70272
    """
    keys = text_keys(config)
    keys.check_sizes()
    kinds = list(layer_kinds(keys))
    extra = mtp_count(keys)
    served = _all_kept(keys, kinds)
    declared = keys.whole(*LAYERS, high=MAX_LAYERS) or len(served)
    # per-layer lists of some configs go on into the MTP layers
    listed = declared < len(served) <= declared + extra
    layers, more = (served[:declared], served[declared:]) if listed else (served, [])
    if extra and mtp_layers:
        layers = layers + (more or [_last_attention(keys, kinds, layers)] * extra)
    elif extra:
        keys.note(f"Layers for multi-token prediction ({extra}) are not counted.")
    if not any(layers):
        raise keys.refused("num_hidden_layers", declared, "is of layers that keep nothing at all")
    unread = unread_note(keys)
    if unread is not None:
        keys.note(unread)
    keys.notes.extend(quant_notes(keys.outer, kv_quant))
    return KvLayout.of(layers, keys.positions(), keys.notes)


def _last_attention(keys: Keys, kinds: Sequence[Kind], layers: Sequence[Layer]) -> Layer:
    """Return what the last layer in full keeps, with an indexer of its own; else what the last keeps."""
    for kind, layer in zip(reversed(kinds[: len(layers)]), reversed(layers), strict=True):
        if any(isinstance(part, HeadKv | LatentKv) and part.window_tokens is None for part in layer):
            return layer if kind.indexed else _kept(keys, kind._replace(indexed=True))
    return layers[-1]


def layer_kinds(keys: Keys) -> Sequence[Kind]:
    """Return the kinds of all layers, by the first family whose keys say so."""
    _check_own_rule(keys)
    # the last family always answers
    kinds = next(kinds for family in FAMILIES if (kinds := family.pattern(keys)) is not None)
    check_all_told(keys, kinds, names_all(keys))
    return with_indexers(keys, with_listed_heads(keys, without_shared(keys, kinds)))


def _check_own_rule(keys: Keys) -> None:
    """Ask which layer is which where only the class would know."""
    no_window = "sliding_window" in keys.config and keys.config["sliding_window"] is None
    no_window = no_window and mixes_windows_alone(keys.model_type)
    if has_own_rule(keys.model_type) and not keys.has(*WHICH_LAYERS) and not no_window:
        raise keys.missing("layer_types", f"which layers of the class {keys.model_type} keep what")


def _all_kept(keys: Keys, kinds: Sequence[Kind]) -> list[Layer]:
    """Return what each layer keeps, by its kind and by the keys that it alone overrides."""
    pairs = list(zip(layer_keys(keys, len(kinds)), kinds, strict=True))
    if len(set(pairs)) > MAX_BLOCKS:
        problem = f"are layers of more than {MAX_BLOCKS} different sizes, as no model has"
        raise keys.refused("num_hidden_layers", len(kinds), problem)
    kept = {pair: with_source(pair[0], _kept(*pair)) for pair in dict.fromkeys(pairs)}
    return [with_passes(pair[0], kept[pair], index) for index, pair in enumerate(pairs)]


def _kept(keys: Keys, kind: Kind) -> Layer:
    """Return what a layer keeps, by the first family that has its kind."""
    own = for_kind(keys, kind)
    for family in FAMILIES:
        layer = family.keep(own, kind)
        if layer is not None:
            return layer
    raise keys.refused("layer_types", kind.name, "is a kind of layer whose sizes the config doesn't give")
