"""Compile the replay before it is needed: `python -m aisim_model.replay.warm`, as the set-up of the app does.

Compiled code lies on disk beside the sources. Pools that can run full compile apart from others, and links
that transfers share apart from those that they have alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aisim_model.replay.config import ReplayConfig
from aisim_model.replay.run import replay
from aisim_model.traces.trace import Trace

FULL = 6  # blocks, of which each of the two requests takes 5


def kinds() -> Iterator[ReplayConfig]:
    """Give a small replay of each kind that compiles apart from the others."""
    link = {"bandwidth_gb_s": 1.0, "kv_bytes_per_token": 1000.0, "block_size": 16, "prefix_caching": True}
    split = {"prefill_workers": 1, "decode_workers": 1, **link}
    for pool_blocks in (200_000, FULL):
        for workers in (split, {"aggregated_workers": 1, **link}):
            yield ReplayConfig.model_validate({**workers, "level": "engine", "pool_blocks": pool_blocks})
    for pool_blocks in (200_000, FULL):
        shared = {"level": "engine", "contention": "fair", "pool_blocks": pool_blocks}
        yield ReplayConfig.model_validate({**split, **shared})


def small_trace() -> Trace:
    """Return two requests of four blocks each."""
    return Trace(
        np.array([0.0, 1.0]),
        np.array([64, 64]),
        np.array([8, 8]),
        hash_ids=np.arange(8),
        hash_offsets=np.array([0, 4, 8]),
        block_tokens=16,
    )


def warm() -> int:
    """Replay one of each kind, and return how many there are.

    Examples
    --------
    >>> warm()
    6
    """
    trace = small_trace()
    return sum(len(replay(trace, config)) > 0 for config in kinds())


if __name__ == "__main__":
    warm()
