"""A replay as a Chrome trace: every slice on its worker, none over another in its lane."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise

import numpy as np

from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, replay
from aisim_model.study.perfetto import chrome_trace
from aisim_model.traces import Trace


def test_slices_of_a_split_replay() -> None:
    trace = Trace(np.arange(20) * 3.0, np.full(20, 1000), np.full(20, 10))
    config = ReplayConfig(
        prefill_workers=2,
        decode_workers=1,
        bandwidth_gb_s=1.0,
        kv_bytes_per_token=1000,
        prefill=fixed(5.0),
        decode=fixed(2.0),
    )
    found = replay(trace, config)
    events = json.loads("".join(chrome_trace({"a": found})))["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    assert sorted(set(names.values())) == [
        "a: Decode worker 0",
        "a: Handoff from prefill worker 0",
        "a: Handoff from prefill worker 1",
        "a: Prefill worker 0",
        "a: Prefill worker 1",
    ]
    lanes = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            lanes[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    assert sum(map(len, lanes.values())) == 3 * 20  # prefill, handoff and decode of each request
    for spans in lanes.values():
        spans.sort()
        assert all(end <= begin + 1e-3 for (_, end), (begin, _) in pairwise(spans))
    # 1000 tokens of 1 kB at 1 GB/s take 1 ms
    handoffs = [event["dur"] for event in events if event["ph"] == "X" and "Handoff" in names[event["pid"]]]
    assert np.allclose(handoffs, 1000.0)
