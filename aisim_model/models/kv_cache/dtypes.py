"""KV dtypes: what one stored element costs, apart from the precision of the weights."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from aisim_model.errors import InputError


class KvDtype(NamedTuple):
    """How an engine stores one element of the KV cache.

    Parameters
    ----------
    name : str
        Name on the command line and in a scenario.
    element_bytes : Fraction
        Bytes of one element, block scales counted [B].
    rope_bytes : Fraction
        Bytes of one element of an MLA layer's rotary part [B].
    scale_bytes, scale_elements : int
        An MLA latent has `scale_bytes` more for each started `scale_elements` [B, -]; 0 where it has none.
    latent_only : bool
        Whether it is a layout of MLA latents, which other layers don't have.
    about : str
        What it is, in a line.
    """

    name: str
    element_bytes: Fraction
    rope_bytes: Fraction
    scale_bytes: int
    scale_elements: int
    latent_only: bool
    about: str

    def heads_bytes(self, elements: int) -> Fraction:
        """Bytes of `elements` elements of keys and values [B]."""
        return elements * self.element_bytes

    def latent_bytes(self, latent_elements: int, rope_elements: int) -> Fraction:
        """Bytes of one MLA entry: its latent, its scales, its rotary part [B].

        Examples
        --------
        >>> int(KV_DTYPES["fp8_ds_mla"].latent_bytes(512, 64))
        656
        """
        scales = self.scale_bytes * math.ceil(latent_elements / self.scale_elements)
        return latent_elements * self.element_bytes + rope_elements * self.rope_bytes + scales


def _plain(name: str, element_bytes: Fraction, about: str) -> KvDtype:
    return KvDtype(name, element_bytes, element_bytes, 0, 1, False, about)


_ALL = (
    _plain("bf16", Fraction(2), "16-bit brain float"),
    _plain("fp16", Fraction(2), "16-bit float"),
    _plain("fp32", Fraction(4), "32-bit float"),
    _plain("fp8", Fraction(1), "8-bit float, one scale a tensor"),
    _plain("int8", Fraction(1), "8-bit integer, scales not counted"),
    _plain("nvfp4", Fraction(9, 16), "4-bit float and an 8-bit scale for every 16 elements"),
    _plain("mxfp4", Fraction(17, 32), "4-bit float and an 8-bit scale for every 32 elements"),
    KvDtype(
        "fp8_ds_mla",
        Fraction(1),
        Fraction(2),
        4,
        128,
        True,
        "FlashMLA's sparse layout: fp8 latent, a 32-bit scale for every 128 elements, bf16 rotary part "
        "(656 bytes for 512 + 64)",
    ),
    KvDtype(
        "fp8_mla_bf16_rope",
        Fraction(1),
        Fraction(2),
        0,
        1,
        True,
        "fp8 latent and bf16 rotary part, no scales (640 bytes for 512 + 64)",
    ),
)
KV_DTYPES: Mapping[str, KvDtype] = MappingProxyType({dtype.name: dtype for dtype in _ALL})
_OTHER_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "bfloat16": "bf16",
        "float16": "fp16",
        "half": "fp16",
        "float32": "fp32",
        "float": "fp32",
        "fp8_e4m3": "fp8",
        "fp8_e5m2": "fp8",
        "float8_e4m3fn": "fp8",
    }
)


def kv_dtype_of(name: str) -> KvDtype:
    """Return a KV dtype by its name.

    Raises
    ------
    InputError
        For a name that is none; it lists those there are.

    Examples
    --------
    >>> kv_dtype_of("nvfp4").element_bytes
    Fraction(9, 16)
    """
    key = name.lower() if isinstance(name, str) else ""
    found = KV_DTYPES.get(_OTHER_NAMES.get(key, key))
    if found is None:
        raise InputError("kv_dtype", name, f"must be one of {', '.join(KV_DTYPES)}", "Choose one of them.")
    return found
