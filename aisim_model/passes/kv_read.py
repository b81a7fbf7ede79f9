"""Bytes of KV that a pass reads and writes, of models whose layers grow, keep a window, or keep a state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aisim_model.arrays import Floats, Values
from aisim_model.models.kv_cache.curve import ByteCurve

# places from the start of these numbers on; a pair of bytes and tokens for each window follows
PER_TOKEN, STATE, WINDOWS, PAIRS = range(4)


STATE_MOVES = 2.0  # a recurrent state is read and written in each step


class RankKv(NamedTuple):
    """What one rank reads of the cache in a pass; every field a float, or an array.

    Parameters
    ----------
    token_bytes : float
        For each token of a context, however long: growing layers and index keys [B].
    window_bytes, window_tokens : float
        For each token of a window, and the window's length [B], [-].
    sequence_bytes : float
        For each decoding sequence, whatever its context: a recurrent state, read and written, and a source's
        keys and values [B].
    """

    token_bytes: Values
    window_bytes: Values
    window_tokens: Values
    sequence_bytes: Values


def rank_kv(curve: ByteCurve, ranks: float) -> RankKv:
    """Work out what one rank reads of what all ranks of a worker hold of a request.

    Parameters
    ----------
    curve : ByteCurve
        Bytes over all ranks.
    ranks : float
        Ranks that hold them evenly [-].

    Examples
    --------
    Qwen3-32B in bf16, TP4: 64 layers of 2 heads of 2 x 128 elements of 2 B.

    >>> from aisim_model.models.kv_cache import KvCurve
    >>> rank_kv(KvCurve(growing_bytes_per_token=262_144), 4).token_bytes
    65536.0
    """
    windows = sum(float(window.bytes_per_token) for window in curve.windowed)
    full = sum(float(window.bytes_per_token) * window.window_tokens for window in curve.windowed)
    return RankKv(
        token_bytes=curve.per_token_bytes / ranks,
        window_bytes=windows / ranks,
        window_tokens=full / windows if windows else 0.0,  # of several windows their mean by bytes
        sequence_bytes=(STATE_MOVES * curve.recurrent_bytes + curve.source_bytes) / ranks,
    )


def kv_numbers(curve: ByteCurve) -> tuple[Values, ...]:
    """Return a byte curve as the numbers that `kv_read_bytes` takes."""
    pairs = ((float(w.bytes_per_token), float(w.window_tokens)) for w in curve.windowed)
    windows = tuple(number for pair in pairs for number in pair)
    rate = curve.per_token_bytes
    return (
        rate if isinstance(rate, np.ndarray) else float(rate),
        float(curve.fixed_bytes),
        float(len(curve.windowed)),
        *windows,
    )


def kv_read_bytes(
    numbers: Floats | tuple[Values, ...],
    start: int,
    prompt_tokens: Values,
    sequences: Values,
    context_tokens: Values,
) -> Values:
    """Bytes of KV that a pass reads and writes [B].

    Parameters
    ----------
    numbers : array or tuple of float
        In which those of `kv_numbers` begin at `start`.
    start : int
        Their place.
    prompt_tokens : float or array of float64
        Cached and new tokens of its prompts [-]; they count in the layers that grow.
    sequences, context_tokens
        As in `PassWork`; windows are filled as by a sequence of the mean context.

    Examples
    --------
    Two sequences of 300 tokens, 10 bytes a token, and a window of 128 tokens of 5 bytes:

    >>> float(kv_read_bytes((10.0, 0.0, 1.0, 5.0, 128.0), 0, 0.0, 2.0, 600.0))
    7280.0
    """
    read = (prompt_tokens + context_tokens) * numbers[start + PER_TOKEN] + sequences * numbers[start + STATE]
    for window in range(int(numbers[start + WINDOWS])):
        pair = start + PAIRS + 2 * window
        # of all sequences together, so that none of them divides by zero
        read = read + numbers[pair] * np.minimum(context_tokens, sequences * numbers[pair + 1])
    return read
