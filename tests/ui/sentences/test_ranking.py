"""Why a row has its place: each reason in words made from the numbers."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.compare.columns import COMPARISON
from aisim_model.compare.table import compare
from aisim_model.scenario import Scenario
from aisim_ui.sentences.ranking import compared

EXAMPLE = Scenario()


def reasons(scenario: Scenario) -> dict[str, str]:
    found = compared(scenario, compare(scenario))
    return dict(zip(found["deployment_id"], found["why"], strict=True))


def test_the_table_has_every_column_of_the_registry() -> None:
    assert list(compared(EXAMPLE, compare(EXAMPLE))) == [column.name for column in COMPARISON]


def test_rows_that_meet_both_are_told_by_what_they_cost() -> None:
    found = reasons(EXAMPLE)
    assert found["aggregated"] == (
        "meets both SLOs; carries most a dollar: 18.80 USD for a million tokens of answers"
    )
    assert found["split-tcp"].endswith(", 44% more than Aggregated 2 x TP4")
    unpriced = EXAMPLE.with_row("split-tcp", gpu="gb200")
    assert all("GPUs a request/s" in why for why in reasons(unpriced).values())


@pytest.mark.parametrize(
    ("workload", "values", "says"),
    [
        ({"ttft_slo_ms": 500.0}, {}, "misses the SLO on TTFT by 337 ms"),
        ({"arrivals_per_s": 50.0}, {}, "is overloaded at 50 requests/s: prefill can't keep up"),
        ({}, {"bandwidth_gb_s": 0.0}, "has no TTFT: bandwidth is 0 GB/s: nothing is sent"),
        (
            {"prompt_tokens": 1000, "output_tokens": 100_000, "itl_slo_ms": 8.0},
            {},
            "misses the SLO on inter-token latency by 1.05 ms",
        ),
        ({"model_id": "llama-3.1-70b"}, {"prefill_tp": 1}, "doesn't fit: weights need 141.2 GB of each GPU"),
    ],
)
def test_other_rows_say_what_is_against_them(
    workload: dict[str, Any], values: dict[str, Any], says: str
) -> None:
    asked = EXAMPLE.with_workload(**workload).with_row("split-tcp", **values)
    assert reasons(asked)["split-tcp"].startswith(says)
