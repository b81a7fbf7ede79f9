"""What crosses the link and what a rank holds: copies, replicated heads, pipeline stages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from aisim_model.errors import InputError
from aisim_model.models.kv_cache.parts import AnyPart

MlaCopies = Literal["per_rank", "once"]
Amount: TypeAlias = "int | float | npt.NDArray[np.float64]"
MAX_RANKS = 4096


class WireBytes(NamedTuple):
    """Bytes of one handoff: what there is, what crosses the link, what a rank holds.

    Parameters
    ----------
    unique_bytes : int, float or array
        The cache once, no copy counted [B].
    wire_bytes : int, float or array
        What is sent: replicated heads and MLA copies counted [B].
    bytes_per_rank : int, float or array
        What the fullest decode rank holds [B].
    prefill_bytes_per_rank : int, float or array
        What the fullest prefill rank holds [B].
    sharded_wire_bytes : int, float or array
        The part of `wire_bytes` that ranks split by heads [B].
    replicated_copy_bytes : int, float or array
        One copy of what stands whole on every rank [B].
    replicated_copies : int
        How many such copies are sent [-]. ``wire = sharded + copy * copies``.
    """

    unique_bytes: Amount
    wire_bytes: Amount
    bytes_per_rank: Amount
    prefill_bytes_per_rank: Amount
    sharded_wire_bytes: Amount
    replicated_copy_bytes: Amount
    replicated_copies: int


def checked_ranks(name: str, value: int) -> int:
    """Return a number of ranks or stages, or refuse it by name."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and 1 <= value <= MAX_RANKS:
        return int(value)
    raise InputError(
        name, value, f"must be a whole number from 1 to {MAX_RANKS:,}", "Enter a number of GPUs."
    )


def latent_copies(ranks: int, mla_copies: MlaCopies | int) -> int:
    """Return how often a latent is sent: by name, or a number of copies [-]."""
    if isinstance(mla_copies, int):
        return checked_ranks("mla_copies", mla_copies)
    if mla_copies not in ("per_rank", "once"):
        raise InputError("mla_copies", mla_copies, "must be per_rank or once", "Choose one of them.")
    return ranks if mla_copies == "per_rank" else 1


def sent(part: AnyPart, ranks: int, copies: int) -> Fraction:
    """Return how often a part is sent: TP x ceil(heads / TP) / heads where split, else `copies`."""
    return Fraction(copies) if part.shards is None else ranks * held(part, ranks)


def held(part: AnyPart, ranks: int) -> Fraction:
    """Return the share of a part that one rank holds: ceil(heads / TP) of its heads, or all if not split."""
    return Fraction(1) if part.shards is None else Fraction(math.ceil(part.shards / ranks), part.shards)


def stages(order: Sequence[int], count: int) -> list[tuple[int, ...]]:
    """Split layers in order, the first stages one layer longer, each as its sorted kinds."""
    short, longer = divmod(len(order), count)
    found, start = [], 0
    for stage in range(count):
        end = start + short + (stage < longer)
        found.append(tuple(sorted(order[start:end])))
        start = end
    return found
