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
        # 141.2 GB on one H200 that may be filled to 126.9
        (
            {},
            {"prefill_tp": 1},
            "weights need 141.2 GB of each GPU (prefill, 1 a worker), of its 141 GB 129.7 may be filled",
        ),
        # 94.4 x 4 GB hold 1.152 million tokens of 327,680 B
        (
            {"prompt_tokens": 1_152_000, "output_tokens": 1000},
            {},
            "a request of 1,153,000 tokens is more than the KV pool of a decode worker",
        ),
    ],
)
def test_why_a_row_doesnt_fit(workload: dict[str, Any], values: dict[str, Any], says: str) -> None:
    asked = Workload(model_id="llama-3.1-70b", **workload)
    assert misfit(outcome(asked, Deployment(id="a", name="a", **values)).memory.problem) == says
