"""Deployments side by side: the worked answers, differences, service levels, and what is not known."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.compare import compare, table
from aisim_model.errors import InputError
from aisim_model.outcome import outcome
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.scenario.presets import SCENARIOS
from aisim_model.ttft import decode_step_ms


def tabled(scenario: Scenario) -> pd.DataFrame:
    return table(scenario, compare(scenario)).set_index("deployment_id")


@pytest.fixture(scope="module")
def example() -> pd.DataFrame:
    return tabled(Scenario())


def test_the_example_answers_as_worked_by_hand(example: pd.DataFrame) -> None:
    # 12,000 x 262,144 B; half of it in fp8; 200 GB/s, or one NIC of 12.5
    assert example["wire_bytes"].tolist() == [0, 3_145_728_000, 1_572_864_000, 3_145_728_000, 3_145_728_000]
    assert example["handoff_ms"].tolist() == pytest.approx([0, 15.72864, 7.86432, 251.65824, 251.65824])
    assert example["bandwidth_gb_s"].tolist()[1:] == [200, 200, 12.5, 12.5]


def test_a_measured_low_widens_what_a_handoff_costs(example: pd.DataFrame) -> None:
    # RoCE 100G was seen at 10 GB/s, TCP at 1 GB/s; no low figure of the 400G NIC is held
    slow = example["slowest_handoff_ms"]
    assert slow["split-100g"] == pytest.approx(314.5728)
    assert slow["split-tcp"] == pytest.approx(3145.728)


def test_bandwidth_needed_makes_ttft_meet_its_service_level(example: pd.DataFrame) -> None:
    for row_id, needed in example["needed_gb_s"].items():
        if row_id == "aggregated":
            assert needed == 0
            continue
        row = Scenario().row(str(row_id)).changed(bandwidth_gb_s=needed)
        assert outcome(Workload(), row).parts.ttft_ms == pytest.approx(2000)


def test_differences_are_to_the_baseline() -> None:
    found = tabled(Scenario(baseline_id="split-100g"))
    assert found.loc["split-100g", "ttft_difference_ms"] == 0
    # the same prefill and step: only the handoff differs
    assert found.loc["split-400g", "ttft_difference_ms"] == pytest.approx(15.72864 - 251.65824)


def test_parts_of_a_row_add_up_to_its_ttft(example: pd.DataFrame) -> None:
    parts = ["queue_ms", "prefill_ms", "orchestration_ms", "reservation_ms", "link_queue_ms", "transfer_ms"]
    parts += ["activation_ms", "decode_step_ms"]
    assert example[parts].sum(axis=1).tolist() == pytest.approx(example["ttft_ms"].tolist())
    assert (example["handoff_share"] * example["ttft_ms"]).tolist() == pytest.approx(
        example["handoff_ms"].tolist()
    )


def test_service_levels_are_met_at_their_edge() -> None:
    ttft_ms, itl_ms = tabled(Scenario()).loc["split-400g", ["ttft_ms", "itl_ms"]]
    met = tabled(Scenario().with_workload(ttft_slo_ms=ttft_ms, itl_slo_ms=itl_ms)).loc["split-400g"]
    missed = tabled(
        Scenario().with_workload(ttft_slo_ms=math.nextafter(ttft_ms, 0), itl_slo_ms=math.nextafter(itl_ms, 0))
    ).loc["split-400g"]
    assert (met["meets_ttft_slo"], met["meets_itl_slo"]) == (True, True)
    assert (missed["meets_ttft_slo"], missed["meets_itl_slo"]) == (False, False)


def test_no_bandwidth_is_no_delay_and_why() -> None:
    one = outcome(Workload(), Deployment(id="a", name="A", bandwidth_gb_s=-2))
    assert one.no_delay_reason == "bandwidth is -2 GB/s: nothing is sent"
    assert math.isnan(one.handoff_ms)
    assert math.isnan(one.parts.ttft_ms)
    assert math.isnan(one.handoff_share)
    found = tabled(Scenario().with_row("split-400g", bandwidth_gb_s=0)).loc["split-400g"]
    assert not found["meets_ttft_slo"]
    assert found["carries_requests_per_s"] == 0


def test_an_aggregated_row_has_a_reason_for_nothing() -> None:
    one = outcome(Workload(), Deployment(id="a", name="A", kind="aggregated", bandwidth_gb_s=0))
    assert one.no_delay_reason is None
    assert (one.handoff_ms, one.handoff_share) == (0, 0)


def test_a_handoff_before_the_second_token_is_no_share_of_ttft() -> None:
    one = outcome(Workload(), Deployment(id="a", name="A", first_token_from="prefill"))
    assert one.handoff_ms == pytest.approx(15.72864)
    assert one.handoff_share == 0
    assert one.second_token_ms == pytest.approx(one.parts.ttft_ms + 15.72864 + decode_step_ms(one.x))


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_worked_scenario_is_a_tidy_table(name: str) -> None:
    found = table(SCENARIOS[name], compare(SCENARIOS[name]))
    assert len(found) == len(SCENARIOS[name].deployments)
    assert found["deployment_id"].is_unique
    assert (found["second_token_ms"] >= found["ttft_ms"]).all()


@given(data=st.data())
def test_every_scenario_is_answered_or_refused_in_a_sentence(any_scenario: Any, data: st.DataObject) -> None:
    scenario = data.draw(any_scenario)
    try:
        outcomes = compare(scenario)
    except InputError:  # a precision without a peak, a model without its size
        return
    found = table(scenario, outcomes)
    assert not (found["needed_gb_s"] < 0).any()
    for one in outcomes:
        assert one.needed_gb_s >= 0
        assert one.capacity.busiest in ("prefill", "link", "decode")
