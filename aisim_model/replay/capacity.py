"""Whether a pool can run full at all, and the records of pools that can."""

from __future__ import annotations

import numpy as np

from aisim_model.errors import InputError
from aisim_model.replay.compiled import Integers
from aisim_model.replay.config import ReplayConfig
from aisim_model.replay.layout import COPY, NONE, PRIVATE
from aisim_model.replay.state import Core, Pools
from aisim_model.traces.trace import Trace


def _blocks(tokens: Integers, block: int) -> Integers:
    return np.asarray(-(-tokens // block))


def _refuse_what_never_fits(trace: Trace, config: ReplayConfig) -> None:
    """Refuse a request that a whole pool can't hold: the engine would compute it again for ever."""
    blocks = _blocks(trace.input_tokens + trace.output_tokens - 1, config.block_size)
    largest = int(blocks.argmax())
    if int(blocks[largest]) > config.pool_blocks:
        problem = (
            f"hold less than row {int(trace.source_rows[largest]):,} needs to its last token, "
            f"{int(blocks[largest]):,} blocks of {config.block_size:,} tokens"
        )
        raise InputError(
            "pool_blocks", config.pool_blocks, problem, "Enlarge the pool, or leave the row out."
        )


def may_run_full(trace: Trace, config: ReplayConfig) -> bool:
    """Say whether a pool, or the tokens of a pass, can be too few, so that order within a pass matters.

    Parameters
    ----------
    trace, config : Trace, ReplayConfig
        What is to be replayed, on what.

    Raises
    ------
    InputError
        For a request that a whole pool can't hold.
    """
    if config.resolved_level == "fifo":
        return False
    _refuse_what_never_fits(trace, config)
    if config.prefill_chunk_tokens < config.pass_sequences:
        return True
    whole = _blocks(trace.input_tokens + trace.output_tokens, config.block_size)
    if config.aggregated:
        held = _most_of_round_robin(whole, config.aggregated_workers or 1)
        if not config.prefix_caching:  # only what runs holds blocks
            held = min(held, _largest(whole, config.pass_sequences))
        return held > config.pool_blocks
    prompts = _blocks(trace.input_tokens, config.block_size)
    if config.order == "source_first":
        sources = _most_of_round_robin(prompts, config.prefill_workers or 1)
    else:
        sources = _most_of_any(prompts, config.prefill_workers or 1)
    return max(sources, _most_of_any(whole, config.decode_workers or 1)) > config.pool_blocks


def _most_of_round_robin(blocks: Integers, workers: int) -> int:
    """Return the blocks of the worker that gets most, where request k goes to worker k mod `workers`."""
    used = min(workers, blocks.size)
    return int(np.bincount(np.arange(blocks.size) % used, weights=blocks).max())


def _most_of_any(blocks: Integers, workers: int) -> int:
    """Return the most blocks that a worker can get with its share of the requests, whichever they are."""
    return _largest(blocks, -(-blocks.size // workers))


def _largest(blocks: Integers, count: int) -> int:
    """Return the blocks of the `count` largest requests together."""
    taken = min(count, blocks.size)
    return int(np.partition(blocks, blocks.size - taken)[-taken:].sum())


def pools_of(core: Core, nodes: Integers, trace: Trace, config: ReplayConfig) -> Pools:
    """Return pools with room for shared copies, and for what each request owns on its workers."""
    copies, owned = np.zeros(0, COPY).view(np.recarray), np.empty(0, np.int32)
    if not config.prefix_caching:
        return Pools(nodes, copies, owned)  # blocks that nobody can share are only counted
    block = config.block_size
    whole = _blocks(trace.input_tokens + trace.output_tokens, block)
    prompts = _blocks(trace.input_tokens, block) * (0 if config.aggregated else 1)
    core.requests["first_block"] = whole.cumsum() - whole
    core.requests["first_source"] = whole.sum() + prompts.cumsum() - prompts
    slots = int(whole.sum() + prompts.sum())
    # as many copies as there is content, and as many again for content that is there twice
    copies = np.zeros(min(len(core.workers) * config.pool_blocks, 2 * slots), COPY).view(np.recarray)
    copies["next"] = np.arange(1, len(copies) + 1)
    copies["next"][-1], copies["chain"] = NONE, NONE
    core.clock[0].unused_copy = 0
    return Pools(nodes, copies, np.full(slots, PRIVATE, np.int32))
