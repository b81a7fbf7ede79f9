"""Load or recompute, in words."""

from __future__ import annotations

from aisim_model.solve.reuse import Reuse


def reuse_said(tier: str, found: Reuse, longest_tokens: int) -> str:
    """Say from which prefix on a tier is faster than computing.

    Examples
    --------
    >>> reuse_said("One NVMe SSD", Reuse("found", 8700), 131072)
    'One NVMe SSD: loading is faster from 8,700 tokens on.'
    """
    match found.answer:
        case "always":
            return f"{tier}: loading is faster at any length."
        case "never":
            return f"{tier}: computing is faster at any length up to {longest_tokens:,} tokens."
    return f"{tier}: loading is faster from {found.from_tokens:,} tokens on."
