"""The inverse questions: what bandwidth, prompt or share of the prompt meets a target.

Exact where the formula inverts, by bracketing where it doesn't; 0 says "always" and infinity "never".
"""

from __future__ import annotations

import math
from dataclasses import replace

from scipy.optimize import brentq

from aisim_model.inputs import Inputs
from aisim_model.ttft import breakdown

MAX_GB_S = 1e12


def bandwidth_for_ttft(x: Inputs, ttft_slo_ms: float) -> float:
    """Least bandwidth of one handoff at which TTFT meets its SLO [GB/s].

    Parameters
    ----------
    x : Inputs
        A resolved row, its numbers single ones.
    ttft_slo_ms : float
        Target [ms].

    Returns
    -------
    float
        0 where TTFT doesn't wait for the link; infinity where the rest alone misses the target.

    Examples
    --------
    >>> from aisim_model.scenario import Deployment, Workload
    >>> from aisim_model.inputs import resolve
    >>> row = Deployment(id="a", name="a", prefill_model="fixed", prefill_pass_ms=0, chunk_tokens=100_000,
    ...                  decode_model="fixed", decode_step_ms=0)
    >>> round(bandwidth_for_ttft(resolve(Workload(prompt_tokens=1000), row), 262.144), 6)
    1.0
    """

    def ttft_at(bandwidth_gb_s: float) -> float:
        return float(breakdown(replace(x, bandwidth_gb_s=bandwidth_gb_s)).ttft_ms)

    if not x.row.split or x.profile.first_token_from == "prefill":
        return 0.0 if ttft_at(1.0) <= ttft_slo_ms else math.inf
    at_any = ttft_at(math.inf)
    if at_any >= ttft_slo_ms:
        return math.inf
    if x.profile.overlap == "none":  # then only the wire depends on bandwidth, as one over it
        return (ttft_at(1.0) - at_any) / (ttft_slo_ms - at_any)
    low, high = 1e-9, MAX_GB_S
    if ttft_at(low) <= ttft_slo_ms:
        return 0.0
    if ttft_at(high) > ttft_slo_ms:
        return math.inf
    log = brentq(lambda e: ttft_at(math.exp(e)) - ttft_slo_ms, math.log(low), math.log(high), xtol=1e-12)
    return math.exp(float(log))
