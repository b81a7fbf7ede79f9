"""Formats that weights are stored in, by part of a model: bytes, not arithmetic.

An engine multiplies in what its GPU has for a format, see `aisim_model.passes.speeds`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from aisim_model.errors import InputError

# bytes of a parameter with its scales: one byte for 32 weights in mxfp4, one for 16 in nvfp4
BYTES: Mapping[str, float] = MappingProxyType(
    {"bf16": 2.0, "fp8": 1.0, "int8": 1.0, "mxfp4": 0.5 + 1 / 32, "nvfp4": 0.5 + 1 / 16, "int4": 0.5}
)
FORMATS = tuple(BYTES)
CHECKPOINT = "checkpoint"
WEIGHT_FORMATS = (CHECKPOINT, *FORMATS)
EXPERTS_ALONE = frozenset({"mxfp4", "nvfp4", "int4"})
INT4_GROUP = 128
SCALE_BYTES = 2.0

# other names of the same, as engines, checkpoints and people write them
OTHER_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "auto": CHECKPOINT,
        "from the checkpoint": CHECKPOINT,
        "from checkpoint": CHECKPOINT,
        "bfloat16": "bf16",
        "fp16": "bf16",
        "float16": "bf16",
        "w8a8": "int8",
        "fp4": "nvfp4",
        "awq": "int4",
        "gptq": "int4",
        "w4a16": "int4",
        "int4 awq": "int4",
        "int4 gptq": "int4",
    }
)


class StoredWeights(NamedTuple):
    """Formats of a checkpoint's parts.

    Parameters
    ----------
    attention, feed_forward, experts : str
        Of what mixes tokens, of MLPs and shared experts, and of routed experts.
    group_size : int
        Weights that share a scale in int4 [-].
    unread : str
        What a quantisation that isn't known here calls itself; empty where there is none.
    """

    attention: str = "bf16"
    feed_forward: str = "bf16"
    experts: str = "bf16"
    group_size: int = INT4_GROUP
    unread: str = ""

    def bytes_of(self, part: str) -> float:
        """Return the bytes of one parameter of a part, its scale counted [B].

        Examples
        --------
        >>> StoredWeights(experts="int4", group_size=32).bytes_of("experts")
        0.5625
        """
        name = str(getattr(self, part))
        return BYTES[name] + (SCALE_BYTES / self.group_size if name == "int4" else 0.0)


def weight_format(name: str) -> str:
    """Return a format by any of its names, or refuse it.

    Raises
    ------
    InputError
        For a format that no engine here stores weights in.

    Examples
    --------
    >>> weight_format("AWQ"), weight_format("from the checkpoint")
    ('int4', 'checkpoint')
    """
    wanted = " ".join(
        name.lower().replace("_", " ").replace("-", " ").replace("(", "").replace(")", "").split()
    )
    found = OTHER_NAMES.get(wanted, wanted)
    if found not in WEIGHT_FORMATS:
        raise InputError(
            "weight_format",
            name,
            f"is no format that engines serve weights in: it must be one of {', '.join(WEIGHT_FORMATS)}",
            "Choose checkpoint for what the model's config.json says; int4 is AWQ or GPTQ.",
        )
    return found


def stored_as(name: str, mixture: bool) -> StoredWeights:
    """Return how checkpoints in a format usually are: in 4 bits a mixture keeps all but its experts in bf16.

    Parameters
    ----------
    name : str
        One of `FORMATS`.
    mixture : bool
        Whether the model has routed experts.

    Examples
    --------
    >>> stored_as("nvfp4", mixture=True).attention, stored_as("fp8", mixture=True).attention
    ('bf16', 'fp8')
    """
    rest = "bf16" if mixture and name in EXPERTS_ALONE else name
    return StoredWeights(attention=rest, feed_forward=rest, experts=name)


def precision_of(stored: StoredWeights, mixture: bool) -> str:
    """Return the precision that tables of measured operators have for weights: of most of a model's.

    Examples
    --------
    >>> precision_of(StoredWeights("bf16", "bf16", "mxfp4"), mixture=True)
    'fp4'
    """
    name = stored.experts if mixture else stored.feed_forward
    return "fp4" if name in ("mxfp4", "nvfp4") else name
