"""Requests cancelled in a replay, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, replay
from aisim_model.traces.trace import Trace

TIMES = {"prefill": fixed(10.0), "decode": fixed(5.0)}
LINK = {"bandwidth_gb_s": 1.0, "kv_bytes_per_token": 1e6}  # 1 ms a token


def trace(arrivals: list[float], prompts: list[int], outputs: int = 3) -> Trace:
    return Trace(np.array(arrivals), np.array(prompts), np.full(len(prompts), outputs))


def test_a_cancelled_transfer_activates_nothing():
    config = ReplayConfig(prefill_workers=1, decode_workers=1, cancellations=((0, 50.0),), **TIMES, **LINK)
    result = replay(trace([0.0, 200.0], [128, 64]), config)
    assert result.column("status").tolist() == ["cancelled", "completed"]
    assert np.isnan(result.column("transfer_end_ms")[0])
    assert np.isnan(result.column("ttft_ms")[0])
    assert result.column("ttft_ms")[1] == 79.0


@pytest.mark.parametrize("level", ["fifo", "engine"])
@pytest.mark.parametrize(("cancelled_ms", "first"), [(140.0, np.nan), (151.0, 143.0)])
def test_a_request_cancelled_in_its_last_pass_does_not_complete(
    level: str, cancelled_ms: float, first: float
):
    # passes end at 143, 148 and 153 for 3 tokens; with 1 token, the pass that ends at 143 is the last
    config = ReplayConfig(
        prefill_workers=1,
        decode_workers=1,
        level=level,
        cancellations=((0, cancelled_ms),),
        **TIMES,
        **LINK,
    )
    result = replay(trace([0.0], [128], outputs=1 if cancelled_ms < 143.0 else 3), config)
    assert result.column("status").tolist() == ["cancelled"]
    assert result.column("cancelled_ms").tolist() == [cancelled_ms]
    np.testing.assert_array_equal(result.column("first_token_ms"), [first])
    assert np.isnan(result.column("last_token_ms")[0])


@pytest.mark.parametrize(("contention", "end"), [("fifo", 50.0 + 128.0), ("fair", 10.0 + 40.0 + 108.0)])
def test_a_cancelled_transfer_leaves_its_link_to_the_others(contention: str, end: float):
    # fair: by 50 each has had 20 ms of its 128, so 108 are left alone on the link
    config = ReplayConfig(
        prefill_workers=2,
        decode_workers=2,
        contention=contention,
        scope="shared",
        cancellations=((0, 50.0),),
        **TIMES,
        **LINK,
    )
    result = replay(trace([0.0, 0.0], [128, 128]), config)
    assert result.column("wire_end_ms")[1] == end
