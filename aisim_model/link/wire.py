"""Time on the wire, the descriptors that a rank posts, and the tokens that travel."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from aisim_model.arrays import Values, count_pieces, unboxed
from aisim_model.units import BYTES_PER_GB, MS_PER_S, US_PER_MS

PrefixCredit = Literal["blocks", "tokens", "none"]

KV_TENSORS_PER_LAYER = 2  # keys and values; an MLA latent is one


def calibrated_ms(
    bytes_sent: Values,
    bandwidth_gb_s: Values,
    alpha_ms: Values = 0.0,
    descriptors: Values = 0.0,
    per_descriptor_us: Values = 0.0,
    efficiency: Values = 1.0,
) -> Values:
    """Time of a transfer with what the reference leaves out: a start-up cost and one per descriptor.

    ``alpha_ms + descriptors * per_descriptor_us / 1000 + bytes / (bandwidth * efficiency)``

    Parameters
    ----------
    bytes_sent : float or array of float64
        Bytes on the wire [B].
    bandwidth_gb_s : float or array of float64
        What this handoff gets in all [GB/s, decimal, one direction].
    alpha_ms : float or array of float64
        Cost of any transfer, however small [ms].
    descriptors : float or array of float64
        Pieces that a rank posts [-], see `descriptors_per_rank`.
    per_descriptor_us : float or array of float64
        Cost of one [us].
    efficiency : float or array of float64
        Share of the bandwidth that is reached [-], in (0, 1].

    Returns
    -------
    float or array of float64
        Time [ms].

    Notes
    -----
    Postal (Hockney) model; fitted to the eighteen published transfer times in `aisim_model.evidence`.

    Examples
    --------
    >>> calibrated_ms(1e9, 100.0, alpha_ms=0.5, descriptors=1000.0, per_descriptor_us=2.0, efficiency=0.8)
    15.0
    """
    wire_ms = bytes_sent / (bandwidth_gb_s * BYTES_PER_GB * efficiency) * MS_PER_S
    total: Values = wire_ms + descriptors * per_descriptor_us / US_PER_MS + alpha_ms
    return total


def descriptors_per_rank(
    tokens: Values, block_size: int, layers: int, tensors_per_layer: int = KV_TENSORS_PER_LAYER
) -> Values:
    """Pieces that a rank posts before neighbours are merged: ``ceil(tokens / block) * layers * tensors``.

    Parameters
    ----------
    tokens : float or array of float64
        Tokens sent [-].
    block_size : int
        Tokens of a KV block [-].
    layers : int
        Layers that keep KV [-].
    tensors_per_layer : int
        2 for keys and values apart, 1 for an MLA latent [-].

    Examples
    --------
    Qwen3-32B, 12,000 tokens, in blocks of 16 and of 64:

    >>> descriptors_per_rank(12_000, 16, 64), descriptors_per_rank(12_000, 64, 64)
    (96000, 24064)
    """
    count: Values = count_pieces(tokens, block_size) * layers * tensors_per_layer
    return count


def destination_missing_tokens(
    prompt_tokens: Values, cached_tokens: Values, block_size: int, credit: PrefixCredit
) -> Values:
    """Tokens that travel when only what the decode worker lacks is sent, as engines count them.

    ``blocks``: ``(ceil(L / B) - floor(cached / B)) * B``, whole blocks sent and credited (vLLM, SGLang: exact
    at its B = 1). ``none``: ``ceil(L / B) * B``, no credit (TensorRT-LLM, or no prefix caching on the decode
    side). ``tokens``: ``L - cached`` (the reference).

    Parameters
    ----------
    prompt_tokens : float or array of float64
        Tokens of the prompt L [-].
    cached_tokens : float or array of float64
        Leading tokens that the decode worker holds [-]; what is beyond the prompt doesn't count.
    block_size : int
        Tokens of a KV block B [-].
    credit : {"blocks", "tokens", "none"}
        How a hit on the decode side counts.

    Returns
    -------
    float or array of float64
        Tokens sent [-]; cold and rounded up they can be more than the prompt.

    Examples
    --------
    >>> destination_missing_tokens(130, 0, 16, "blocks"), destination_missing_tokens(130, 40, 16, "blocks")
    (144, 112)
    >>> destination_missing_tokens(130, 40, 16, "tokens"), destination_missing_tokens(130, 40, 16, "none")
    (90, 144)
    """
    held: Any = unboxed(np.minimum(cached_tokens, prompt_tokens))
    missing: Values
    if credit == "tokens":
        missing = prompt_tokens - held
    else:
        credited = held // block_size if credit == "blocks" else 0
        missing = (count_pieces(prompt_tokens, block_size) - credited) * block_size
    return missing
