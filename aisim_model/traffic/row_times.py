"""The request that a trace is made of on average, and how many of them a row's workers decode at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.service import service
from aisim_model.traces.trace import Trace


@dataclass(frozen=True)
class TypicalRequest:
    """The mean request of a trace.

    Parameters
    ----------
    prompt_tokens, output_tokens : float
        Means of a trace [-].
    decoding : float
        Sequences of a decode step [-], at least 1.
    most_sequences : float
        Sequences that one worker has room for [-], at least 1.
    step_ms : float
        Time of a decode step of so many, halfway through their answers [ms].
    """

    prompt_tokens: float
    output_tokens: float
    decoding: float
    most_sequences: float = 1.0
    step_ms: float = 0.0


def typical_request(x: ResolvedRow, trace: Trace) -> TypicalRequest:
    """Return the mean request of a trace, and how many of them a decode step has.

    They are those of the estimate under load at the trace's rate, `Service.batch_at` and `Service.in_step`.
    Requests that all arrive at once, or more than a worker can run, decode as many at once as have room.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> trace = Trace(np.array([0.0, 1000.0]), np.array([100, 300]), np.array([10, 10]))
    >>> found = typical_request(resolve(Scenario().workload, Scenario().selected), trace)
    >>> found.prompt_tokens, found.output_tokens, found.decoding
    (200.0, 10.0, 1.0)
    """
    prompt, output = float(trace.input_tokens.mean()), float(trace.output_tokens.mean())
    mean = replace(x, prompt_tokens=prompt, prefill_cached_tokens=0.0, decode_cached_tokens=0.0)
    served = service(mean, output)
    rate, most = trace.requests_per_s(), max(served.most_sequences, 1.0)
    if rate is None:
        batch = len(trace) / served.decode_workers
    else:
        batch = served.batch_at(rate)
        if math.isinf(batch):
            batch = served.full_batch
    return TypicalRequest(prompt, output, served.in_step(batch), most, served.step_ms(batch))
