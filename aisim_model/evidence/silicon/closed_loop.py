"""TTFT and TPOT of a closed loop of requests, from the time of a pass.

A client keeps c requests in flight and sends the next as soon as one ends. A worker decodes B of them; where
it prefills too, a prompt comes by once in ``output tokens / B`` steps and makes that step a mixed pass:

``TPOT = step(B) + B / output * (pass(prompt, B) - step(B))`` aggregated, ``step(B)`` split
``TTFT = first_token + pass(prompt, B-1) * (1 + 0.05 (c-1)) + step/2 where c > 1 + streamed_steps * TPOT``

with contexts halfway through the answer. All requests are there at once at the start: a tenth of all
(10 x c follow) waits for half of the others, hence 0.05. A prompt arrives halfway through a step. The
first and the last part of TTFT are the client's, not the model's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aisim_model.arrays import Values
from aisim_model.passes.constants import ClientConstants

# new tokens, attended, cached tokens, sequences, context tokens -> ms
Pass = Callable[..., Values]


class Load(NamedTuple):
    """What a closed loop asks of a worker; floats, or arrays of one a row.

    Parameters
    ----------
    prompt_tokens, output_tokens : float
        Of a request [-].
    concurrency : float
        Requests in flight, of all workers [-].
    aggregated : bool
        Whether the worker prefills too.
    """

    prompt_tokens: Values
    output_tokens: Values
    concurrency: Values
    aggregated: bool | npt.NDArray[np.bool_]


def step_ms(run_pass: Pass, load: Load, sequences: Values) -> Values:
    """Time of one decode step, contexts halfway through the answer [ms].

    Examples
    --------
    >>> step_ms(lambda n, pairs, cached, b, context: 5.0 + context / 100, Load(100.0, 200.0, 2.0, True), 2.0)
    9.0
    """
    context = sequences * (load.prompt_tokens + load.output_tokens / 2.0)
    return run_pass(0.0 * context, 0.0 * context, 0.0 * context, sequences, context)


def mixed_pass_ms(run_pass: Pass, load: Load, sequences: Values) -> Values:
    """Time of one pass of a whole prompt beside so many sequences [ms]."""
    context = sequences * (load.prompt_tokens + load.output_tokens / 2.0)
    pairs = load.prompt_tokens * load.prompt_tokens
    return run_pass(load.prompt_tokens + 0.0 * context, pairs, 0.0 * context, sequences, context)


def tpot_ms(run_pass: Pass, load: Load, sequences: Values) -> Values:
    """Mean time between output tokens.

    Parameters
    ----------
    run_pass : callable
        Time of a pass of the worker [ms].
    load : Load
        What the loop asks.
    sequences : float or array of float64
        Sequences that decode on the worker [-].

    Returns
    -------
    float or array of float64
        Mean [ms].

    Examples
    --------
    A step of 10 ms, a mixed pass of 60; 2 sequences of 100 tokens let a prompt in once in 50 steps:
    10 + 50 / 50.

    >>> float(tpot_ms(lambda n, *rest: 10.0 + n, Load(50.0, 100.0, 2.0, True), 2.0))
    11.0
    """
    step = step_ms(run_pass, load, sequences)
    longer = mixed_pass_ms(run_pass, load, sequences) - step
    return step + np.where(load.aggregated, sequences / load.output_tokens * longer, 0.0)


def ttft_ms(run_pass: Pass, load: Load, most_sequences: Values, client: ClientConstants) -> Values:
    """Mean time to the first token of an aggregated worker.

    Parameters
    ----------
    run_pass, load
        As in `tpot_ms`.
    most_sequences : float or array of float64
        Requests that the worker has in flight [-]; all but the one that arrives decode.
    client : ClientConstants
        What the client adds.

    Returns
    -------
    float or array of float64
        Mean [ms].

    Examples
    --------
    A step of 10 ms, a mixed pass of 60, three further requests: 60 x 1.15 + 5, and 40 of the client.

    >>> client = ClientConstants(first_token_ms=40.0, burst_share=0.05, streamed_steps=0.0)
    >>> float(ttft_ms(lambda n, *rest: 10.0 + n, Load(50.0, 100.0, 4.0, True), 4.0, client))
    114.0
    """
    others = np.maximum(most_sequences - 1.0, 0.0)
    prefill = mixed_pass_ms(run_pass, load, others)
    burst = 1.0 + client.burst_share * (load.concurrency - 1.0)
    wait = step_ms(run_pass, load, most_sequences) / 2.0 * (load.concurrency > 1.0)
    streamed = client.streamed_steps * tpot_ms(run_pass, load, most_sequences)
    return client.first_token_ms + prefill * burst + wait + streamed
