"""Links and GPUs: nominal figures beside measured ones, and what each figure is per."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from aisim_model.catalog.records import Positive, Record, Table, Text
from aisim_model.units import BYTES_PER_GB, BYTES_PER_MIB


class Link(Record):
    """An interconnect between a prefill and a decode worker.

    Parameters
    ----------
    family : str
        Technology, such as InfiniBand.
    scope : {"nic", "gpu", "node"}
        What the bandwidths are per: never mix them.
    nominal_gb_s : float
        Bandwidth on paper [GB/s, decimal, one direction].
    usable_low_gb_s, usable_high_gb_s : float or None
        Range that was seen in use [GB/s, decimal, one direction]; None where none is known.
    usable_is : {"measured", "expected", "not found"}
        Whether the range was measured, is what a guide expects, or is not known.
    multi_pod : bool
        Whether workers in different pods of a cluster can hand over through it.

    Examples
    --------
    >>> link("ib-ndr-400").nominal_gb_s
    50.0
    """

    family: Text
    scope: Literal["nic", "gpu", "node"]
    nominal_gb_s: Positive
    usable_low_gb_s: Positive | None = None
    usable_high_gb_s: Positive | None = None
    usable_is: Literal["measured", "expected", "not found"]
    multi_pod: bool

    @model_validator(mode="after")
    def _usable_range(self) -> Self:
        low, high = self.usable_low_gb_s, self.usable_high_gb_s
        if (low is None) != (self.usable_is == "not found") or (low is None and high is not None):
            raise ValueError("usable_low_gb_s goes with a usable_is that says where it comes from")
        if low is not None and not low <= (high or low) <= self.nominal_gb_s:
            raise ValueError("usable_low_gb_s <= usable_high_gb_s <= nominal_gb_s must hold")
        return self


class Gpu(Record):
    """A GPU: peak rates without sparsity, memory, and a list price where one is known.

    Parameters
    ----------
    bf16_dense_tflops : float
        Peak rate in bf16 [TFLOP/s].
    fp8_dense_tflops, fp4_dense_tflops : float or None
        Peak rate in fp8 and fp4 [TFLOP/s]; None where the GPU has none.
    int8_dense_tops : float or None
        Peak rate in int8 [TOPS]; None where no engine multiplies in it there.
    hbm_gb : float
        Memory as the data sheet has it [GB].
    driver_mib : int or None
        Memory as the driver reports it in all [MiB]; None where no such figure was found.
    memory_source : str
        Where that is from.
    hbm_tb_s : float
        Memory bandwidth [TB/s].
    nvlink_gb_s, nic_gb_s : float
        Bandwidth of a GPU to others of its node, and beyond, one direction [GB/s].
    nvlink_gpus : int
        GPUs that reach each other without a NIC [-].
    fabric_source : str
        Where these three are from.
    watts : float or None
        Most power that it draws [W]; None where no figure was found.
    power_source : str
        Where that is from.
    usd_per_gpu_hour : float or None
        Price of one GPU for an hour [USD]; None where it is not known.

    Examples
    --------
    >>> gpu("h200").hbm_tb_s
    4.8
    """

    bf16_dense_tflops: Positive
    fp8_dense_tflops: Positive | None = None
    fp4_dense_tflops: Positive | None = None
    int8_dense_tops: Positive | None = None
    hbm_gb: Positive
    driver_mib: PositiveInt | None = None
    hbm_tb_s: Positive
    nvlink_gb_s: Positive
    nic_gb_s: Positive
    nvlink_gpus: PositiveInt
    fabric_source: Text
    memory_source: Text
    watts: Positive | None = None
    power_source: Text = "not found"
    usd_per_gpu_hour: Positive | None = None

    @property
    def memory_gb(self) -> float:
        """Memory that an engine finds: the driver's figure, else the data sheet's [GB].

        Examples
        --------
        >>> round(gpu("h100-sxm").memory_gb, 2), gpu("mi325x").memory_gb
        (85.52, 256.0)
        """
        if self.driver_mib is None:
            return self.hbm_gb
        return self.driver_mib * BYTES_PER_MIB / BYTES_PER_GB


class Tier(Record):
    """Where the KV of a prefix can lie beside a worker's own pool.

    Parameters
    ----------
    scope : {"nic", "gpu", "node"}
        What the bandwidth is per.
    bandwidth_gb_s : float
        What reads get [GB/s, decimal, one direction].
    start_up_ms : float
        What a read takes beside its bytes [ms]; 0 where none is published, which the note says.
    bandwidth_is : {"measured", "nominal"}
        Where the bandwidth is from.

    Examples
    --------
    >>> tier("nvme-ssd").bandwidth_gb_s
    6.5
    """

    scope: Literal["nic", "gpu", "node"]
    bandwidth_gb_s: Positive
    start_up_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    bandwidth_is: Literal["measured", "nominal"]


_TIERS = Table(Tier, "tiers.csv", "tier")
tiers, tier = _TIERS.all, _TIERS.find
_LINKS, _GPUS = Table(Link, "links.csv", "link"), Table(Gpu, "gpus.csv", "gpu")
links, link = _LINKS.all, _LINKS.find
gpus, gpu = _GPUS.all, _GPUS.find
