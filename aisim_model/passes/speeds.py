"""How fast a GPU is at a precision of weights, from the catalogue."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from aisim_model import catalog
from aisim_model.arrays import Values
from aisim_model.errors import InputError
from aisim_model.units import GB_PER_TB

# fp4 counts a scale for 16 weights, int4 one of 2 B for 32
BYTES_PER_PARAMETER = MappingProxyType({"bf16": 2.0, "fp8": 1.0, "fp4": 0.5625, "int4": 0.5625})
PRECISIONS = tuple(BYTES_PER_PARAMETER)
BF16_BYTES = BYTES_PER_PARAMETER["bf16"]


class Speeds(NamedTuple):
    """A GPU at one precision of weights, and what it is linked by; every field a float, or an array.

    Parameters
    ----------
    bf16_tflops, dense_tflops, expert_tflops : float
        Dense peaks: of attention, of the weights that every token uses, of experts [TFLOPS].
    dense_bytes, expert_bytes : float
        Bytes of one parameter of each [B].
    hbm_tb_s : float
        Memory bandwidth [TB/s].
    nvlink_tb_s, nic_tb_s : float
        Bandwidth of a GPU to others of its node and beyond, one direction [TB/s].
    nvlink_gpus : float
        GPUs that reach each other without a NIC [-].
    """

    bf16_tflops: Values
    dense_tflops: Values
    expert_tflops: Values
    dense_bytes: Values
    expert_bytes: Values
    hbm_tb_s: Values
    nvlink_tb_s: Values
    nic_tb_s: Values
    nvlink_gpus: Values


@lru_cache(maxsize=256)
def speeds(gpu_id: str, precision: str, mixture: bool = False) -> Speeds:
    """Look up a GPU's speeds at a precision of weights.

    fp4 and int4 checkpoints of mixtures keep all but the experts in bf16. Where a GPU has no arithmetic of a
    format, and for int4 on all, weights are unpacked and multiplied in bf16.

    Parameters
    ----------
    gpu_id : str
        Of the catalogue.
    precision : {"bf16", "fp8", "fp4", "int4"}
        Of the weights.
    mixture : bool
        Whether the model has experts.

    Raises
    ------
    InputError
        For a GPU or a precision that there isn't.

    Examples
    --------
    >>> speeds("b200", "fp4", mixture=True).dense_bytes, speeds("b200", "fp4").dense_bytes
    (2.0, 0.5625)
    """
    found = catalog.gpu(gpu_id)
    if precision not in PRECISIONS:
        raise InputError("precision", precision, f"must be one of {', '.join(PRECISIONS)}", "Choose one.")
    peak = found.bf16_dense_tflops
    if precision in ("fp8", "fp4"):
        peak = getattr(found, f"{precision}_dense_tflops") or peak
    size = BYTES_PER_PARAMETER[precision]
    kept_in_bf16 = mixture and precision in ("fp4", "int4")
    return Speeds(
        bf16_tflops=found.bf16_dense_tflops,
        dense_tflops=found.bf16_dense_tflops if kept_in_bf16 else peak,
        expert_tflops=peak,
        dense_bytes=BF16_BYTES if kept_in_bf16 else size,
        expert_bytes=size,
        hbm_tb_s=found.hbm_tb_s,
        nvlink_tb_s=found.nvlink_gb_s / GB_PER_TB,
        nic_tb_s=found.nic_gb_s / GB_PER_TB,
        nvlink_gpus=float(found.nvlink_gpus),
    )
