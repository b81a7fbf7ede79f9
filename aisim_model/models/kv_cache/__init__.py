"""The byte curve of a model's KV cache, and reading it from a config.json."""

from aisim_model.models.kv_cache.curve import ByteCurve, KvCross, KvCurve, KvWindow
from aisim_model.models.kv_cache.dtypes import KV_DTYPES, KvDtype, kv_dtype_of
from aisim_model.models.kv_cache.explain import LayerGroup
from aisim_model.models.kv_cache.families import FAMILIES
from aisim_model.models.kv_cache.keys import ConfigError
from aisim_model.models.kv_cache.layout import KvLayout, WindowLayers
from aisim_model.models.kv_cache.quant import suggested_kv_dtype
from aisim_model.models.kv_cache.read import read_config
from aisim_model.models.kv_cache.wire import MlaCopies, WireBytes

__all__ = [
    "FAMILIES",
    "KV_DTYPES",
    "ByteCurve",
    "ConfigError",
    "KvCross",
    "KvCurve",
    "KvDtype",
    "KvLayout",
    "KvWindow",
    "LayerGroup",
    "MlaCopies",
    "WindowLayers",
    "WireBytes",
    "kv_dtype_of",
    "read_config",
    "suggested_kv_dtype",
]
