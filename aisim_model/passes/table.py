"""Prefill as it was measured: a table of whole prompts, read between its rows.

A pass takes what its new tokens add to the prompts that it resumes, ``T(resumed + new) - T(resumed)``, so
that the passes of a prompt add up to what was measured of it whole.
"""

from __future__ import annotations

import numpy as np

from aisim_model.arrays import Floats, Values

ROWS = 0  # place in the numbers; tokens and milliseconds follow


def read_ms(numbers: Floats | tuple[Values, ...], tokens: Values) -> Values:
    """Read the table at a prompt of so many uncached tokens [ms].

    Parameters
    ----------
    numbers : array of float64
        Rows of the table, then their tokens [-], then their times [ms].
    tokens : float or array of float64
        Uncached tokens [-]; beyond the rows the line of the nearest two is extrapolated, never below 0.

    Examples
    --------
    >>> float(read_ms((2.0, 2048.0, 4096.0, 85.0, 125.0), 3072.0))
    105.0
    """
    row = np.asarray(numbers)
    rows = int(row[ROWS])
    known, times = row[1 : 1 + rows], row[1 + rows : 1 + 2 * rows]
    segment = np.searchsorted(known, tokens, side="right") - 1
    segment = np.minimum(np.maximum(segment, 0), rows - 2)
    slope = (times[segment + 1] - times[segment]) / (known[segment + 1] - known[segment])
    found_ms: Values = np.maximum(times[segment] + slope * (tokens - known[segment]), 0.0)
    return found_ms


def pass_ms(numbers: Floats | tuple[Values, ...], new_tokens: Values, resumed_tokens: Values) -> Values:
    """Time of a pass by the new tokens of its prompts and those that earlier passes computed [ms].

    Parameters
    ----------
    numbers : array of float64
        As in `read_ms`.
    new_tokens, resumed_tokens
        As in `PassWork`.

    Examples
    --------
    The second half of a prompt of 4,096 tokens:

    >>> float(pass_ms((2.0, 2048.0, 4096.0, 85.0, 125.0), 2048.0, 2048.0))
    40.0
    """
    before = read_ms(numbers, resumed_tokens) * (resumed_tokens > 0)
    return np.maximum(read_ms(numbers, resumed_tokens + new_tokens) - before, 0.0)
