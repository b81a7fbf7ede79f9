"""A trace on the rows of a scenario: which rows, which window, and what is said of a row that is refused."""

from __future__ import annotations

import numpy as np
import pytest

from aisim_model.errors import InputError
from aisim_model.replay import Progress
from aisim_model.replay.run import ReplayStoppedError
from aisim_model.scenario import Scenario
from aisim_model.scenario.traffic import Traffic
from aisim_model.traces import Trace
from aisim_model.traffic.scenario_replay import asked_rows, asked_trace, replay_scenario

EVERY_SECOND = Trace(np.arange(10) * 1000.0, np.full(10, 1000), np.full(10, 5))


@pytest.mark.parametrize(
    ("traffic", "arrivals_ms"),
    [
        (Traffic(), np.arange(10) * 1000.0),
        (Traffic(rate_factor=4.0), np.arange(10) * 250.0),
        (Traffic(window_start_s=2.0, window_end_s=5.0), [0.0, 1000.0, 2000.0]),
        (Traffic(window_start_s=7.5), [0.0, 1000.0]),  # those at 8 and 9 s: the last one counts
        (Traffic(window_end_s=1.0, rate_factor=2.0), [0.0]),
    ],
)
def test_the_window_is_taken_before_the_rate_changes(traffic: Traffic, arrivals_ms: list[float]) -> None:
    assert asked_trace(EVERY_SECOND, traffic)[0].arrival_ms.tolist() == list(arrivals_ms)


def test_a_slice_is_warned_of_and_the_whole_is_not() -> None:
    assert "biased" in asked_trace(EVERY_SECOND, Traffic(window_end_s=3.0))[1][0]
    assert asked_trace(EVERY_SECOND, Traffic(rate_factor=2.0))[1] == ()


def test_a_window_without_arrivals_is_refused() -> None:
    with pytest.raises(InputError, match="no arrivals"):
        asked_trace(EVERY_SECOND, Traffic(window_start_s=100.0))


def test_all_rows_are_asked_where_traffic_names_none() -> None:
    assert asked_rows(Scenario()) == list(Scenario().deployments)
    two = Scenario(traffic=Traffic(deployment_ids=("split-tcp", "aggregated")))
    assert [row.id for row in asked_rows(two)] == ["split-tcp", "aggregated"]


def test_the_slower_link_hands_over_later_and_an_aggregated_row_nothing() -> None:
    aggregated, fast, _, _, tcp = replay_scenario(Scenario(), EVERY_SECOND)
    assert aggregated.figures.handoff_ms is None
    assert aggregated.figures.verdict.offered_gb_s is None
    # 1,000 x 262,144 B at 200 GB/s
    assert fast.figures.transfer_ms.max == pytest.approx(1.31072)
    assert tcp.figures.transfer_ms.max > 10 * fast.figures.transfer_ms.max
    assert fast.figures.within_slos.within_slo_share == 1.0
    assert fast.record()["deployment_id"] == "split-400g"


def test_a_row_of_aggregated_workers_is_refused_at_level_fifo_and_the_others_go_on() -> None:
    outcomes = list(replay_scenario(Scenario(traffic=Traffic(level="fifo")), EVERY_SECOND))
    assert [outcome.refused is None for outcome in outcomes] == [False, True, True, True, True]
    assert set(outcomes[0].record()) == {"deployment_id", "deployment", "refused"}
    assert "knows no aggregated workers" in outcomes[0].record()["refused"]
    assert outcomes[0].result is None


def test_a_stop_ends_all_of_it() -> None:
    progress = Progress()
    progress.stop()
    with pytest.raises(ReplayStoppedError):
        list(replay_scenario(Scenario(), EVERY_SECOND, progress))
