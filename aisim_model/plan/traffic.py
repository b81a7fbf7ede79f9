"""A trace as what a plan is asked for: its mean request, and how many arrive a second."""

from __future__ import annotations

from aisim_model.errors import InputError
from aisim_model.scenario import Scenario
from aisim_model.traces.trace import Trace


def asked_by(scenario: Scenario, trace: Trace) -> Scenario:
    """Return a scenario whose workload is the mean request of a trace, at its rate.

    Parameters
    ----------
    scenario : Scenario
        Model, targets and rows.
    trace : Trace
        The traffic.

    Raises
    ------
    InputError
        For requests that all arrive at once.

    Examples
    --------
    >>> import numpy as np
    >>> trace = Trace(np.array([0.0, 500.0, 1000.0]), np.array([100, 200, 300]), np.array([10, 10, 10]))
    >>> found = asked_by(Scenario(), trace).workload
    >>> found.prompt_tokens, found.output_tokens, round(found.arrivals_per_s, 1)
    (200, 10, 3.0)
    """
    rate = trace.requests_per_s()
    if rate is None:
        problem = "has requests that all arrive at once, so that no rate is known"
        raise InputError("trace", len(trace), problem, "Give one with arrivals over time.")
    prompt, output = (max(round(float(each.mean())), 1) for each in (trace.input_tokens, trace.output_tokens))
    workload = scenario.workload
    return scenario.with_workload(
        prompt_tokens=prompt,
        output_tokens=output,
        arrivals_per_s=rate,
        prefill_cached_tokens=min(workload.prefill_cached_tokens, prompt),
        decode_cached_tokens=min(workload.decode_cached_tokens, prompt),
    )
