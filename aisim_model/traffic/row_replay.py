"""From a scenario's row to the replay of a trace on it: the row in the numbers that a replay takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from aisim_model.errors import InputError
from aisim_model.handoff import TransferTimingMode
from aisim_model.passes import fixed
from aisim_model.passes.pass_time import PassModel
from aisim_model.replay import Progress, ReplayConfig, ReplayResult
from aisim_model.replay.config import KvWindowBytes
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.row.ttft import descriptors_per_rank
from aisim_model.row.workers import decode_pass_time, prefill_pass_time
from aisim_model.scenario import Deployment, Workload
from aisim_model.traces.trace import Trace
from aisim_model.traffic.checked import checked_replay
from aisim_model.traffic.row_times import TypicalRequest, typical_request
from aisim_model.units import BYTES_PER_GB, MS_PER_S, US_PER_MS

Level = Literal["fifo", "engine"]
Contention = Literal["none", "fifo", "fair"]
Scope = Literal["source", "destination", "shared"]

MOST_BLOCKS = 10**12  # of a pool; a cache that doesn't grow fits any number of tokens


def replay_config(
    workload: Workload,
    row: Deployment,
    trace: Trace,
    *,
    level: Level = "engine",
    contention: Contention = "none",
    scope: Scope = "source",
    prefix_caching: bool = False,
    concurrency: int | None = None,
) -> ReplayConfig:
    """Return the settings of a replay of a trace on a row.

    Lengths and prefix hits are the trace's; the workload gives the model alone. `replay_notes` says what of
    the row a replay doesn't take as it is.

    Parameters
    ----------
    workload : Workload
        The model that is served.
    row : Deployment
        The deployment.
    trace : Trace
        What is to be replayed: its mean request sizes the pool of models with windows or state, and its
        blocks are taken where the engine's don't divide them.
    level : {"engine", "fifo"}
        Passes as engines batch them, by which rows of both kinds compare; or one prompt a pass and one decode
        step for all, that of the estimate under load, at workers with room for as many mean requests as the
        pool holds, within the row's limit of sequences.
    contention : {"none", "fifo", "fair"}
        How transfers share a link.
    scope : {"source", "destination", "shared"}
        Which transfers share one.
    prefix_caching : bool
        Whether workers reuse the blocks that the trace says are equal.
    concurrency : int or None
        Requests in flight, each followed by the next as it ends [-]; None: as they arrive.

    Returns
    -------
    ReplayConfig

    Raises
    ------
    InputError
        For a row that `inputs.resolve` refuses, and one whose weights leave no room for a single block.

    Examples
    --------
    >>> import numpy as np
    >>> from aisim_model.scenario import Scenario
    >>> trace = Trace(np.array([0.0]), np.array([12_000]), np.array([340]))
    >>> config = replay_config(Scenario().workload, Scenario().selected, trace)
    >>> config.bandwidth_gb_s, config.kv_bytes_per_token, config.block_size
    (200.0, 262144.0, 16)
    """
    x = resolve(workload, row)
    typical = typical_request(x, trace, concurrency)
    block = block_size(x, trace, prefix_caching)
    blocks = _pool_blocks(x, typical, block)
    fifo = level == "fifo"
    decode = fixed(typical.step_ms) if fifo else _decode_model(x)
    # a DP group has requests, a budget and a pool of its own: a worker each
    prefilling = row.prefill_workers * row.side("prefill").attention_dp
    decoding = row.decode_workers * row.side("decode").attention_dp
    workers = (
        {"prefill_workers": prefilling, "decode_workers": decoding}
        if row.split
        else {"aggregated_workers": prefilling}
    )
    calibrated = row.link_model == "calibrated"
    return ReplayConfig(
        **workers,
        level=level,
        bandwidth_gb_s=_bandwidth_gb_s(x) or None,
        kv_bytes_per_token=float(x.timed.per_token_bytes) + _descriptor_bytes_per_token(x),
        state_bytes=float(x.timed.state_bytes(0)),
        windows=tuple(
            KvWindowBytes(bytes_per_token=window.bytes_per_token, window_tokens=window.window_tokens)
            for window in x.timed.windowed
        ),
        mode=_mode(x),
        orchestration_ms=x.orchestration_ms + (x.alpha_ms if calibrated and row.split else 0.0),
        order=x.profile.order,
        first_token_from=x.profile.first_token_from,
        block_size=block,
        prefix_caching=prefix_caching,
        prefill=prefill_pass_time(x).prefill,
        decode=decode,
        prefill_chunk_tokens=row.pass_tokens,
        pool_blocks=blocks,
        max_sequences=int(typical.most_sequences) if fifo else row.sequences_limit,
        contention=contention,
        scope=scope,
        concurrency=concurrency,
    )


def replay_row(
    workload: Workload,
    row: Deployment,
    trace: Trace,
    *,
    level: Level = "engine",
    contention: Contention = "none",
    scope: Scope = "source",
    prefix_caching: bool = False,
    concurrency: int | None = None,
    progress: Progress | None = None,
) -> ReplayResult:
    """Replay a trace on a row.

    Parameters
    ----------
    workload, row, trace, level, contention, scope, prefix_caching, concurrency
        As in `replay_config`.
    progress : Progress, optional
        To watch and stop it from another thread.

    Returns
    -------
    ReplayResult
        Its `bytes_moved` and `prompts_bytes` are those on the wire, whatever they count as in time.

    Raises
    ------
    InputError
        As `replay_config`, and for a trace that the row can't carry at all.
    ReplayStoppedError
        Where `progress` asked for it.

    Examples
    --------
    One request on an idle system takes what `ttft.breakdown` says, to the nanosecond of each part:

    >>> from aisim_model.scenario import Scenario
    >>> from aisim_model.row.ttft import breakdown
    >>> example = Scenario()
    >>> trace = Trace(np.array([0.0]), np.array([12_000]), np.array([340]))
    >>> found = replay_row(example.workload, example.selected, trace).column("ttft_ms")[0]
    >>> bool(abs(found - breakdown(resolve(example.workload, example.selected)).ttft_ms) < 1e-5)
    True
    """
    config = replay_config(
        workload,
        row,
        trace,
        level=level,
        contention=contention,
        scope=scope,
        prefix_caching=prefix_caching,
        concurrency=concurrency,
    )
    result = checked_replay(trace, config, progress)
    if not row.split:
        return result
    wire, sent = resolve(workload, row).wire, np.isfinite(result.column("bytes_moved"))
    moved = np.where(sent, wire.bytes(result.column("tokens_moved")), np.nan)
    return replace(
        result,
        columns=MappingProxyType({**result.columns, "bytes_moved": moved}),
        prompts_bytes=float(wire.bytes(trace.input_tokens).sum()),
    )


def block_size(x: ResolvedRow, trace: Trace, prefix_caching: bool) -> int:
    """Return the engine's block size, or the trace's where its prefixes can't be told in the engine's [-]."""
    own = x.profile.block_size
    if prefix_caching and trace.block_tokens and trace.block_tokens % own:
        return trace.block_tokens
    return own


def replay_notes(
    workload: Workload, row: Deployment, trace: Trace, *, prefix_caching: bool = False
) -> tuple[str, ...]:
    """Return a sentence for each thing of a row that its replay simplifies or leaves out.

    Examples
    --------
    >>> import numpy as np
    >>> from aisim_model.scenario import Scenario
    >>> trace = Trace(np.array([0.0]), np.array([12_000]), np.array([340]))
    >>> replay_notes(Scenario().workload, Scenario().selected.changed(overlap="layer"), trace)
    ('Transfers start once their prompt is computed: the overlap by layer is not replayed.',)
    """
    x = resolve(workload, row)
    return (*_group_notes(x), *_handoff_notes(x), *_block_notes(x, block_size(x, trace, prefix_caching)))


def _decode_model(x: ResolvedRow) -> PassModel:
    """Return what times a decode step for each token that it gives.

    Raises
    ------
    InputError
        For drafts that a replayed pass can't take: beside prompts, or in a step that isn't one formula.
    """
    times = decode_pass_time(x)
    if not x.row.draft_tokens:
        return times.decode
    if not x.row.split or (found := times.of_each_token()) is None:
        problem = "can't be replayed at level engine in this row"
        raise InputError("draft_tokens", x.row.draft_tokens, problem, "Replay at level fifo, or give 0.")
    return found


def _group_notes(x: ResolvedRow) -> Iterator[str]:
    if max(x.row.side("prefill").attention_dp, x.row.side("decode").attention_dp) > 1:
        yield (
            "Each DP group is replayed as a worker of its own, "
            "its passes as long as if all were as busy as it."
        )


def _handoff_notes(x: ResolvedRow) -> Iterator[str]:
    if not x.row.split:
        return
    if x.profile.overlap != "none":
        yield (
            "Transfers start once their prompt is computed: "
            f"the overlap by {x.profile.overlap} is not replayed."
        )
    if x.bandwidth_gb_s <= 0:
        yield "No delay is known at a bandwidth of 0 or below: transfers take no time."
    if x.row.timing_mode is not _mode(x):
        yield f"{x.profile.name} credits no prefix on the decode worker: whole prompts are sent."
    if x.row.link_model == "calibrated":
        yield "The cost of descriptors is spread over tokens; that of starting a transfer is orchestration."
    if x.row.side("prefill") != x.row.side("decode"):
        yield "Prefill workers are given the KV pool of a decode worker, though they differ in GPUs."


def _block_notes(x: ResolvedRow, block: int) -> Iterator[str]:
    if block != x.profile.block_size:
        yield f"Blocks are the trace's own of {block}: those of {x.profile.block_size} don't divide them."


def _mode(x: ResolvedRow) -> TransferTimingMode:
    """Return what is sent: all of it too where the engine credits nothing that the decode worker holds."""
    return TransferTimingMode.FULL_PROMPT if x.profile.prefix_credit == "none" else x.row.timing_mode


def _bandwidth_gb_s(x: ResolvedRow) -> float:
    """Return what a handoff reaches, 0 where nothing is sent [GB/s]."""
    reached = x.link_efficiency if x.row.link_model == "calibrated" else 1.0
    return float(max(x.bandwidth_gb_s, 0.0) * reached)


def _descriptor_bytes_per_token(x: ResolvedRow) -> float:
    """Return the bytes that a link carries in the time that the descriptors of a token take [B]."""
    if x.row.link_model != "calibrated":
        return 0.0
    block = x.profile.block_size
    descriptors = descriptors_per_rank(x, float(block)) / block
    return float(descriptors * x.per_descriptor_us / US_PER_MS * _bandwidth_gb_s(x) * BYTES_PER_GB / MS_PER_S)


def _pool_blocks(x: ResolvedRow, typical: TypicalRequest, block: int) -> int:
    """Return the KV blocks of a decode or aggregated worker, its pool filled with typical requests."""
    tokens = x.pool_tokens if x.row.pool_tokens is not None else _pool_tokens(x, typical)
    if tokens < block:
        problem = f"has no room for a KV block of {block} tokens beside the weights"
        remedy = "Choose more GPUs a worker, larger ones, or weights of fewer bytes."
        raise InputError("deployment", x.row.name, problem, remedy)
    return int(min(tokens // block, MOST_BLOCKS))


def _pool_tokens(x: ResolvedRow, typical: TypicalRequest) -> float:
    pool = x.decode_room.pool_bytes
    tokens = max(round(typical.prompt_tokens + typical.output_tokens), 1)
    each = float(x.held_decode.bytes(tokens))
    return float(MOST_BLOCKS) * tokens if each == 0.0 and pool > 0.0 else pool / max(each, 1.0) * tokens
