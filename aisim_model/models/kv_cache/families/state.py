"""Bytes of a recurrent state, whose dtype is the config's where it names one, and else the engine's."""

from __future__ import annotations

from aisim_model.models.kv_cache.keys import Keys

STATE_BYTES = 4  # fp32 unless the config names another dtype
HALF = ("bfloat16", "float16")


def recurrent_bytes(keys: Keys, elements: int, *, always_fp32: bool = False) -> int:
    """Return the bytes of a layer's recurrent state [B], and say where engines differ.

    Parameters
    ----------
    keys : Keys
        Keys of the text model.
    elements : int
        Elements of the state [-].
    always_fp32 : bool
        Whether every engine keeps this kind of state in fp32, as of Kimi delta and lightning attention.

    Source: vLLM's ``auto`` is the model's own dtype (vllm/model_executor/layers/mamba/mamba_utils.py).

    Examples
    --------
    >>> recurrent_bytes(Keys({"mamba_ssm_dtype": "bfloat16"}), 1_000), recurrent_bytes(Keys({}), 1_000)
    (2000, 4000)
    """
    declared = keys.raw("mamba_ssm_dtype", "mamba_ssm_cache_dtype")
    if declared in HALF:
        return 2 * elements
    if declared is None and keys.dtype_bytes < STATE_BYTES and not always_fp32:
        keys.note(
            f"A layer's recurrent state is counted in fp32, {STATE_BYTES * elements:,} B; vLLM keeps it in "
            f"the model's own dtype, {keys.dtype_bytes * elements:,} B, unless it is told otherwise."
        )
    return STATE_BYTES * elements
