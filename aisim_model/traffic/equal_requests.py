"""Requests that are all like a workload's, as a trace."""

from __future__ import annotations

from aisim_model.scenario import Workload
from aisim_model.traces.synthetic import FixedLength, SyntheticTraffic, synthetic_trace
from aisim_model.traces.trace import Trace


def equal_requests(workload: Workload, requests_per_s: float, requests: int, seed: int) -> Trace:
    """Return requests of the workload's lengths that arrive at random.

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
    return synthetic_trace(
        SyntheticTraffic(
            requests=requests,
            requests_per_s=requests_per_s,
            input_tokens=FixedLength(tokens=workload.prompt_tokens),
            output_tokens=FixedLength(tokens=workload.output_tokens),
            seed=seed,
        )
    )
