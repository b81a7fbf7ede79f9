"""From a configuration and a trace to the records and tables of a replay."""

from __future__ import annotations

import numpy as np

from aisim_model.errors import InputError
from aisim_model.handoff import TransferTimingMode
from aisim_model.passes.registry import MIXES, Kind
from aisim_model.replay.capacity import may_run_full, pools_of
from aisim_model.replay.compiled import Integers, Records
from aisim_model.replay.config import MOST_TOKENS, ReplayConfig
from aisim_model.replay.events import CANCEL
from aisim_model.replay.layout import CLOCK, EVENT, NONE, POOLED_REQUEST, REQUEST, SETTINGS, UNLIMITED, WORKER
from aisim_model.replay.prefixes import nodes_of, table_size
from aisim_model.replay.state import Caches, Core, Pools
from aisim_model.traces.trace import Trace

UNSET = ("in_progress", "in_heap", "oldest", "newest", "refused")  # of a worker, beside heads and tails
UNSET_OF_REQUEST = (
    *("next", "left", "right", "next_release", "prefill_worker", "decode_worker"),
    *("before", "after", "took_pass"),
)
MOST_BLOCKS_A_NODE = 2**16 - 1
MOST_DECODE_TOKENS = 20_000_000_000


def _workers(config: ReplayConfig, rows: int) -> tuple[int, int, int]:
    """Return the prefill, decode and aggregated workers that round robin reaches at all."""
    return (
        min(config.prefill_workers or 0, rows),
        min(config.decode_workers or 0, rows),
        min(config.aggregated_workers or 0, rows),
    )


def settings_of_times(config: ReplayConfig) -> Records:
    """Return one record of settings with the times of passes in it."""
    settings = np.zeros(1, SETTINGS).view(np.recarray)
    record = settings[0]
    prefill, decode = config.prefill, config.resolved_decode
    pool_tokens = float(config.pool_blocks) * config.block_size
    for side, model in (("prefill", prefill), ("decode", decode)):
        own = model.kind is Kind.POLYNOMIAL and model.numbers == (0.0,)  # of the pool that is replayed
        numbers = (pool_tokens,) if own else model.numbers
        record[f"{side}_kind"] = model.kind
        record[f"{side}_numbers"][: len(numbers)] = numbers
    record.mixes = config.aggregated and prefill.kind in MIXES and prefill == decode
    return settings


def _settings(trace: Trace, config: ReplayConfig) -> Records:
    settings = settings_of_times(config)
    record = settings[0]
    record.prefill_workers, record.decode_workers, aggregated = _workers(config, len(trace))
    record.aggregated = aggregated > 0
    record.source_first = config.order == "source_first"
    record.destination_missing = config.mode is TransferTimingMode.DESTINATION_MISSING
    record.caching = config.prefix_caching
    record.block = config.block_size
    record.trace_block = trace.block_tokens or config.block_size
    record.chunk = config.prefill_chunk_tokens
    engine = config.resolved_level == "engine"
    record.prefill_sequences = config.pass_sequences if engine else 1
    record.decode_sequences = config.pass_sequences if engine else UNLIMITED
    record.most_held = UNLIMITED if engine else config.max_sequences or UNLIMITED
    record.concurrency = config.concurrency or 0
    record.pool = config.pool_blocks
    record.bytes_known = config.kv_bytes_per_token is not None and bool(config.bandwidth_gb_s)
    record.bytes_per_token, record.state_bytes = config.kv_bytes_per_token or 0.0, config.state_bytes
    record.bandwidth = config.bandwidth_gb_s or 0.0
    record.fallback, record.orchestration = config.fallback_delay_ms, config.orchestration_ms
    record.contention = ("none", "fifo", "fair").index(config.contention)
    record.scope = ("source", "destination", "shared").index(config.scope)
    record.windows = len(config.windows)
    for layer, window in enumerate(config.windows):
        record.window_bytes[layer], record.window_tokens[layer] = window.bytes_per_token, window.window_tokens
    record.first_token = ("decode_step", "shipped", "prefill").index(config.first_token_from)
    return settings


def _requests(trace: Trace, kind: np.dtype[np.void]) -> Records:
    requests = np.zeros(len(trace), kind).view(np.recarray)
    for name in kind.names or ():
        if kind[name] == np.float64:
            requests[name] = np.nan
        elif name in UNSET_OF_REQUEST:
            requests[name] = NONE
    requests["arrival"], requests["prompt"] = trace.arrival_ms, trace.input_tokens
    requests["output"] = trace.output_tokens
    if trace.has_hash_ids:
        requests["first_hash"], requests["hash_count"] = trace.hash_offsets[:-1], np.diff(trace.hash_offsets)
    return requests


