"""What a row can't do, in words."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.compare.outcome import outcome
from aisim_model.scenario import Deployment, Workload
from aisim_ui.sentences.rows import misfit


@pytest.mark.parametrize(
    ("workload", "values", "says"),
    [
        ({}, {}, ""),
        # 141.2 GB on one H200 that may be filled to 0.92 x 150.75 - 4.21 = 134.5; the prompt takes 3.93
        (
            {},
            {"prefill_tp": 1},
            "weights need 141.2 GB of each GPU (prefill, 1 a worker), of its 150.8 GB 134.5 may be filled "
            "beside 4.2 that its engine keeps; with one request 10.7 GB are lacking; it fits with 2 GPUs a "
            "prefill worker or with weights in fp8",
        ),
        # 98.8 GB of each of four hold 1.206 million tokens of 327,680 B: 1.5 million take 122.9
        (
            {"prompt_tokens": 1_150_000, "output_tokens": 350_000},
            {},
            "a request of 1,500,000 tokens is more than the KV pool of a decode worker: 24.1 GB of each GPU "
            "are lacking; it fits with 8 GPUs a decode worker or with weights in nvfp4",
        ),
        (
            {"prompt_tokens": 8192, "output_tokens": 1000},
            {"pool_tokens": 9000},
            "a request of 9,192 tokens is more than the KV pool of a decode worker, which is given as 9,000 "
            "tokens",
        ),
        (
            {"prompt_tokens": 8192},
            {"prefill_pool_tokens": 8000},
            "a request of 8,192 tokens is more than the KV pool of a prefill worker, which is given as 8,000 "
            "tokens",
        ),
    ],
)
def test_why_a_row_doesnt_fit(workload: dict[str, Any], values: dict[str, Any], says: str) -> None:
    asked = Workload(model_id="llama-3.1-70b", **workload)
    assert misfit(outcome(asked, Deployment(id="a", name="a", **values)).memory.problem) == says
