"""Pass times of NVIDIA's reference engine: polynomials that know no model.

Prefill of T new tokens: ``4.209989e-07 T^2 + 1.518344e-02 T + 16.50142`` ms. A decode step at the used share
p of the KV pool: ``max(1, -25.74 p^2 + 54.01 p + 5.74)`` ms. Who asks rounds each to whole nanoseconds;
a mixed pass takes the sum of the two.

Source: NVIDIA aisimulate and ai-dynamo-runtime 1.6.1.
"""

from __future__ import annotations

import numpy as np

from aisim_model.arrays import Floats, Values

POOL_TOKENS = 0  # place in the numbers


def prefill_ms(new_tokens: Values) -> Values:
    """Time of a pass's new prompt tokens [ms].

    Parameters
    ----------
    new_tokens : float or array of float64
        Prompt tokens T that the pass computes [-].

    Examples
    --------
    >>> round(prefill_ms(128.0), 6), round(prefill_ms(8192.0), 6)
    (18.451798, 169.136918)
    """
    return 4.209989e-07 * (new_tokens * new_tokens) + 1.518344e-02 * new_tokens + 16.50142


def decode_ms(used_share: Values) -> Values:
    """Time of a decode step [ms].

    Parameters
    ----------
    used_share : float or array of float64
        Used share p of the decode worker's KV pool [-], from 0 to 1.

    Examples
    --------
    One prompt of 128 tokens in a pool of 16,384 blocks of 64:

    >>> round(float(decode_ms(128 / (16_384 * 64))), 6)
    5.746593
    """
    return np.maximum(-25.74 * (used_share * used_share) + 54.01 * used_share + 5.74, 1.0)


def pass_ms(
    numbers: Floats | tuple[Values, ...],
    prompts: Values,
    new_tokens: Values,
    sequences: Values,
    context_tokens: Values,
) -> Values:
    """Time of a pass of prompts, or of sequences; of a pass with both, the two added without rounding [ms].

    Parameters
    ----------
    numbers : array or tuple of float
        Tokens of the worker's KV pool [-].
    prompts : bool or array of bool
        Whether the pass has a prompt: one of no counted tokens takes the constant still.
    new_tokens, sequences, context_tokens
        As in `PassWork`.

    Examples
    --------
    >>> round(float(pass_ms((1e6,), True, 128.0, 0.0, 0.0)), 6), float(pass_ms((1e6,), False, 0.0, 1.0, 0.0))
    (18.451798, 5.74)
    """
    share = np.minimum(context_tokens / numbers[POOL_TOKENS], 1.0)
    return prompts * prefill_ms(new_tokens) + (sequences > 0) * decode_ms(share)
