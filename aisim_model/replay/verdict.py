"""What held a trace up: load against capacity, and what the slowest requests waited for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from pydantic import BaseModel, ConfigDict

from aisim_model.replay.compiled import Floats
from aisim_model.replay.offered import links, offered_loads, wire_busy_ms
from aisim_model.replay.result import ReplayResult, timed_bytes
from aisim_model.ttft_parts import PART_NAMES, PARTS

SLOWEST_SHARE = 0.01


class Verdict(BaseModel):
    """Which resource a replay waited for.

    Parameters
    ----------
    bottleneck : str
        ``prefill``, ``link``, ``decode``, ``orchestration``, or ``workers`` where they are aggregated: what
        is asked for the most beyond what it can do, else what the slowest requests wait for.
    prefill_utilisation, link_utilisation, decode_utilisation : float or None
        Share of the replay's time that the resource was busy, the mean over its workers or links [-]; None
        where there is none of it.
    offered_gb_s : float or None
        KV bytes of all full prompts over the span of arrivals [GB/s]; None where bytes or span are unknown.
    capacity_gb_s : float or None
        What the links carry of such bytes together [GB/s]: less than their bandwidth where a transfer takes
        more time than its bytes alone; None where workers are aggregated or the bandwidth is unknown.
    offered_load : dict of str to float
        What each resource is asked for over what it can do, as of `offered_loads` [-].
    carried : bool or None
        Whether no resource is offered more than it can do; None where all requests arrive at once.
    slowest_wait_ms : dict of str to float
        Mean of each part of the TTFT over the slowest hundredth of requests [ms].
    """

    model_config = ConfigDict(frozen=True)

    bottleneck: str
    prefill_utilisation: float | None
    link_utilisation: float | None
    decode_utilisation: float | None
    offered_gb_s: float | None
    capacity_gb_s: float | None
    offered_load: dict[str, float]
    carried: bool | None
    slowest_wait_ms: dict[str, float]


def _utilisation(busy_ms: Floats | float, workers: int | None, end_ms: float) -> float | None:
    if not workers or end_ms <= 0.0:
        return None
    return float(np.sum(busy_ms)) / (workers * end_ms)


def slowest(result: ReplayResult, share: float = SLOWEST_SHARE) -> dict[str, float]:
    """Return the mean of each part over the requests of the highest TTFT [ms]; empty where none has a TTFT.

    Parameters
    ----------
    result : ReplayResult
        A finished replay.
    share : float
        Which share of the requests counts as slowest, at least one of them [-].
    """
    ttft = result.column("ttft_ms")
    known = np.flatnonzero(np.isfinite(ttft))
    if known.size == 0:
        return {}
    count = max(round(known.size * share), 1)
    worst = known[np.argsort(ttft[known], kind="stable")[-count:]]
    return {part: float(result.column(part)[worst].mean()) for part in PART_NAMES}


def _bottleneck(result: ReplayResult, waits: Mapping[str, float], loads: Mapping[str, float]) -> str:
    """Return what is asked for the most beyond what it can do, else what the slowest requests wait for.

    Where nothing is overloaded a wait has its own resource as its cause; where prefill is, prompts may wait
    for it while they hold their place on a decode worker, which then looks full.
    """
    if result.config.aggregated:
        return "workers"
    over = {name: load for name, load in loads.items() if load > 1.0}
    if over:
        return max(over, key=lambda name: over[name])
    totals = dict.fromkeys((part.resource for part in PARTS), 0.0)
    for part in PARTS:
        totals[part.resource] += waits.get(part.name, 0.0)
    return max(totals, key=lambda name: totals[name])


def _offered_gb_s(result: ReplayResult) -> float | None:
    unknown = result.config.aggregated or np.isnan(result.prompts_bytes)
    return None if unknown else result.trace.gb_s(result.prompts_bytes)


def _capacity_gb_s(result: ReplayResult) -> float | None:
    config = result.config
    if config.aggregated or not config.bandwidth_gb_s:
        return None
    timed = float(timed_bytes(result.trace.input_tokens, config).sum())
    on_links = result.prompts_bytes / timed if timed > 0.0 else 1.0
    return config.bandwidth_gb_s * links(result) * on_links


def verdict(result: ReplayResult) -> Verdict:
    """Say which resource the slowest requests waited for, and whether the load can be carried.

    Parameters
    ----------
    result : ReplayResult
        A finished replay.

    Returns
    -------
    Verdict
        The verdict.
    """
    config, end_ms = result.config, result.end_ms
    first_pool = config.aggregated_workers or config.prefill_workers
    waits, loads = slowest(result), offered_loads(result)
    return Verdict(
        bottleneck=_bottleneck(result, waits, loads),
        prefill_utilisation=_utilisation(result.prefill_busy_ms, first_pool, end_ms),
        link_utilisation=(
            None if config.aggregated else _utilisation(wire_busy_ms(result), links(result), end_ms)
        ),
        decode_utilisation=_utilisation(result.decode_busy_ms, config.decode_workers, end_ms),
        offered_gb_s=_offered_gb_s(result),
        capacity_gb_s=_capacity_gb_s(result),
        offered_load=loads,
        carried=max(loads.values()) <= 1.0 if loads else None,
        slowest_wait_ms=waits,
    )
