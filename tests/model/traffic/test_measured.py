"""A measured run: its times from whichever columns say them, and what is off beside a replay."""

from __future__ import annotations

import json

import numpy as np
import pytest

from aisim_model.errors import InputError
from aisim_model.passes import fixed, rate
from aisim_model.replay import ReplayConfig, replay
from aisim_model.traces import Trace
from aisim_model.traces.measured import MeasuredRun, read_run
from aisim_model.traffic.measured import compare_run


def test_times_of_the_known_logs() -> None:
    vllm = {"start_times": [5.0, 6.0], "input_lens": [9, 9], "output_lens": [3, 1], "ttfts": [0.25, 0.5],
            "itls": [[0.125, 0.25], []]}  # fmt: skip
    run = read_run(json.dumps(vllm).encode())
    assert run.ttft_ms.tolist() == [250, 500]
    assert run.itl_ms[0] == 187.5  # mean of 125 and 250 ms
    assert run.e2e_ms.tolist() == [625, 500]  # 250 + 2 gaps of 187.5
    aiperf = {
        "metadata": {"request_start_ns": 1759813207532900363},
        "metrics": {
            "input_sequence_length": {"value": 9, "unit": "tokens"},
            "output_sequence_length": {"value": 3, "unit": "tokens"},
            "time_to_first_token": {"value": 255.5, "unit": "ms"},
            "request_latency": {"value": 0.3, "unit": "sec"},
        },
    }
    run = read_run(json.dumps(aiperf).encode())
    assert (run.ttft_ms[0], run.e2e_ms[0]) == (255.5, 300.0)
    assert run.itl_ms[0] == pytest.approx(22.25)  # (300 - 255.5) / 2
    langfuse = [{"startTime": "2026-03-01T12:00:00.000Z", "completionStartTime": "2026-03-01T12:00:00.250Z",
                 "endTime": "2026-03-01T12:00:01.000Z", "usage": {"input": 5, "output": 4}}]  # fmt: skip
    run = read_run(json.dumps(langfuse).encode())
    assert (run.ttft_ms[0], run.e2e_ms[0], run.itl_ms[0]) == (250, 1000, 250)


def test_what_is_no_run_gets_a_sentence() -> None:
    table = "start_time_ms,end_time_ms,prompt_tokens,output_tokens\n"
    with pytest.raises(InputError, match="request = 2: ends before it starts: line 3, column end_time_ms"):
        read_run(f"{table}5,9,1,1\n8,7,1,1\n".encode())
    with pytest.raises(InputError, match="has no times of requests"):
        read_run(b"arrival_ms,prompt_tokens,output_tokens\n0,1,1\n")


@pytest.mark.parametrize(
    ("per_token_ms", "fixed_ms", "per_request_ms", "shape"),
    [(0.0, 180.0, 0.0, "fixed"), (0.5, 0.0, 0.0, "per_token"), (0.0, 0.0, 40.0, "grows"), (0, 2, 0, "none")],
)
def test_which_part_is_off(per_token_ms: float, fixed_ms: float, per_request_ms: float, shape: str) -> None:
    prompts = np.random.default_rng(0).integers(100, 1000, 40)
    trace = Trace(np.arange(40) * 1e4, prompts, np.full(40, 1))
    result = replay(trace, ReplayConfig(aggregated_workers=1, prefill=rate(2000.0), decode=fixed(1.0)))
    ttft = result.column("ttft_ms") + fixed_ms + per_token_ms * prompts + per_request_ms * np.arange(40)
    off = compare_run(MeasuredRun(trace, ttft, np.full(40, np.nan), ttft), result)[0]
    assert off.shape == shape
