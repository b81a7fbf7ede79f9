"""Figures and records of replays, by hand."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from aisim_model import MODEL_VERSION
from aisim_model.errors import InputError
from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, ReplayResult, replay
from aisim_model.replay.config import KvWindowBytes
from aisim_model.study.records import ending_of, records, write_csv, write_records
from aisim_model.traces import Trace
from aisim_model.traffic.checked import checked_replay
from aisim_model.traffic.figures import replay_figures, within_slos

TRACE = Trace(np.array([0.0, 1000.0, 2000.0]), np.array([128, 256, 64]), np.array([3, 3, 1]))


def split(**values: object) -> ReplayResult:
    config = {
        "prefill_workers": 1,
        "decode_workers": 1,
        "bandwidth_gb_s": 1.0,
        "kv_bytes_per_token": 1e6,
        "prefill": fixed(10.0),
        "decode": fixed(5.0),
    }
    return replay(TRACE, ReplayConfig.model_validate({**config, **values}))


def aggregated() -> ReplayResult:
    return replay(TRACE, ReplayConfig(aggregated_workers=2, prefill=fixed(10.0)))


def test_figures_of_three_requests_by_hand() -> None:
    found = replay_figures(split())
    # 10 ms prefill, 1 ms a token on the wire, 5 ms for the first step
    assert found.ttft_ms.mean == pytest.approx((143 + 271 + 79) / 3)
    assert found.ttft_ms.p50 == 143
    assert found.transfer_ms.max == 256
    assert found.itl_ms.mean == 5
    # 448 ms on the wire and 3 passes of 10 ms in the 2 s of arrivals
    assert found.verdict.offered_load["link"] == pytest.approx(0.224)
    assert found.verdict.offered_load["prefill"] == pytest.approx(0.015)
    assert found.verdict.carried is True
    assert found.verdict.bottleneck == "link"


def test_a_cancelled_request_meets_no_service_level() -> None:
    # the first has its first token at 143 and is cancelled at 145; 271 is late; 79 is met, by 2,079 ms
    found = within_slos(split(cancellations=((0, 145.0),)), 200.0, 25.0)
    assert found.within_slo_share == pytest.approx(1 / 3)
    assert found.goodput_requests_per_s == pytest.approx(1 / 2.079)


def test_a_load_beyond_the_link_is_not_carried() -> None:
    found = replay_figures(split(bandwidth_gb_s=0.1, contention="fifo"))
    assert found.verdict.offered_load["link"] == pytest.approx(2.24)
    assert found.verdict.carried is False
    assert found.verdict.bottleneck == "link"


def test_an_overloaded_prefill_is_the_bottleneck_though_prompts_wait_for_room_on_decode() -> None:
    often = Trace(np.arange(40) * 10.0, np.full(40, 64), np.full(40, 2))
    config = ReplayConfig(
        prefill_workers=1,
        decode_workers=1,
        bandwidth_gb_s=100.0,
        kv_bytes_per_token=1000.0,
        level="engine",
        order="destination_first",
        block_size=16,
        pool_blocks=10,
        prefill=fixed(50.0),
        decode=fixed(1.0),
    )
    found = replay_figures(replay(often, config))
    waits = found.verdict.slowest_wait_ms
    assert waits["reservation_ms"] > waits["queue_ms"]  # places on decode are held by waiting prompts
    assert found.verdict.offered_load["prefill"] > 1 > found.verdict.offered_load["decode"]
    assert found.verdict.bottleneck == "prefill"


def test_of_requests_that_arrive_at_once_nothing_is_said_of_load() -> None:
    once = Trace(np.zeros(2), np.array([10, 10]), np.array([1, 1]))
    found = replay_figures(replay(once, ReplayConfig(aggregated_workers=1)))
    assert (found.verdict.carried, found.verdict.offered_load) == (None, {})
    assert found.itl_ms is None  # a token each


@pytest.mark.parametrize(
    ("ttft_slo_ms", "itl_slo_ms", "met"),
    [(1000.0, 25.0, 3), (143.0, 25.0, 2), (78.0, 25.0, 0), (1000.0, 4.0, 1)],
)
def test_requests_that_meet_both_service_levels(ttft_slo_ms: float, itl_slo_ms: float, met: int) -> None:
    # the last one has a single token, which no gap makes late; it leaves at 2,079 ms
    found = within_slos(split(), ttft_slo_ms, itl_slo_ms)
    assert found.within_slo_share == met / 3
    assert found.goodput_requests_per_s == pytest.approx(met / 2.079)


def test_records_of_both_kinds_stand_in_one_table() -> None:
    table = records({"both": aggregated(), "split": split()}, rows_left_out=2)
    assert table["deployment_id"].to_pylist() == ["both"] * 3 + ["split"] * 3
    assert table["wire_end_ms"].to_pylist()[:3] == [None] * 3  # nothing was handed over
    assert table["transfer_ms"].to_pylist()[3:] == [128.0, 256.0, 64.0]
    assert set(table["rows_left_out"].to_pylist()) == {2}
    assert set(table["model_version"].to_pylist()) == {MODEL_VERSION}


def test_a_csv_has_bare_names_and_six_decimals() -> None:
    sink = io.BytesIO()
    write_csv(records({"": split()}).select(["row", "ttft_ms", "status"]), sink)
    lines = "row,ttft_ms,status\n0,143.000000,completed\n1,271.000000,completed\n2,79.000000,completed\n"
    assert sink.getvalue().decode() == lines


def test_a_long_csv_is_written_in_slices_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, sliced = io.BytesIO(), io.BytesIO()
    write_csv(records({"a": split(), "b": aggregated()}), whole)
    monkeypatch.setattr("aisim_model.study.records.ROWS_AT_A_TIME", 2)
    write_csv(records({"a": split(), "b": aggregated()}), sliced)
    assert sliced.getvalue() == whole.getvalue()
    assert whole.getvalue().count(b"\n") == 7


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "records.parquet"
    target.write_text("before", encoding="utf-8")
    write_records(target, {"": split()})
    assert parquet.read_table(target)["ttft_ms"].to_pylist() == [143.0, 271.0, 79.0]
    assert [file.name for file in tmp_path.iterdir()] == ["records.parquet"]


def test_a_place_for_a_file_is_checked_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for path, problem in (
        (tmp_path / "table.xlsx", "must end in .csv or .parquet"),
        (tmp_path / "folder.csv", "is a folder"),
        (tmp_path / "none" / "table.csv", "isn't there"),
    ):
        with pytest.raises(InputError, match=problem):
            ending_of(path)


def test_windows_and_state_count_in_what_a_transfer_may_take() -> None:
    config = ReplayConfig(
        prefill_workers=1,
        decode_workers=1,
        bandwidth_gb_s=1e-9,  # a byte a second
        kv_bytes_per_token=0.0,
        state_bytes=4e8,
        windows=(KvWindowBytes(bytes_per_token=1e7, window_tokens=64),),
    )
    with pytest.raises(InputError, match=r"256 tokens take 1\.04e\+12 ms"):  # 4e8 + 64e7 seconds
        checked_replay(TRACE, config)
    less = config.model_copy(update={"state_bytes": 0.0})
    assert checked_replay(TRACE, less).column("transfer_ms")[2] == pytest.approx(64e10)
