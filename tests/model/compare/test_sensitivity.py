"""What moves TTFT most: ranges and swings by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aisim_model.compare.sensitivity import Moved, sensitivity, tornado
from aisim_model.row.resolved import resolve
from aisim_model.row.ttft import breakdown
from aisim_model.scenario import Deployment, Scenario, Workload

slow = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def moved(workload: Workload | None = None, **values: Any) -> dict[str, Moved]:
    row = Deployment(id="a", name="a", **values)
    return {one.input: one for one in sensitivity(resolve(workload or Workload(), row))}


def test_a_measured_link_moves_over_its_spread() -> None:
    # RoCE 100G: 10 measured to 12.5 nominal; 3,145,728,000 B take 314.6 and 251.7 ms
    found = moved(link="roce-100", nics_per_gpu=0.25)["bandwidth_gb_s"]
    assert (found.low, found.high) == (10.0, 12.5)
    assert found.range_is == "measured spread: lowest to nominal"
    assert found.swing_ms == pytest.approx(314.5728 - 251.65824, rel=1e-9)


def test_a_link_without_one_moves_over_a_stated_range() -> None:
    found = moved()["bandwidth_gb_s"]
    assert (found.low, found.high, found.range_is) == (100.0, 200.0, "stated range: half of nominal")
    assert moved(bandwidth_gb_s=50.0)["bandwidth_gb_s"].range_is == "stated range: half of yours"


def test_an_expected_spread_isnt_called_measured() -> None:
    assert moved(link="eth-100")["bandwidth_gb_s"].range_is == "expected spread: lowest to nominal"


def test_only_what_a_row_uses_moves_it() -> None:
    assert {"mfu", "prompt_tokens"} <= set(moved())
    assert "bandwidth_gb_s" not in moved(kind="aggregated")
    assert "alpha_ms" not in moved()
    assert moved(link_model="calibrated")["alpha_ms"].swing_ms == pytest.approx(1.83, rel=1e-9)
    fixed = moved(prefill_model="fixed", prefill_pass_ms=100.0)
    assert "mfu" not in fixed
    assert fixed["prefill_pass_ms"].swing_ms == pytest.approx(2 * 45.0)  # two passes, 80 to 125 ms


def test_a_range_holds_what_is_set() -> None:
    found = moved(mfu=0.75)["mfu"]
    assert (found.low, found.high) == (0.4, 0.75)


def test_a_row_without_a_delay_has_nothing_to_move() -> None:
    assert moved(bandwidth_gb_s=0.0) == {}
    assert tornado(resolve(Workload(), Deployment(id="a", name="a", bandwidth_gb_s=0))).empty


def test_the_table_begins_with_what_matters_most() -> None:
    example = Scenario()
    found = tornado(resolve(example.workload, example.selected))
    assert found["swing_ms"].is_monotonic_decreasing
    assert found["input"].iloc[0] == "prompt_tokens"
    assert found["ttft_ms"].nunique() == 1


@slow
@given(data=st.data())
def test_ttft_now_lies_within_every_range_that_holds_what_is_set(data: Any, any_asked: Any) -> None:
    x = resolve(*data.draw(any_asked))
    now = float(breakdown(x).ttft_ms)
    for one in sensitivity(x):
        assert one.swing_ms > 0
        if one.input in ("mfu", "memory_efficiency", "link_efficiency", "bandwidth_gb_s"):
            ends = sorted((one.low_ttft_ms, one.high_ttft_ms))
            assert ends[0] - 1e-6 <= now <= ends[1] + 1e-6
