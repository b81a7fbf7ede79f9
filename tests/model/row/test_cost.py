"""What a row costs, and how rows are ranked."""

from __future__ import annotations

import math

import pytest

from aisim_model.compare.ranking import ranking
from aisim_model.compare.table import compare, table
from aisim_model.row.cost import cost, per_million
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Scenario, Workload


def test_a_million_tokens_by_hand() -> None:
    # 16 GPUs x 2 USD = 32 USD/h; 4 requests of 500 tokens a second are 7.2 million tokens an hour: 4.44
    row = Deployment(id="a", name="a", prefill_workers=2, decode_workers=2, usd_per_gpu_hour=2.0)
    found = cost(resolve(Workload(), row), 4.0, 500)
    assert found.usd_per_hour == 32.0
    assert found.usd_per_million_output_tokens == pytest.approx(32 / 7.2, rel=1e-12)
    assert "All 16 GPUs" in found.assumptions
    assert "yours" in found.assumptions


def test_the_catalogues_price_stands_in() -> None:
    found = cost(resolve(Workload(), Deployment(id="a", name="a")), 1.0, 100)
    assert (found.usd_per_gpu_hour, found.price_is) == (5.75, "list price")


def test_without_a_price_no_cost_is_known() -> None:
    found = cost(resolve(Workload(), Deployment(id="a", name="a", gpu="gb200")), 1.0, 100)
    assert math.isnan(found.usd_per_million_output_tokens)
    assert found.price_is == "not known"


def test_what_carries_nothing_has_no_price_a_token() -> None:
    assert math.isinf(per_million(10.0, 0.0, 100))
    assert math.isnan(per_million(math.nan, 0.0, 100))


def test_a_price_of_nothing_is_a_price() -> None:
    assert per_million(0.0, 1.0, 100) == 0.0


def places(scenario: Scenario) -> dict[str, int]:
    return {rank.row_id: rank.place for rank in ranking(compare(scenario), scenario.workload)}


def test_what_meets_both_is_ranked_by_cost() -> None:
    example = Scenario()
    found = table(example, compare(example)).sort_values("rank")
    assert found["usd_per_million_output_tokens"].is_monotonic_increasing
    assert places(example)["aggregated"] == 1
    dearer = example.with_row("aggregated", usd_per_gpu_hour=100.0)
    assert places(dearer)["aggregated"] == 5


def test_without_a_price_load_a_gpu_ranks() -> None:
    unpriced = Scenario().with_row("split-tcp", gpu="gb200")
    assert not any(rank.priced for rank in ranking(compare(unpriced), unpriced.workload))


def test_what_misses_comes_after_and_says_by_how_much() -> None:
    strict = Scenario().with_workload(ttft_slo_ms=500.0)
    ranks = {rank.row_id: rank for rank in ranking(compare(strict), strict.workload)}
    assert ranks["split-tcp"].reason == "misses"
    assert round(ranks["split-tcp"].ttft_over_ms) == 337
    assert ranks["split-tcp"].place > ranks["split-fp8"].place


def test_an_itl_is_that_of_the_whole_answer() -> None:
    # 100,000 steps from 1,000 tokens: above 8 ms halfway
    long = Workload(prompt_tokens=1000, output_tokens=100_000, itl_slo_ms=8.0)
    rows = (Deployment(id="a", name="A"),)
    outcomes = compare(Scenario(workload=long, deployments=rows, selected_id="a", baseline_id="a"))
    assert outcomes[0].most_per_s == 0
    assert ranking(outcomes, long)[0].reason == "misses"


def test_under_load_the_estimate_counts() -> None:
    busy = Scenario().with_workload(arrivals_per_s=2.4)
    ranks = {rank.row_id: rank for rank in ranking(compare(busy), busy.workload)}
    assert ranks["aggregated"].place == 1
    assert ranks["split-400g"].reason == "overloaded"


def test_no_delay_is_said() -> None:
    cut = Scenario().with_row("split-tcp", bandwidth_gb_s=0.0)
    ranks = {rank.row_id: rank for rank in ranking(compare(cut), cut.workload)}
    assert ranks["split-tcp"].reason == "no delay"
    assert ranks["split-tcp"].place == 5
