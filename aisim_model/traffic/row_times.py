"""The request that a trace is made of on average, and how many of them a row's workers decode at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from aisim_model.row.closed_load import in_flight
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


def typical_request(x: ResolvedRow, trace: Trace, concurrency: int | None = None) -> TypicalRequest:
    """Return the mean request of a trace, and how many of them a decode step has.

    They are those of the estimate under load at the trace's rate, `Service.batch_at` and `Service.in_step`,
    or of that with so many in flight. Requests that all arrive at once, or more than a worker can run, decode
    as many at once as have room.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> import numpy as np
    >>> trace = Trace(np.array([0.0, 1000.0]), np.array([100, 300]), np.array([10, 10]))
    >>> found = typical_request(resolve(Scenario().workload, Scenario().selected), trace)
    >>> found.prompt_tokens, found.output_tokens, round(found.decoding, 2)
    (200.0, 10.0, 1.17)
    """
    prompt, output = float(trace.input_tokens.mean()), float(trace.output_tokens.mean())
    mean = replace(x, prompt_tokens=prompt, prefill_cached_tokens=0.0, decode_cached_tokens=0.0)
    served = service(mean, output)
    rate, most = trace.requests_per_s(), max(served.most_sequences, 1.0)
    if concurrency is not None:
        decoding = min(max(in_flight(served, float(min(concurrency, len(trace)))).batch, 1.0), most)
    elif rate is None:
        decoding = min(max(len(trace) / served.decode_workers, 1.0), most)
    else:
        batch = served.batch_at(rate)
        decoding = served.in_step(served.full_batch if math.isinf(batch) else batch)
    return TypicalRequest(prompt, output, decoding, most, served.step_of_ms(decoding))
