"""What one pass of a worker works on: the only thing that its time depends on beside the worker itself."""

from __future__ import annotations

from typing import NamedTuple

from aisim_model.arrays import Values


class PassWork(NamedTuple):
    """Tokens of a pass; each a float, or arrays that broadcast against each other.

    Parameters
    ----------
    new_tokens : float or array of float64
        Prompt tokens that the pass computes [-].
    attended_tokens : float or array of float64
        The sum over its prompts of ``reached ** 2 - before ** 2``, with `before` the tokens of a prompt that
        are there already and `reached` those that are there after the pass: twice the pairs of tokens that
        attention looks at [-].
    cached_tokens : float or array of float64
        The sum of `before`: tokens whose KV is read for the new ones [-].
    resumed_tokens : float or array of float64
        Those of them that earlier passes computed for the same prompts; the others were cache hits [-].
    sequences : float or array of float64
        Sequences that take a token each [-].
    context_tokens : float or array of float64
        Tokens that these sequences hold together [-].
    """

    new_tokens: Values = 0.0
    attended_tokens: Values = 0.0
    cached_tokens: Values = 0.0
    resumed_tokens: Values = 0.0
    sequences: Values = 0.0
    context_tokens: Values = 0.0


def prompt_work(
    new_tokens: Values,
    cached_tokens: Values = 0.0,
    resumed_tokens: Values = 0.0,
    sequences: Values = 0.0,
    context_tokens: Values = 0.0,
) -> PassWork:
    """Return the work of a pass with one prompt, and of sequences that decode beside it.

    Parameters
    ----------
    new_tokens, cached_tokens, resumed_tokens, sequences, context_tokens
        As in `PassWork`.

    Examples
    --------
    >>> prompt_work(100.0, 20.0).attended_tokens
    14000.0
    """
    attended = new_tokens * (2.0 * cached_tokens + new_tokens)
    return PassWork(new_tokens, attended, cached_tokens, resumed_tokens, sequences, context_tokens)
