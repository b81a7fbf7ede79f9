"""Runs of benchmarks as their tools write them, and what is refused in a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aisim_model.calibration import read_measurements
from aisim_model.calibration.benchmark_runs import is_benchmark, read_runs
from aisim_model.errors import InputError

VLLM: dict[str, Any] = {
    "backend": "vllm",
    "num_prompts": 80,
    "request_rate": "inf",
    "max_concurrency": 8,
    "duration": 61.2,
    "completed": 80,
    "failed": 0,
    "total_input_tokens": 80_000,
    "total_output_tokens": 10_240,
    "mean_ttft_ms": 88.5,
    "mean_tpot_ms": 7.25,
    "mean_itl_ms": 7.3,
}
SGLANG = {**VLLM, "backend": "sglang", "request_rate": 4.0, "max_concurrency": None}
AIPERF = {
    "request_count": {"unit": "requests", "avg": 80.0},
    "time_to_first_token": {"unit": "ms", "avg": 88.5, "p50": 80.0},
    "inter_token_latency": {"unit": "ms", "avg": 7.25},
    "input_sequence_length": {"unit": "tokens", "avg": 1000.0},
    "output_sequence_length": {"unit": "tokens", "avg": 128.0},
    "input_config": {"loadgen": {"concurrency": 8, "request_rate": None}},
}
GUIDELLM = {
    "benchmarks": [
        {
            "config": {"strategy": {"type_": "concurrent", "streams": 8}},
            "metrics": {
                "prompt_token_count": {"successful": {"mean": 1000.0}, "errored": {"mean": 0.0}},
                "output_token_count": {"successful": {"mean": 128.0}},
                "time_to_first_token_ms": {"successful": {"mean": 88.5, "median": 80.0}},
                "inter_token_latency_ms": {"successful": {"mean": 7.25}},
                "request_totals": {"successful": 80, "errored": 0},
            },
        }
    ]
}
INFERENCEX = {"hw": "h200", "conc": 8, "isl": 1000, "osl": 128, "mean_ttft": 0.0885, "mean_tpot": 0.00725}
TABLE = "prompt;output;concurrency;ttft_ms;tpot_ms\n1000;128;8;88,5;7,25\n"


def record(start_s: float, end_s: float) -> dict[str, Any]:
    return {
        "metadata": {"request_start_ns": int(start_s * 1e9), "request_end_ns": int(end_s * 1e9)},
        "metrics": {
            "time_to_first_token": {"value": 0.0885, "unit": "s"},
            "inter_token_latency": {"value": 7.25, "unit": "ms"},
            "input_sequence_length": {"value": 1000, "unit": "tokens"},
            "output_sequence_length": {"value": 128, "unit": "tokens"},
        },
    }


# eight at a time for a second each, in a run of two
RECORDS = [record(start, start + 1) for start in (0.0, 1.0) for _ in range(8)]
FAILED = {"metadata": {"request_start_ns": 0}, "metrics": {}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(VLLM),
        json.dumps(VLLM, indent=2),
        json.dumps({**VLLM, "output_lens": [128] * 80, "itls": [[7.25]] * 80}),
        json.dumps(AIPERF),
        json.dumps({"records": AIPERF}),
        json.dumps(GUIDELLM),
        json.dumps(INFERENCEX),
        json.dumps([INFERENCEX]),
        "\n".join(map(json.dumps, [FAILED, *RECORDS])),
        TABLE,
    ],
)
def test_a_run_is_the_same_by_every_tool(text: str) -> None:
    assert is_benchmark(text)
    (run,) = read_runs(text.encode())
    assert (run.prompt_tokens, run.output_tokens, run.in_flight, run.per_s) == (1000, 128, 8, None)
    assert run.ttft_ms == pytest.approx(88.5)
    assert run.tpot_ms == pytest.approx(7.25)


def test_lines_of_runs_at_a_rate() -> None:
    runs = read_runs("\n".join(json.dumps({**SGLANG, "request_rate": rate}) for rate in (1.0, 4.0)))
    assert [(run.row, run.in_flight, run.per_s) for run in runs] == [(1, None, 1.0), (2, None, 4.0)]


def test_transfers_are_no_runs() -> None:
    assert not is_benchmark("bytes,milliseconds\n18874368,0.54\n")
    assert len(read_measurements("bytes,milliseconds\n18874368,0.54\n37748736,0.6\n")) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no run"),
        (json.dumps(VLLM)[:120], "'line 1': ends in the middle of a value"),
        ("\n".join([json.dumps(VLLM), json.dumps(VLLM)[:-30]]), "line 2.*cut"),
        (json.dumps({**VLLM, "completed": 0}), "row 1 = 'completed 0': has no request that ended"),
        (json.dumps({**VLLM, "output_lens": [128] * 70 + [0] * 10}), "10 requests without a token as ended"),
        (json.dumps([FAILED, FAILED]).replace("], [", ""), "none|neither|no prompt"),
        (json.dumps({**INFERENCEX, "mean_tpot": 1e-6}), "row 1, mean_tpot.*another unit"),
        ("prompt,output,concurrency,tpot_ms\n1000,128,8,7250000\n", "row 1, tpot_ms.*another unit"),
        (
            "prompt,output,concurrency,tpot_ms\n1000,128,1,9\n1000,128,16,6\n",
            "row 2, TPOT = 6.0: is less than",
        ),
        ("prompt,output,tpot_ms\n1000,128,7\n", "row 1.*neither how many requests"),
        ("prompt,output,concurrency,tpot_ms\n1000,,1,7\n", "row 1.*no output length"),
        ("prompt,output,concurrency,tpot_ms\n1000,128,1,fast\n", "row 1, tpot_ms = 'fast': is no number"),
        ("prompt,output,concurrency,tpot_ms\n1000,128,0,7\n", "row 1.*at least 1 request"),
        ("prompt,output,concurrency,tpot_ms\n1000,128,1,-7\n", "row 1, tpot_ms = '-7': must be 0 or more"),
        ("prompt,output,concurrency,ttft_ms\n1000,128,1,\n", "row 1.*neither TTFT nor TPOT"),
    ],
)
def test_what_is_no_run_is_a_sentence(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_runs(text)
