"""What holds of every replay, whatever the trace and the deployment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aisim_model.errors import InputError
from aisim_model.passes import fixed
from aisim_model.replay import (
    Progress,
    ReplayConfig,
    ReplayStoppedError,
    replay,
    verdict,
)
from aisim_model.replay.compiled import fingerprint
from aisim_model.replay.coordinator import run
from aisim_model.replay.result import result_of
from aisim_model.replay.settings import state_of
from aisim_model.traces.trace import Trace
from aisim_model.ttft_parts import PART_NAMES


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    gaps = draw(st.lists(st.integers(0, 30), min_size=1, max_size=12))
    prompts = [draw(st.integers(1, 300)) for _ in gaps]
    outputs = [draw(st.integers(1, 8)) for _ in gaps]
    ids = [draw(st.lists(st.integers(0, 2), min_size=-(-p // 32), max_size=-(-p // 32))) for p in prompts]
    return Trace(
        np.cumsum([0.0, *gaps[1:]]),
        np.array(prompts),
        np.array(outputs),
        np.concatenate(ids),
        np.cumsum([0, *map(len, ids)]),
        32,
    )


@st.composite
def configs(draw: st.DrawFn) -> ReplayConfig:
    """Return a deployment on which every request of `traces` fits, sometimes barely."""
    chosen: dict[str, Any] = {
        "bandwidth_gb_s": draw(st.sampled_from([0.0, 0.01, 1.0])),
        "kv_bytes_per_token": draw(st.sampled_from([None, 1e5])),
        "mode": draw(st.sampled_from(["full_prompt", "destination_missing"])),
        "first_token_from": draw(st.sampled_from(["decode_step", "shipped", "prefill"])),
        "order": draw(st.sampled_from(["source_first", "destination_first"])),
        "contention": draw(st.sampled_from(["none", "fifo", "fair"])),
        "scope": draw(st.sampled_from(["source", "destination", "shared"])),
        "orchestration_ms": draw(st.sampled_from([0.0, 2.5])),
        "fallback_delay_ms": draw(st.sampled_from([0.0, 4.0])),
        "prefix_caching": draw(st.booleans()),
        "block_size": draw(st.sampled_from([16, 32, 48])),
        "prefill_chunk_tokens": draw(st.sampled_from([64, 8192])),
        "pool_blocks": draw(st.sampled_from([40, 200_000])),
        "cancellations": draw(st.sampled_from([(), ((0, 12.0),), ((0, 0.0), (0, 40.0))])),
    }
    if draw(st.booleans()):
        times = {"prefill": fixed(draw(st.sampled_from([0.0, 10.0])))}
        chosen |= times | {"decode": fixed(5.0)}
    if draw(st.integers(0, 3)) == 0:
        return ReplayConfig(aggregated_workers=draw(st.integers(1, 3)), **chosen)
    workers = {"prefill_workers": draw(st.integers(1, 3)), "decode_workers": draw(st.integers(1, 3))}
    level = draw(st.sampled_from(["fifo", "engine"]))
    return ReplayConfig(**workers, level=level, **chosen)


@given(traces(), configs())
@settings(max_examples=150)
def test_records_are_consistent(trace: Trace, config: ReplayConfig):
    try:
        result = replay(trace, config)
    except InputError as error:
        if error.field != "pool_blocks":
            raise
        return
    done = result.completed
    ttft, last = result.column("ttft_ms"), result.column("last_token_ms")
    np.testing.assert_allclose(sum(result.column(part) for part in PART_NAMES)[done], ttft[done], atol=1e-9)
    assert (np.stack([result.column(part)[done] for part in PART_NAMES]) >= 0.0).all()
    assert (result.column("first_token_ms")[done] <= last[done]).all()
    assert done.sum() >= len(trace) - 1
    if not config.aggregated:
        assert (result.column("link_start_ms")[done] >= result.column("source_held_ms")[done]).all()
        assert (
            result.column("transfer_ms")[done] >= result.column("transfer_alone_ms")[done] - 1e-9
        ).all() or (config.first_token_from == "prefill")
    assert verdict(result).bottleneck


@given(traces(), configs())
@settings(max_examples=40)
def test_compiled_code_does_what_the_source_says(trace: Trace, config: ReplayConfig):
    """Run the same loops as Python: equal to the bit, so nothing is lost in compiling."""
    core, caches, pools = state_of(trace, config)
    links = None if config.contention == "none" else core.workers
    assert run.py_func(core, caches, pools, links, np.zeros(3, np.int64))
    try:
        compiled = replay(trace, config)
    except InputError:
        return
    interpreted = result_of(trace, config, core)
    for name, values in compiled.columns.items():
        np.testing.assert_array_equal(values, interpreted.columns[name], err_msg=name)


def test_same_input_same_bits():
    trace = Trace(np.arange(50) * 3.7, np.full(50, 700), np.full(50, 20))
    config = ReplayConfig(aggregated_workers=2)
    first, second = replay(trace, config), replay(trace, config)
    for name, values in first.columns.items():
        assert values.tobytes() == second.columns[name].tobytes() or values.dtype.kind == "U"


def test_a_replay_can_be_stopped():
    progress = Progress()
    progress.stop()
    trace = Trace(np.arange(1000) * 1.0, np.full(1000, 100), np.full(1000, 5))
    with pytest.raises(ReplayStoppedError, match="of 1,000 requests"):
        replay(trace, ReplayConfig(prefill_workers=1, decode_workers=1), progress)


def test_progress_counts_what_is_done():
    progress = Progress()
    trace = Trace(np.arange(10) * 1.0, np.full(10, 100), np.full(10, 5))
    replay(trace, ReplayConfig(prefill_workers=1, decode_workers=1), progress)
    assert progress.finished == 10


def test_a_changed_rule_is_compiled_anew():
    """What is kept on disk goes by a number that any file of the rules changes, and each replay says it."""
    progress = Progress()
    trace = Trace(np.zeros(1), np.full(1, 100), np.full(1, 5))
    replay(trace, ReplayConfig(prefill_workers=1, decode_workers=1), progress)
    assert progress.control[2] == fingerprint()
