"""Whether a pool can run full, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, replay
from aisim_model.replay.capacity import may_run_full
from aisim_model.traces.trace import Trace

REQUESTS = 1000
TRACE = Trace(np.zeros(REQUESTS), np.full(REQUESTS, 8), np.full(REQUESTS, 5))


def aggregated(pool_blocks: int, *, prefix_caching: bool = False) -> ReplayConfig:
    return ReplayConfig(
        aggregated_workers=1,
        block_size=4,
        pool_blocks=pool_blocks,
        prefix_caching=prefix_caching,
        prefill=fixed(10.0),
        decode=fixed(5.0),
    )


def test_only_the_sequences_of_a_pass_hold_blocks_of_an_aggregated_worker_without_caches():
    # 256 sequences of 13 tokens hold four blocks of 4 each, however many wait
    assert not may_run_full(TRACE, aggregated(1024))
    assert may_run_full(TRACE, aggregated(1023))
    assert may_run_full(TRACE, aggregated(1024, prefix_caching=True))  # caches keep what has run


@pytest.mark.parametrize("column", ["start_ms", "first_token_ms", "last_token_ms"])
def test_a_pool_that_is_just_not_full_times_requests_as_one_with_room_does(column: str):
    # the last token of a sequence needs no block of its own, so 1,023 are as good as 1,024
    just, roomy = replay(TRACE, aggregated(1023)), replay(TRACE, aggregated(1024))
    assert just.column("preemptions").sum() == 0
    np.testing.assert_array_equal(just.column(column), roomy.column(column))
