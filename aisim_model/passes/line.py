"""A pass as a straight line in its new tokens: a measured rate, a fixed pass, a fixed or measured step.

``time = per_pass + per_token * new_tokens``
"""

from __future__ import annotations

from aisim_model.arrays import Floats, Values

PER_PASS_MS, PER_TOKEN_MS = 0, 1  # places in the numbers


def pass_ms(numbers: Floats | tuple[Values, ...], new_tokens: Values) -> Values:
    """Time of a pass by its new tokens [ms].

    Parameters
    ----------
    numbers : array or tuple of float
        Time of any pass [ms], and of a new token [ms].
    new_tokens : float or array of float64
        Prompt tokens that the pass computes [-].

    Examples
    --------
    >>> pass_ms((10.0, 0.0), 100.0), pass_ms((0.0, 0.05), 12_000.0)
    (10.0, 600.0)
    """
    per_pass_ms: Values = numbers[PER_PASS_MS]
    per_token_ms: Values = numbers[PER_TOKEN_MS]
    return per_pass_ms + per_token_ms * new_tokens
