"""How fast a GPU is on weights stored in some formats, from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from aisim_model import catalog
from aisim_model.arrays import Values
from aisim_model.models.weights.formats import StoredWeights
from aisim_model.units import GB_PER_TB

# what weights of a format are multiplied in: the field of the GPU's peak, and its name; where a GPU has none,
# weights are unpacked to bf16 (weight-only kernels such as Marlin). mxfp4 weights meet activations of 8 bits.
ARITHMETIC: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "fp8": ("fp8_dense_tflops", "fp8"),
        "int8": ("int8_dense_tops", "int8"),
        "mxfp4": ("fp8_dense_tflops", "fp8"),
        "nvfp4": ("fp4_dense_tflops", "fp4"),
    }
)


class Speeds(NamedTuple):
    """A GPU on weights of some formats, and what it is linked by; every field a float, or an array.

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


class Arithmetic(NamedTuple):
    """What weights are multiplied in.

    Parameters
    ----------
    name : str
        ``bf16``, ``int8``, ``fp8`` or ``fp4``.
    tflops : float
        Dense peak of the GPU in it [TFLOPS].
    """

    name: str
    tflops: float


@lru_cache(maxsize=256)
def arithmetic(gpu_id: str, stored: str) -> Arithmetic:
    """Return what a GPU multiplies weights of a format in.

    Parameters
    ----------
    gpu_id : str
        Of the catalogue.
    stored : str
        One of `aisim_model.models.weights.formats.FORMATS`.

    Examples
    --------
    >>> [arithmetic(gpu, "mxfp4").name for gpu in ("h100-sxm", "b200")], arithmetic("a100-80", "fp8").name
    (['bf16', 'fp8'], 'bf16')
    """
    found = catalog.gpu(gpu_id)
    field, name = ARITHMETIC.get(stored, ("", ""))
    peak = getattr(found, field) if field else None
    if peak is None or (stored == "mxfp4" and found.fp4_dense_tflops is None):
        return Arithmetic("bf16", found.bf16_dense_tflops)
    return Arithmetic(name, float(peak))


@lru_cache(maxsize=512)
def speeds(gpu_id: str, stored: StoredWeights, attention_share: float = 0.0) -> Speeds:
    """Look up a GPU's speeds on weights as they are stored.

    The head counts as what MLPs are stored in: the constants are fitted that way.

    Parameters
    ----------
    gpu_id : str
        Of the catalogue.
    stored : StoredWeights
        Formats of the model's parts.
    attention_share : float
        Of the weights that every token uses, attention's [-].

    Raises
    ------
    InputError
        For a GPU that there isn't.

    Examples
    --------
    >>> from aisim_model.models.weights.formats import stored_as
    >>> found = speeds("b200", stored_as("nvfp4", mixture=True))
    >>> found.dense_bytes, found.expert_bytes, found.dense_tflops, found.expert_tflops
    (2.0, 0.5625, 2250.0, 9000.0)
    """
    found = catalog.gpu(gpu_id)
    attention, forward, experts = (arithmetic(gpu_id, name).tflops for name in stored[:3])
    rest = 1.0 - attention_share
    return Speeds(
        bf16_tflops=found.bf16_dense_tflops,
        dense_tflops=(
            forward
            if attention == forward
            else 1.0 / (attention_share / attention + rest / forward)  # one after the other
        ),
        expert_tflops=experts,
        dense_bytes=(
            stored.bytes_of("feed_forward")
            if stored.attention == stored.feed_forward
            else attention_share * stored.bytes_of("attention") + rest * stored.bytes_of("feed_forward")
        ),
        expert_bytes=stored.bytes_of("experts"),
        hbm_tb_s=found.hbm_tb_s,
        nvlink_tb_s=found.nvlink_gb_s / GB_PER_TB,
        nic_tb_s=found.nic_gb_s / GB_PER_TB,
        nvlink_gpus=float(found.nvlink_gpus),
    )
