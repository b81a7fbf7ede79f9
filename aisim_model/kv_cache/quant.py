"""What a checkpoint says of its KV dtype: a suggestion for the person, never applied by itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aisim_model.kv_cache.dtypes import KV_DTYPES
from aisim_model.kv_cache.keys import ConfigError

_ALGORITHMS: Mapping[str, str] = MappingProxyType(
    {"fp8": "fp8", "fp8_e4m3": "fp8", "int8": "int8", "nvfp4": "nvfp4", "fp4": "nvfp4", "mxfp4": "mxfp4"}
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
        A name of `KV_DTYPES`. The precision of the weights has no say.

    Raises
    ------
    ConfigError
        For a KV algorithm that is none we know.

    Examples
    --------
    >>> suggested_kv_dtype({}, {"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}})
    'fp8'
    """
    for source in (kv_quant, config.get("quantization_config")):
        if not isinstance(source, Mapping):
            continue
        inner = source.get("quantization", source)
        if not isinstance(inner, Mapping):
            continue
        algorithm = inner.get("kv_cache_quant_algo")
        if algorithm is not None:
            found = _ALGORITHMS.get(str(algorithm).lower())
            if found is None:
                problem = f"is no KV algorithm known here ({', '.join(sorted(_ALGORITHMS))})"
                raise ConfigError("kv_cache_quant_algo", algorithm, problem, "Leave the file out.")
            return found
        scheme = inner.get("kv_cache_scheme")
        if isinstance(scheme, Mapping):
            schemes = {"8 float": "fp8", "8 int": "int8", "4 float": "nvfp4"}
            return schemes.get(f"{scheme.get('num_bits')} {scheme.get('type')}")
    return None


def quant_notes(config: Mapping[str, Any], kv_quant: Mapping[str, Any] | None) -> list[str]:
    """Return the suggestion as a sentence, for a layout's notes."""
    found = suggested_kv_dtype(config, kv_quant)
    if found is None:
        return []
    about = KV_DTYPES[found].about
    return [f"The checkpoint suggests kv_dtype {found} ({about}); it is applied only where it is chosen."]
