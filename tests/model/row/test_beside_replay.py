"""The estimate under load beside the replay at level ``fifo``: Poisson arrivals of equal requests.

Each row at 30%, 60% and 85% of what it carries: mean TTFT within 3%, 3% and 10%, utilisation and sequences
within 1%. Rows, loads and seeds are fixed; the rows are every kind of wait that the estimate knows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aisim_model.replay import ReplayResult
from aisim_model.row.load import Service, service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Workload
from aisim_model.traces import Trace
from aisim_model.traffic.equal_requests import equal_requests
from aisim_model.traffic.row_replay import replay_row

REQUESTS, SEEDS = 20_000, {0.3: 1, 0.6: 1, 0.85: 3}  # three at 85%, where one mean of 20,000 waits is 4% off
BOUNDS = {0.3: 0.03, 0.6: 0.03, 0.85: 0.10}
ROWS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "one of each": ({"prompt_tokens": 2000, "output_tokens": 340}, {}),
    "decode fills up": ({"prompt_tokens": 500, "output_tokens": 3000}, {"max_sequences": 256}),
    "three prefill workers": (
        {"prompt_tokens": 500, "output_tokens": 3000},
        {"prefill_workers": 3, "max_sequences": 256},
    ),
    "room for few": (
        {"prompt_tokens": 4000, "output_tokens": 700},
        {"prefill_workers": 2, "decode_workers": 2, "max_sequences": 8},
    ),
    "room before prefill": (
        {"prompt_tokens": 20_000, "output_tokens": 200},
        {
            "engine": "sglang",
            "overlap": "none",
            "prefill_workers": 2,
            "decode_workers": 3,
            "max_sequences": 3,
        },
    ),
    "a slow link": ({"prompt_tokens": 8000, "output_tokens": 100}, {"bandwidth_gb_s": 4.0}),
    "fewer links than prefill workers": (
        {"prompt_tokens": 6000, "output_tokens": 400},
        {"prefill_workers": 6, "decode_workers": 2, "bandwidth_gb_s": 10.0, "engine": "trtllm"},
    ),
    "the first token from prefill": (
        {"prompt_tokens": 1000, "output_tokens": 900},
        {"first_token_from": "prefill", "order": "destination_first", "max_sequences": 32},
    ),
    "experts, long prompts": (
        {"model_id": "gpt-oss-120b", "prompt_tokens": 60_000, "output_tokens": 1500},
        {"prefill_workers": 4, "decode_workers": 3, "orchestration_ms": 40.0},
    ),
}


def replayed(workload: Workload, row: Deployment, served: Service, share: float, seed: int) -> ReplayResult:
    trace = equal_requests(workload, share * served.most_per_s, REQUESTS, seed)
    scope: Any = "source" if row.prefill_workers <= row.decode_workers else "destination"
    return replay_row(workload, row, trace, level="fifo", contention="fifo", scope=scope)


def rate_of(trace: Trace) -> float:
    rate = trace.requests_per_s()
    assert rate is not None
    return rate


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("share", BOUNDS)
def test_the_estimate_meets_the_replay(name: str, share: float) -> None:
    asked, values = ROWS[name]
    workload, row = Workload(**asked), Deployment(id="a", name="a", **values)
    served = service(resolve(workload, row), workload.output_tokens)
    ratios = []
    for seed in range(SEEDS[share]):
        found = replayed(workload, row, served, share, seed)
        load = under_load(served, rate_of(found.trace))
        ratios.append(load.ttft_ms / float(found.column("ttft_ms").mean()))
        span_ms = found.trace.span_ms
        decoding_ms = found.column("last_token_ms") - found.column("transfer_end_ms")
        for estimated, busy_ms, workers in (
            (load.prefill_utilisation, found.prefill_busy_ms.sum(), row.prefill_workers),
            (load.link_utilisation, found.column("transfer_alone_ms").sum(), served.links),
            (load.batch, decoding_ms.sum(), row.decode_workers),
        ):
            assert estimated == pytest.approx(float(busy_ms) / span_ms / workers, rel=0.01)
    assert np.mean(ratios) == pytest.approx(1.0, abs=BOUNDS[share])
