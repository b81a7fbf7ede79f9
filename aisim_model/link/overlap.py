"""What of a transfer is left after prefill when it starts before prefill ends, by layer or by chunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from aisim_model.arrays import Values, count_pieces, larger, unboxed

Overlap = Literal["none", "layer", "chunk"]


def layer_overlap_exposed_ms(prefill_ms: Values, transfer_ms: Values, layers: int) -> Values:
    """Part of a transfer left after prefill, where each layer is sent once its own prefill ends.

    ``t_c/L + max(t_c, t_x) * (L - 1)/L + t_x/L - t_c``, which is ``t_x / L`` where ``t_x <= t_c``.

    Parameters
    ----------
    prefill_ms : float or array of float64
        Prefill time t_c [ms].
    transfer_ms : float or array of float64
        Wire time t_x [ms]; alpha, descriptors and orchestration are added whole, elsewhere.
    layers : int
        Layers L [-].

    Returns
    -------
    float or array of float64
        Exposed time [ms].

    Notes
    -----
    Source: github.com/NVIDIA/TensorRT-LLM issue 9212 (an engine's layer-wise mode is opt-in).

    Examples
    --------
    >>> layer_overlap_exposed_ms(400.0, 16.0, 64)
    0.25
    """
    # the last layer's transfer ends after prefill by t_x/L, and by what the layers before it lag
    exposed: Values = transfer_ms / layers + larger(transfer_ms - prefill_ms, 0.0) * (layers - 1) / layers
    return exposed


def chunk_overlap_exposed_ms(
    prompt_tokens: Values,
    chunk_tokens: Values,
    prefill_ms: Values,
    transfer_ms: Values,
) -> Values:
    """Part of a transfer left after prefill, where each chunk is sent once its own prefill ends.

    A chunk's transfer ends at ``max(end of the one before, prefill end of the chunk) + its wire time``.
    Chunks are of the pass budget with a last short one; each takes its tokens' share of prefill and transfer.

    Parameters
    ----------
    prompt_tokens : float or array of float64
        Tokens of the prompt [-], at least 1.
    chunk_tokens : float or array of float64
        Tokens of a full chunk [-].
    prefill_ms, transfer_ms : float or array of float64
        Prefill time and wire time of the whole prompt [ms].

    Returns
    -------
    float or array of float64
        Exposed time, last end less prefill end [ms].

    Notes
    -----
    The last end is the largest, over chunks i, of prefill end of i plus wire time of i and all after it. That
    is linear in i but for the short last chunk, so the first, the last full one and the last decide.
    Source: SGLang sends a chunk once it is computed (python/sglang/srt/disaggregation/prefill.py).

    Examples
    --------
    12,000 tokens in chunks of 8,192, 400 ms of prefill: the last chunk's 3,808 tokens are left.

    >>> round(chunk_overlap_exposed_ms(12_000.0, 8192.0, 400.0, 15.73), 2)
    4.99
    """
    chunks = count_pieces(prompt_tokens, chunk_tokens)
    share = chunk_tokens / prompt_tokens  # of a full chunk
    short_end = prefill_ms + transfer_ms * (1.0 - (chunks - 1.0) * share)
    first_end = prefill_ms * unboxed(np.minimum(share, 1.0)) + transfer_ms
    # with one chunk there is no full one before the last: the first stands in for it
    full = larger(chunks - 1.0, 1.0)
    full_end = prefill_ms * unboxed(np.minimum(full * share, 1.0)) + transfer_ms * (
        1.0 - (full - 1.0) * share
    )
    exposed: Values = larger(larger(first_end, full_end), short_end) - prefill_ms
    return exposed


def scheduled_overlap_exposed_ms(
    chunk_tokens: Sequence[float], chunk_prefill_ms: Sequence[float], transfer_ms: float
) -> float:
    """Do as `chunk_overlap_exposed_ms` for chunks whose prefill times are known one by one.

    Parameters
    ----------
    chunk_tokens : sequence of float
        Tokens of each chunk, in order [-].
    chunk_prefill_ms : sequence of float
        Prefill time of each [ms].
    transfer_ms : float
        Wire time of the whole prompt [ms].

    Examples
    --------
    >>> round(scheduled_overlap_exposed_ms([8192, 3808], [273.0, 127.0], 15.73), 2)
    4.99
    """
    prompt_tokens = sum(chunk_tokens)
    prefill_end = transfer_end = 0.0
    for tokens, prefill_ms in zip(chunk_tokens, chunk_prefill_ms, strict=True):
        prefill_end += prefill_ms
        transfer_end = max(transfer_end, prefill_end) + transfer_ms * tokens / prompt_tokens
    return transfer_end - prefill_end
