"""Requests of a workload's lengths, as a trace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from aisim_model.scenario import Workload
from aisim_model.traces.synthetic import FixedLength, SyntheticTraffic, synthetic_trace
from aisim_model.traces.trace import Trace


def equal_requests(workload: Workload, requests_per_s: float, requests: int, seed: int) -> Trace:
    """Return requests of the workload's lengths, all alike or evenly drawn, that arrive at random.

    Parameters
    ----------
    workload : Workload
        For the tokens of a prompt and of an answer.
    requests_per_s : float
        Mean rate of arrival [requests/s].
    requests : int
        How many [-].
    seed : int
        Equal seeds, equal traffic.

    Examples
    --------
    >>> len(equal_requests(Workload(), 2.0, 100, seed=0))
    100
    """
    trace = synthetic_trace(
        SyntheticTraffic(
            requests=requests,
            requests_per_s=requests_per_s,
            input_tokens=FixedLength(tokens=workload.prompt_tokens),
            output_tokens=FixedLength(tokens=workload.output_tokens),
            seed=seed,
        )
    )
    if workload.least_length_share == 1.0:
        return trace
    drawn = np.random.default_rng((seed, 1)).uniform(workload.least_length_share, 1.0, (2, requests))
    prompts, outputs = drawn * [[workload.prompt_tokens], [workload.output_tokens]]
    return replace(trace, input_tokens=_whole(prompts), output_tokens=_whole(outputs))


def _whole(tokens: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    return np.maximum(np.rint(tokens), 1.0).astype(np.int64)
