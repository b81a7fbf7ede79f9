"""Units of the model: bytes, decimal gigabytes a second in one direction, milliseconds."""

from __future__ import annotations

BYTES_PER_GB = 1e9
BYTES_PER_TB = 1e12
GB_PER_TB = 1000.0
FLOPS_PER_TFLOP = 1e12
BYTES_PER_MIB = 2**20
BYTES_PER_GIB = 2**30
MS_PER_S = 1000.0
NS_PER_MS = 1e6
US_PER_MS = 1000.0
BITS_PER_BYTE = 8


def gigabits_per_s(bandwidth_gb_s: float) -> float:
    """Convert GB/s to the Gb/s that a NIC is sold by.

    Parameters
    ----------
    bandwidth_gb_s : float
        Bandwidth in one direction [GB/s, decimal].

    Returns
    -------
    float
        The same bandwidth [Gb/s].

    Examples
    --------
    >>> gigabits_per_s(50.0)
    400.0
    """
    return bandwidth_gb_s * BITS_PER_BYTE
