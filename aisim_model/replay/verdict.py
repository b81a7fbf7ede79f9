"""What held a trace up: load against capacity, what the slowest requests waited for, and a sentence."""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, ConfigDict

from aisim_model.replay.compiled import Floats
from aisim_model.replay.result import PARTS, ReplayResult
from aisim_model.replay.summary import finite
from aisim_model.units import BYTES_PER_GB, MS_PER_S

SLOWEST_SHARE = 0.01
BUSY = 0.95  # a resource that is busy for more than this share can hardly take more
WAITS = {
    "prefill": ("queue_ms", "prefill_ms"),
    "link": ("link_queue_ms", "transfer_ms"),
    "decode": ("reservation_ms", "activation_ms", "decode_step_ms"),
    "orchestration": ("orchestration_ms",),
}
REMEDIES = {
    "prefill": "add prefill, not links",
    "link": "add bandwidth, or send less",
    "decode": "add decode workers, or blocks of KV",
    "orchestration": "shorten the handover itself",
    "workers": "add workers",
}


class Verdict(BaseModel):
    """Which resource a replay waited for.

    Parameters
    ----------
    bottleneck : str
        ``prefill``, ``link``, ``decode``, ``orchestration``, or ``workers`` where they are aggregated.
    sentence : str
        The verdict in words.
    prefill_utilisation, link_utilisation, decode_utilisation : float or None
        Share of the replay's time that the resource was busy, the mean over its workers or links [-]; None
        where there is none of it.
    offered_gb_s : float or None
        KV bytes of all full prompts over the span of arrivals [GB/s]; None where bytes or span are unknown.
    capacity_gb_s : float or None
        What the links carry together [GB/s]; None where workers are aggregated or the bandwidth is unknown.
    carried : bool
        Whether the offered load can be carried: the busiest resource is not full all the time, and the links
        carry the bytes.
    slowest_wait_ms : dict of str to float
        Mean of each part of the TTFT over the slowest hundredth of requests [ms].
    """

    model_config = ConfigDict(frozen=True)

    bottleneck: str
    sentence: str
    prefill_utilisation: float | None
    link_utilisation: float | None
    decode_utilisation: float | None
    offered_gb_s: float | None
    capacity_gb_s: float | None
    carried: bool
    slowest_wait_ms: dict[str, float]


def links(result: ReplayResult) -> int:
    """Return how many links the transfers use: one a worker of the scope, or one for all."""
    config = result.config
    if config.scope == "shared":
        return 1
    return (config.prefill_workers if config.scope == "source" else config.decode_workers) or 0


def wire_busy_ms(result: ReplayResult) -> float:
    """Return the time that transfers would take one by one, with a link each to itself [ms]."""
    return float(finite(result.column("transfer_alone_ms")).sum())


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
    return {part: float(result.column(part)[worst].mean()) for part in PARTS}


def _bottleneck(result: ReplayResult, waits: dict[str, float]) -> str:
    if result.config.aggregated:
        return "workers"
    totals = {name: sum(waits.get(part, 0.0) for part in parts) for name, parts in WAITS.items()}
    return max(totals, key=lambda name: totals[name])


def _offered_gb_s(result: ReplayResult) -> float | None:
    config, trace = result.config, result.trace
    if config.kv_bytes_per_token is None or trace.span_ms == 0.0 or config.aggregated:
        return None
    total = float(trace.input_tokens.sum()) * config.kv_bytes_per_token + len(trace) * config.state_bytes
    for window in config.windows:
        total += window.bytes_per_token * float(np.minimum(trace.input_tokens, window.window_tokens).sum())
    return total / BYTES_PER_GB / (trace.span_ms / MS_PER_S)


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
    prefill = _utilisation(result.prefill_busy_ms, first_pool, end_ms)
    decode = _utilisation(result.decode_busy_ms, config.decode_workers, end_ms)
    link = None if config.aggregated else _utilisation(wire_busy_ms(result), links(result), end_ms)
    offered = _offered_gb_s(result)
    capacity = (
        config.bandwidth_gb_s * links(result) if config.bandwidth_gb_s and not config.aggregated else None
    )
    waits = slowest(result)
    bottleneck = _bottleneck(result, waits)
    overrun = offered is not None and capacity is not None and offered > capacity
    full = any(share is not None and share > BUSY for share in (prefill, link, decode))
    return Verdict(
        bottleneck=bottleneck,
        sentence=_sentence(result, bottleneck, waits, (prefill, link, decode), (offered, capacity)),
        prefill_utilisation=prefill,
        link_utilisation=link,
        decode_utilisation=decode,
        offered_gb_s=offered,
        capacity_gb_s=capacity,
        carried=not (overrun or full),
        slowest_wait_ms=waits,
    )


def _sentence(
    result: ReplayResult,
    bottleneck: str,
    waits: dict[str, float],
    busy: tuple[float | None, float | None, float | None],
    load: tuple[float | None, float | None],
) -> str:
    """Put the verdict in words."""
    if not waits:
        return "No request got a first token."
    names = ("workers",) if result.config.aggregated else ("prefill", "links", "decode")
    shares = ", ".join(
        f"{name} {share:.0%} busy" for name, share in zip(names, busy, strict=False) if share is not None
    )
    part = max(waits, key=lambda name: waits[name]).removesuffix("_ms").replace("_", " ")
    text = (
        f"The slowest hundredth wait most for {part}: {bottleneck}-bound ({shares}); {REMEDIES[bottleneck]}."
    )
    offered, capacity = load
    if offered is not None and capacity is not None and offered > capacity:
        text += (
            f" The load offers {offered:.3g} GB/s, the links carry {capacity:.3g}: the queue grows on and on."
        )
    return text
