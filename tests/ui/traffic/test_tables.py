"""Tables of a replay: percentiles, curves, waits by percentile, timelines and the slowest, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, ReplayResult, replay
from aisim_model.scenario import Scenario
from aisim_model.traces import Trace
from aisim_model.ttft_parts import PART_NAMES
from aisim_ui.traffic import tables
from aisim_ui.traffic.outcome import ReplayOutcome, side_by_side

# 10 ms prefill, 5 ms step, 1 MB a token at 1 GB/s; alone: 128, 256 and 64 ms on the wire, TTFT 143, 271, 79
PROMPTS, TTFT = [128, 256, 64], [143.0, 271.0, 79.0]


def alone(order: str = "source_first") -> ReplayResult:
    trace = Trace(np.array([0.0, 1000.0, 2000.0]), np.array(PROMPTS), np.array([3, 3, 3]))
    return replay(
        trace,
        ReplayConfig.model_validate(
            {
                "prefill_workers": 1,
                "decode_workers": 1,
                "bandwidth_gb_s": 1.0,
                "kv_bytes_per_token": 1_000_000,
                "prefill": fixed(10.0),
                "decode": fixed(5.0),
                "order": order,
            }
        ),
    )


def queued(requests: int) -> ReplayResult:
    """Return a replay whose k-th request waits k passes of 10 ms."""
    trace = Trace(np.zeros(requests), np.full(requests, 8), np.full(requests, 1))
    config = ReplayConfig(prefill_workers=1, decode_workers=1, prefill=fixed(10.0), decode=fixed(1e-6))
    return replay(trace, config)


def test_percentiles_are_interpolated() -> None:
    found = tables.percentiles(alone()).set_index("quantity")
    assert found.loc["TTFT", "p50_ms"] == pytest.approx(143.0)
    assert found.loc["TTFT", "p75_ms"] == pytest.approx(207.0)  # halfway from 143 to 271
    assert found.loc["TTFT", "max_ms"] == pytest.approx(271.0)
    assert found.loc["Handoff", "p50_ms"] == pytest.approx(128.0)


def test_a_curve_rises_from_the_least_to_the_most() -> None:
    found = tables.cumulative(alone(), "ttft_ms")
    assert found["share"].iloc[[0, -1]].tolist() == [0.0, 1.0]
    assert found["milliseconds"].iloc[[0, -1]].tolist() == pytest.approx([79.0, 271.0])
    assert found["milliseconds"].is_monotonic_increasing
    assert len(found) <= 60


def test_an_aggregated_deployment_has_no_curve_of_handoffs() -> None:
    trace = Trace(np.array([0.0]), np.array([100]), np.array([2]))
    result = replay(trace, ReplayConfig(aggregated_workers=1))
    assert tables.cumulative(result, "handoff_ms").empty
    assert tables.percentiles(result)["quantity"].tolist() == ["TTFT"]


def test_the_slowest_hundredth_waits_most() -> None:
    found = tables.waits_by_percentile(queued(200)).set_index("band")
    assert found["requests"].sum() == 200
    assert found.loc["slowest 1%", "requests"] == 2
    # requests 198 and 199 wait 1,980 and 1,990 ms, the first twenty 0 to 190
    assert found.loc["slowest 1%", "queue_ms"] == pytest.approx(1985.0)
    assert found.loc["fastest 10%", "queue_ms"] == pytest.approx(95.0)
    assert found[list(PART_NAMES)].sum(axis=1).to_numpy() == pytest.approx(found["ttft_ms"].to_numpy())


@pytest.mark.parametrize("requests", [1, 2, 3, 7, 50, 99, 101])
def test_every_request_is_in_one_band_and_the_slowest_in_the_last(requests: int) -> None:
    found = tables.waits_by_percentile(queued(requests))
    assert found["requests"].sum() == requests
    assert found["band"].iloc[-1] == "slowest 1%"


def test_the_slowest_come_first() -> None:
    found = tables.slowest(alone(), most=2)
    assert found["input_length"].tolist() == [256, 128]
    assert found["ttft_ms"].tolist() == pytest.approx([271.0, 143.0])


def test_a_timeline_has_the_requests_around_its_moment() -> None:
    # the second is computed from 1,000 to 1,010 and on the wire to 1,266; its first token comes at 1,271
    found = tables.gantt(alone(), 1100.0, most=1)
    assert found["part"].tolist() == ["prefill_ms", "transfer_ms", "decode_step_ms"]
    assert found["start_ms"].tolist() == pytest.approx([1000.0, 1010.0, 1266.0])
    assert found["end_ms"].tolist() == pytest.approx([1010.0, 1266.0, 1271.0])


def test_a_timeline_never_has_more_than_asked_for() -> None:
    assert tables.gantt(queued(200), 500.0, most=20)["request"].nunique() == 20


def test_pieces_of_a_timeline_end_at_the_first_token_in_both_orders() -> None:
    for order in ("source_first", "destination_first"):
        result = alone(order)
        ends = tables.gantt(result, 0.0).groupby("request")["end_ms"].max()
        assert ends.to_numpy() == pytest.approx(result.column("first_token_ms"))


def test_tables_stand_side_by_side_with_their_rows() -> None:
    first, second = Scenario().deployments[:2]
    found = side_by_side(
        [(first, ReplayOutcome(queued(3))), (second, ReplayOutcome(alone(), rows_left_out=7))],
        lambda outcome: outcome.percentiles,
    )
    assert found["deployment_id"].tolist() == [first.id, first.id, second.id, second.id]
    assert set(found["color"]) == {first.color, second.color}
    assert found["rows_left_out"].tolist() == [0, 0, 7, 7]


def test_goodput_counts_requests_within_both_service_levels() -> None:
    outcome = ReplayOutcome(alone())
    slo = Scenario().workload.changed(ttft_slo_ms=143.0 + 1e-6, itl_slo_ms=5.0 + 1e-6)
    found = outcome.within(slo)
    assert found.within_slo_share == 2 / 3
    # the last token leaves at 2,079 + 2 steps of 5 ms
    assert found.goodput_requests_per_s == pytest.approx(2 / 2.089)
    assert outcome.within(slo.changed(itl_slo_ms=4.9)).within_slo_share == 0


def test_the_slowest_show_their_time_and_its_parts_before_all_else() -> None:
    assert list(tables.slowest(alone()))[:3] == ["row", "ttft_ms", "queue_ms"]


def test_a_table_side_by_side_begins_with_the_deployment() -> None:
    row = Scenario().deployments[1]
    found = side_by_side([(row, ReplayOutcome(alone()))], lambda outcome: outcome.percentiles)
    assert list(found)[:3] == ["deployment_id", "deployment", "quantity"]
