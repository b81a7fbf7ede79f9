"""The rival models of a row: each asked, the chosen one marked, the worked example by hand."""

from __future__ import annotations

import pytest

from aisim_model.compare.rivals import rivals
from aisim_model.row.resolved import resolve
from aisim_model.row.ttft import breakdown
from aisim_model.scenario import Deployment, Scenario, Workload


def answers(workload: Workload, row: Deployment) -> dict[tuple[str, str], float]:
    return {(one.quantity, one.model): one.milliseconds for one in rivals(resolve(workload, row))}


def test_overlap_by_layer_leaves_a_layer_of_the_transfer() -> None:
    # 15.72864 ms over 64 layers
    found = answers(Workload(), Scenario().selected)
    assert found["exposed transfer", "layer"] == pytest.approx(15.72864 / 64)


def test_the_lowest_bandwidth_reached_stands_beside_nominal() -> None:
    # 3.145728 GB at 12.5 and at 10 GB/s
    found = answers(Workload(), Scenario().row("split-100g"))
    assert found["transfer", "reference"] == pytest.approx(251.65824)
    assert found["transfer", "reference, low"] == pytest.approx(314.5728)


def test_one_model_of_each_quantity_is_the_rows_own_and_gives_its_parts() -> None:
    row = Scenario().selected.changed(prefill_model="rate", prefill_tokens_per_s=24_000.0, overlap="chunk")
    x = resolve(Workload(), row)
    chosen = {one.quantity: one.milliseconds for one in rivals(x) if one.chosen}
    parts = breakdown(x)
    assert chosen["prefill"] == parts.prefill_ms == 500.0
    assert chosen["exposed transfer"] == parts.transfer_ms
    assert chosen["decode step"] == parts.decode_step_ms


def test_a_table_that_is_extrapolated_says_so() -> None:
    row = Scenario().selected.changed(prefill_table=((100, 10.0), (200, 20.0)), prefill_model="table")
    table = next(one for one in rivals(resolve(Workload(), row)) if one.model == "table")
    assert table.extrapolated
    # 0.1 ms a token extrapolated to 12,000 tokens
    assert table.milliseconds == pytest.approx(1200.0)


def test_an_aggregated_row_has_no_transfer() -> None:
    quantities = {one.quantity for one in rivals(resolve(Workload(), Scenario().row("aggregated")))}
    assert quantities == {"prefill", "decode step"}
