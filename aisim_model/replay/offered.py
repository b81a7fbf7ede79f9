"""Offered load: the work that a trace asks of each resource, over what it can do while requests arrive."""

from __future__ import annotations

import numpy as np

from aisim_model.replay.result import ReplayResult
from aisim_model.replay.settings import settings_of_times
from aisim_model.replay.timing import pass_ms, step_ms

SAMPLED_REQUESTS = 1_000  # whose prefill is timed one by one where passes mix it with decoding


def links(result: ReplayResult) -> int:
    """Return how many links the transfers use: one a worker of the scope, or one for all."""
    config = result.config
    if config.scope == "shared":
        return 1
    return (config.prefill_workers if config.scope == "source" else config.decode_workers) or 0


def wire_busy_ms(result: ReplayResult) -> float:
    """Return the time that transfers would take one by one, with a link each to itself [ms]."""
    return float(np.nansum(result.column("transfer_alone_ms")))


def offered_loads(result: ReplayResult) -> dict[str, float]:
    """Return the load of each resource; above 1 it can't be carried: its queue grows while requests arrive.

    In a closed loop nothing is asked beyond what is done, so work counts over all of the replay.

    Prefill and link count the time that they were at work. Decode counts the time that its tokens would take
    in the largest passes that its pool allows: a decode worker that is never idle can still take more
    sequences. Aggregated workers count both. At level ``fifo`` decode counts the room that its sequences
    take, handed over or decoding; it is 0 where any number has room.

    Parameters
    ----------
    result : ReplayResult
        A finished replay.

    Returns
    -------
    dict of str to float
        By ``prefill``, ``link`` and ``decode``, or ``workers`` where they are aggregated [-]; empty where all
        requests arrive at once.

    Examples
    --------
    >>> from aisim_model.replay import ReplayConfig, replay
    >>> from aisim_model.passes import fixed, polynomial, rate
    >>> from aisim_model.traces import Trace
    >>> trace = Trace(np.array([0.0, 1000.0]), np.array([100, 300]), np.array([2, 2]))
    >>> config = ReplayConfig(
    ...     prefill_workers=1, decode_workers=1, bandwidth_gb_s=1.0, kv_bytes_per_token=1_000_000,
    ...     prefill=fixed(250.0),
    ... )

    Two passes of 250 ms and transfers of 100 and 300 ms in one second:

    >>> {name: round(load, 6) for name, load in offered_loads(replay(trace, config)).items()}
    {'prefill': 0.5, 'link': 0.4, 'decode': 0.0}
    """
    config, span_ms = result.config, result.trace.span_ms
    if config.concurrency is not None:
        span_ms = result.end_ms
    if span_ms <= 0.0:
        return {}
    if config.aggregated:
        workers = config.aggregated_workers or 1
        return {"workers": (_prompts_ms(result) + _tokens_ms(result)) / span_ms / workers}
    return {
        "prefill": float(result.prefill_busy_ms.sum()) / span_ms / (config.prefill_workers or 1),
        "link": wire_busy_ms(result) / span_ms / links(result),
        "decode": _tokens_ms(result) / span_ms / (config.decode_workers or 1),
    }


def _tokens_ms(result: ReplayResult) -> float:
    """Return the time that all tokens take in the largest decode passes that a pool allows [ms]."""
    config, trace = result.config, result.trace
    tokens = trace.output_tokens.astype(np.float64)
    if config.resolved_level == "fifo":
        return _room_ms(result, float(tokens.sum())) / config.max_sequences if config.max_sequences else 0.0
    context = float((tokens * (trace.input_tokens + tokens / 2)).sum() / tokens.sum())
    settings, pool = settings_of_times(config), float(config.pool_blocks) * config.block_size
    batch = min(max(pool // context, 1.0), float(config.pass_sequences))
    return float(tokens.sum() * step_ms(settings[0], batch, batch * context) / batch)


def _room_ms(result: ReplayResult, tokens: float) -> float:
    """Return the time for which sequences have room where nothing queues: until activation, then decoding."""
    config = result.config
    per_step_ms = step_ms(settings_of_times(config)[0], 1.0, 0.0)  # the same whatever the batch
    taken = tokens * per_step_ms + wire_busy_ms(result)
    if config.order == "destination_first":
        taken += float(result.prefill_busy_ms.sum()) + config.orchestration_ms * len(result)
    return taken


def _prompts_ms(result: ReplayResult) -> float:
    """Return the time that all prompts take in passes of their own, from a sample of them [ms]."""
    config, rows = result.config, len(result)
    sample = np.unique(np.linspace(0, rows - 1, min(SAMPLED_REQUESTS, rows)).astype(np.int64))
    settings = settings_of_times(config)
    held = result.column("reused_tokens")[sample].astype(np.float64)
    left, hits = result.column("input_length")[sample] - held, held
    spent = 0.0
    while left.any():
        taken = np.minimum(left, config.prefill_chunk_tokens)
        reached = held + taken
        passes = zip(taken.tolist(), held.tolist(), reached.tolist(), hits.tolist(), strict=True)
        for new, before, after, hit in passes:
            if new > 0:
                attended = after * after - before * before
                spent += pass_ms(settings[0], 1, new, attended, before, before - hit, 0.0, 0.0)
        held, left = reached, left - taken
    return spent * rows / sample.size
