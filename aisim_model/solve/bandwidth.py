"""Bandwidth that a target needs, and the links that bring it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from aisim_model.roots import root
from aisim_model.row.resolved import ResolvedRow
from aisim_model.solve.target import Target

MIN_GB_S, MAX_GB_S = 1e-9, 1e12


def bandwidth_for(x: ResolvedRow, target: Target) -> float:
    """Least bandwidth of one handoff at which a target is met [GB/s].

    Without overlap only the wire time depends on bandwidth, as one over it, and the formula inverts:
    ``wire at 1 GB/s / (target - the rest)``. With overlap it is bracketed. Either is then brought to the last
    bit: the answer meets the target, the next smaller float misses it.

    Parameters
    ----------
    x : ResolvedRow
        A resolved row, its numbers single ones.
    target : Target
        What has to be met.

    Returns
    -------
    float
        0 where the target is met whatever the link ("always"); infinity where the rest alone misses it
        ("never").

    Examples
    --------
    Llama-3.1-70B, 8,192 tokens of 327,680 bytes within 20 ms:

    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> asked = Workload(model_id="llama-3.1-70b", prompt_tokens=8192)
    >>> bandwidth_for(resolve(asked, Deployment(id="a", name="a")), Target("handoff", 20.0))
    134.217728
    """

    def at_ms(bandwidth_gb_s: float) -> float:
        return float(target.time_ms(replace(x, bandwidth_gb_s=bandwidth_gb_s)))

    def met(bandwidth_gb_s: float) -> bool:
        return at_ms(bandwidth_gb_s) <= target.at_most_ms

    rest_ms, at_one_ms = at_ms(math.inf), at_ms(1.0)
    if not target.waits_for_link(x) or rest_ms == at_one_ms:
        return 0.0 if rest_ms <= target.at_most_ms else math.inf
    if rest_ms >= target.at_most_ms:
        return math.inf
    if x.profile.overlap == "none":
        left_ms = target.at_most_ms - rest_ms
        needed = (at_one_ms - rest_ms) / left_ms
        # a wire time that is little beside the rest has few digits at 1 GB/s: once more, near the answer
        needed *= (at_ms(needed) - rest_ms) / left_ms
        return _least(met, needed)
    if met(MIN_GB_S):
        return 0.0
    if not met(MAX_GB_S):
        return math.inf
    exponent = root(lambda e: at_ms(math.exp(e)) - target.at_most_ms, math.log(MIN_GB_S), math.log(MAX_GB_S))
    return _least(met, math.exp(exponent))


def _least(met: Callable[[float], bool], near: float) -> float:
    """Return the float at which something holds that doesn't hold one last bit below, sought from nearby.

    Examples
    --------
    >>> _least(lambda x: x >= 0.5, 0.6), _least(lambda x: x >= 0.5, 0.4)
    (0.5, 0.5)
    """
    holds, fails, step = near, near, math.ulp(near)
    while not met(holds):
        fails, holds, step = holds, holds + step, 2.0 * step
    while met(fails):
        holds, fails, step = fails, max(fails - step, 0.0), 2.0 * step
    while fails < (middle := fails + (holds - fails) / 2.0) < holds:
        holds, fails = (middle, fails) if met(middle) else (holds, middle)
    return holds


def bandwidth_for_ttft(x: ResolvedRow, ttft_slo_ms: float) -> float:
    """Least bandwidth of one handoff at which TTFT meets its SLO [GB/s], as `bandwidth_for` gives it.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> row = Deployment(id="a", name="a", prefill_model="fixed", prefill_pass_ms=0, chunk_tokens=100_000,
    ...                  decode_model="fixed", decode_step_ms=0)
    >>> round(bandwidth_for_ttft(resolve(Workload(prompt_tokens=1000), row), 262.144), 6)
    1.0
    """
    return bandwidth_for(x, Target("ttft", ttft_slo_ms))


@dataclass(frozen=True)
class Links:
    """Links of a row's own kind that bring a bandwidth.

    Parameters
    ----------
    count : int
        Links side by side [-], of what the link is rated per (`Link.scope`).
    nics_per_gpu : float or None
        NICs of a GPU that bring it [-]; None for a link that isn't rated per NIC.
    """

    count: int
    nics_per_gpu: float | None


def links_for(x: ResolvedRow, bandwidth_gb_s: float) -> Links | None:
    """Count the links that bring a bandwidth at their nominal figure; None for one out of reach.

    Examples
    --------
    134 GB/s over 400G NICs of 50 GB/s, four ranks a side:

    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> links_for(resolve(Workload(), Deployment(id="a", name="a")), 134.217728)
    Links(count=3, nics_per_gpu=0.67108864)
    """
    if math.isinf(bandwidth_gb_s):
        return None
    links = bandwidth_gb_s / x.link.nominal_gb_s
    ranks = min(x.row.side("prefill").group_gpus, x.row.side("decode").group_gpus)
    return Links(math.ceil(links), links / ranks if x.link.scope == "nic" else None)