def _empty_workers(count: int) -> Records:
    workers = np.zeros(count, WORKER).view(np.recarray)
    for name in WORKER.names or ():
        if name.endswith(("_head", "_tail", "_running", "_current")) or name in UNSET:
            workers[name] = NONE
    workers["link_end"] = -1.0
    return workers


def _nodes(trace: Trace, settings: Records) -> Integers:
    """Return the prefix-tree node of each hash id; none where nothing is cached."""
    if not (settings[0].caching and trace.has_hash_ids):
        return _read_only(np.empty(0, np.int64))
    blocks = int(settings[0].trace_block) // int(settings[0].block) + 1
    if blocks > MOST_BLOCKS_A_NODE:
        problem = f"is too small for the trace's blocks of {settings[0].trace_block:,} tokens"
        raise InputError("block_size", int(settings[0].block), problem, "Choose a larger block size.")
    nodes, settings[0].nodes = nodes_of(trace.hash_ids, trace.hash_offsets)
    settings[0].node_blocks = blocks
    return _read_only(nodes)


def _caches(nodes: Integers, settings: Records, workers: int) -> Caches:
    """Return the tables of what is seen in the smaller of two layouts: by (worker, node), or hashed."""
    straight = workers * int(settings[0].nodes)
    hashed = table_size(nodes.size * (1 if settings[0].aggregated else 2))
    if straight <= hashed * 5:  # 2 bytes a count, 8 more for its key
        return Caches(nodes, np.empty(0, np.int64), np.zeros(straight, np.uint16))
    return Caches(nodes, np.full(hashed, NONE, np.int64), np.zeros(hashed, np.uint16))


def _read_only(values: Integers) -> Integers:
    """Return a view that can't be written to: one type of array, one compilation."""
    view = values.view()
    view.flags.writeable = False
    return view


def _check_sizes(trace: Trace, config: ReplayConfig) -> None:
    for field, values in (("input_tokens", trace.input_tokens), ("output_tokens", trace.output_tokens)):
        largest = int(values.max())
        if largest > MOST_TOKENS:
            row = int(trace.source_rows[int(values.argmax())])
            problem = f"is more than a replay takes (at most {MOST_TOKENS:,}; row {row:,})"
            raise InputError(field, largest, problem, "Leave the row out.")
    if float(trace.output_tokens.astype(np.float64).sum()) > MOST_DECODE_TOKENS:
        problem = f"are more than a replay takes (at most {MOST_DECODE_TOKENS:,} in all)"
        raise InputError("output_tokens", trace.total_output_tokens, problem, "Take a window of the trace.")


def _events(config: ReplayConfig, clock: Records, rows: int, workers: int) -> Records:
    """Return room for all events and actions that can be ahead at once, with the cancellations in it."""
    cancellations = sorted(config.cancellations, key=lambda item: item[1])
    # two actions a request; an event each, and on a fair link two forecasts more that may be stale
    ahead = (4 if config.contention == "fair" else 2) * rows
    events = np.zeros(2 * workers + ahead + len(cancellations) + 16, EVENT).view(np.recarray)
    for place, (request, time) in enumerate(cancellations):
        if request >= rows:
            raise InputError("cancellations", request, f"must name a request from 0 to {rows - 1:,}")
        events[place].time, events[place].code = time, CANCEL + request
    clock[0].heap_size = len(cancellations)  # sorted by time, so a heap as it stands
    return events


def state_of(trace: Trace, config: ReplayConfig) -> tuple[Core, Caches, Pools | None]:
    """Return the state of a replay before its first instant.

    Raises
    ------
    InputError
        For token counts beyond what is replayed, or a cancellation of a request that the trace doesn't have.
    """
    _check_sizes(trace, config)
    settings, clock = _settings(trace, config), np.zeros(1, CLOCK).view(np.recarray)
    count = sum(_workers(config, len(trace)))
    full, nodes = may_run_full(trace, config), _nodes(trace, settings)  # first: it needs room for a while
    workers, events = _empty_workers(count), _events(config, clock, len(trace), count)
    requests = _requests(trace, POOLED_REQUEST if full else REQUEST)
    core = Core(settings=settings, clock=clock, requests=requests, workers=workers, events=events)
    if full:
        nothing = _read_only(np.empty(0, np.int64))
        return core, _caches(nothing, settings, 0), pools_of(core, nodes, trace, config)
    return core, _caches(nodes, settings, count), None
