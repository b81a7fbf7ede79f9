"""KV dtypes: what one stored element costs, apart from the precision of the weights."""

from __future__ import annotations

import math
import re
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
        Bytes of one element, block scales of a fixed share counted [B].
    rope_bytes : Fraction
        Bytes of one element of an MLA layer's rotary part [B].
    scale_bytes, scale_elements : int
        Each vector has `scale_bytes` more for each started `scale_elements` [B, -]: a head's key, a head's
        value, an MLA latent. 0 bytes where there are none, 0 elements for one scale a vector.
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

    def heads_bytes(self, heads: int, key_elements: int, value_elements: int) -> Fraction:
        """Bytes of one token's keys and values of some heads [B].

        Examples
        --------
        >>> int(KV_DTYPES["int4_per_token_head"].heads_bytes(8, 128, 128))
        1088
        """
        each = sum(
            elements * self.element_bytes + self._scales(elements)
            for elements in (key_elements, value_elements)
        )
        return Fraction(heads * each)

    def latent_bytes(self, latent_elements: int, rope_elements: int) -> Fraction:
        """Bytes of one MLA entry: its latent, its scales, its rotary part [B].

        Examples
        --------
        >>> int(KV_DTYPES["fp8_ds_mla"].latent_bytes(512, 64))
        656
        """
        # a layout of its own has scales for the latent alone, any other takes the entry for one vector
        scaled = latent_elements if self.latent_only else latent_elements + rope_elements
        return latent_elements * self.element_bytes + rope_elements * self.rope_bytes + self._scales(scaled)

    def _scales(self, elements: int) -> int:
        """Bytes of the scales of one vector [B]."""
        return self.scale_bytes * (math.ceil(elements / self.scale_elements) if self.scale_elements else 1)


def _plain(name: str, element_bytes: Fraction, about: str) -> KvDtype:
    return KvDtype(name, element_bytes, element_bytes, 0, 1, False, about)


def _by_head(name: str, bits: int, scale_bytes: int, about: str) -> KvDtype:
    each = Fraction(bits, 8)
    return KvDtype(name, each, each, scale_bytes, 0, False, about)


_ALL = (
    _plain("bf16", Fraction(2), "16-bit brain float"),
    _plain("fp16", Fraction(2), "16-bit float"),
    _plain("fp32", Fraction(4), "32-bit float"),
    _plain("fp8", Fraction(1), "8-bit float, one scale a tensor"),
    _plain("int8", Fraction(1), "8-bit integer, scales not counted"),
    _plain("nvfp4", Fraction(9, 16), "4-bit float and an 8-bit scale for every 16 elements"),
    _plain("mxfp4", Fraction(17, 32), "4-bit float and an 8-bit scale for every 32 elements"),
    # blocks of ggml: github.com/ggml-org/llama.cpp ggml/src/ggml-common.h
    _plain("q8_0", Fraction(34, 32), "llama.cpp: 8 bits, and a 16-bit scale for every 32 elements"),
    _plain("q5_1", Fraction(24, 32), "llama.cpp: 5 bits, and two 16-bit scales for every 32 elements"),
    _plain("q5_0", Fraction(22, 32), "llama.cpp: 5 bits, and a 16-bit scale for every 32 elements"),
    _plain("q4_1", Fraction(20, 32), "llama.cpp: 4 bits, and two 16-bit scales for every 32 elements"),
    _plain("q4_0", Fraction(18, 32), "llama.cpp: 4 bits, and a 16-bit scale for every 32 elements"),
    # a head's pages in vLLM: v1/kv_cache_interface.py
    _by_head("fp8_per_token_head", 8, 4, "vLLM: fp8, and a 32-bit scale for each token and head"),
    _by_head("int8_per_token_head", 8, 4, "vLLM: 8-bit integer, and a 32-bit scale for each token and head"),
    _by_head("int4_per_token_head", 4, 4, "vLLM: 4-bit integer, and a 32-bit scale for each token and head"),
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
        "f32": "fp32",
        "f16": "fp16",
        "iq4_nl": "q4_0",
    }
)


OWN = "BITSbit+SCALEB/N, such as 8bit+2B/32 or 4bit+4B/head"
_OWN = re.compile(r"(\d{1,2}(?:\.\d{1,4})?)bits?(?:\+(\d{1,4})b(?:ytes?)?/(\d{1,6}|head))?")
MAX_BITS = 64


def kv_dtype_of(name: str) -> KvDtype:
    """Return a KV dtype by its name, or one of one's own: bits an element, scale bytes each so many of them.

    Raises
    ------
    InputError
        For a name that is none; it lists those there are.

    Examples
    --------
    >>> kv_dtype_of("nvfp4").element_bytes
    Fraction(9, 16)
    >>> own = kv_dtype_of("4 bit + 4 B/head")
    >>> own.name, int(own.heads_bytes(8, 128, 128))
    ('4bit+4B/head', 1088)
    """
    key = "".join(name.lower().split()) if isinstance(name, str) else ""
    found = KV_DTYPES.get(_OTHER_NAMES.get(key, key)) or _own(key)
    if found is None:
        problem = f"must be one of {', '.join(KV_DTYPES)}, or {OWN}"
        raise InputError("kv_dtype", name, problem, "Choose one of them.")
    return found


def _own(key: str) -> KvDtype | None:
    """Return the dtype that bits and scales spell; None where the text is no such thing."""
    parts = _OWN.fullmatch(key)
    if parts is None or not 0 < Fraction(parts[1]) <= MAX_BITS or parts[3] == "0" or parts[2] == "0":
        return None
    bits, scale, elements = Fraction(parts[1]), int(parts[2] or 0), parts[3]
    about = f"{float(bits):g} bits an element"
    if scale:
        group = "head" if elements == "head" else f"{int(elements):,} elements"
        about += f", and {scale} bytes of scales for each token's {group}"
    name = f"{float(bits):g}bit" + (
        f"+{scale}B/{elements if elements == 'head' else int(elements)}" if scale else ""
    )
    size = 0 if elements == "head" else int(elements or 1)
    return KvDtype(name, bits / 8, bits / 8, scale, size, False, about)
