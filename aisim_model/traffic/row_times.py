"""A row's prefill and decode models as the numbers that a replay takes of them, pass by pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import decode_step_ms
from aisim_model.traces.trace import Trace
from aisim_model.units import MS_PER_S

MOST_SEQUENCES = 256  # of a pass, in the replay as in the engines
SETTLING_ROUNDS = 60  # a batch that keeps its own step time is found in far fewer


@dataclass(frozen=True)
class TypicalRequest:
    """What a model that isn't a line in the batch is drawn straight at.

    Parameters
    ----------
    prompt_tokens, output_tokens : float
        Means of a trace [-].
    decoding : float
        Sequences that one worker decodes at a time [-], from 1 to 256.
    """

    prompt_tokens: float
    output_tokens: float
    decoding: float


def typical_request(x: ResolvedRow, trace: Trace) -> TypicalRequest:
    """Return the mean request of a trace, and how many of them a worker decodes at a time.

    By Little's law: ``batch = requests_per_s * output_tokens * step(batch) / workers``. Requests that all
    arrive at once are taken as decoding at once.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> trace = Trace(np.array([0.0, 1000.0]), np.array([100, 300]), np.array([10, 10]))
    >>> typical_request(resolve(Scenario().workload, Scenario().selected), trace)
    TypicalRequest(prompt_tokens=200.0, output_tokens=10.0, decoding=1.0)
    """
    prompt, output = float(trace.input_tokens.mean()), float(trace.output_tokens.mean())
    workers = x.row.decode_workers if x.row.split else x.row.prefill_workers
    rate, batch = trace.requests_per_s(), 1.0
    if rate is None:
        batch = len(trace) / workers
    else:
        for _ in range(SETTLING_ROUNDS):
            step_ms = decode_step_ms(x, prompt + output / 2.0, batch)
            batch = float(np.clip(rate / workers * output * step_ms / MS_PER_S, 1.0, MOST_SEQUENCES))
    return TypicalRequest(prompt, output, float(np.clip(batch, 1.0, MOST_SEQUENCES)))
