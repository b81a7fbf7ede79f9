"""Bytes of KV that a pass reads and writes, of models whose layers grow, keep a window, or keep a state."""

from __future__ import annotations

import numpy as np

from aisim_model.arrays import Floats, Values
from aisim_model.models.kv_cache.curve import ByteCurve

# places from the start of these numbers on; a pair of bytes and tokens for each window follows
PER_TOKEN, STATE, WINDOWS, PAIRS = range(4)


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
