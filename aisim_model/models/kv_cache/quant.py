"""What a checkpoint says of its KV dtype: a suggestion for the person, never applied by itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aisim_model.errors import shown
from aisim_model.models.kv_cache.dtypes import KV_DTYPES

# by how their names begin: exporters add how scales are laid out, as in FP8_E4M3 or NVFP4_AFFINE
_ALGORITHMS: Mapping[str, str] = MappingProxyType(
    {"fp8": "fp8", "int8": "int8", "nvfp4": "nvfp4", "fp4": "nvfp4", "mxfp4": "mxfp4"}
)
_SCHEMES: Mapping[str, str] = MappingProxyType(
    {"8-bit float": "fp8", "8-bit int": "int8", "4-bit float": "nvfp4"}
)


def suggested_kv_dtype(config: Mapping[str, Any], kv_quant: Mapping[str, Any] | None = None) -> str | None:
    """KV dtype that a checkpoint was made for; None where it says nothing.

    Parameters
    ----------
    config : Mapping
        The object of a config.json; its ``quantization_config`` may hold a KV scheme.
    kv_quant : Mapping or None
        The object of an ``hf_quant_config.json``, which is asked first.

    Returns
    -------
    str or None
        A name of `KV_DTYPES`; None too for an algorithm that is none we know. The precision of the weights
        has no say.

    Examples
    --------
    >>> suggested_kv_dtype({}, {"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}})
    'fp8'
    """
    name = _named(config, kv_quant)
    return next((dtype for start, dtype in _ALGORITHMS.items() if name.startswith(start)), None)


def _named(config: Mapping[str, Any], kv_quant: Mapping[str, Any] | None) -> str:
    """Return what a checkpoint calls its KV algorithm, in small letters; empty where it says nothing."""
    for source in (kv_quant, config.get("quantization_config")):
        inner = source.get("quantization", source) if isinstance(source, Mapping) else None
        if not isinstance(inner, Mapping):
            continue
        algorithm, scheme = inner.get("kv_cache_quant_algo"), inner.get("kv_cache_scheme")
        if algorithm is not None:
            return _word(algorithm).lower()
        if isinstance(scheme, Mapping):
            written = f"{_word(scheme.get('num_bits'))}-bit {_word(scheme.get('type'))}"
            return _SCHEMES.get(written, written)
    return ""


def _word(value: object) -> str:
    """Return a text or a number as it stands in a note; what may be nested or endless is not printed."""
    return shown(value).strip("'") if isinstance(value, str | int) else "neither a text nor a number"


def quant_notes(config: Mapping[str, Any], kv_quant: Mapping[str, Any] | None) -> list[str]:
    """Return the suggestion as a sentence, for a layout's notes."""
    found = suggested_kv_dtype(config, kv_quant)
    if found is None:
        name = _named(config, kv_quant)
        unknown = f"The checkpoint names a KV algorithm that is none known here, {name}: choose the KV dtype."
        return [unknown] if name else []
    about = KV_DTYPES[found].about
    return [f"The checkpoint suggests kv_dtype {found} ({about}); it is applied only where it is chosen."]
