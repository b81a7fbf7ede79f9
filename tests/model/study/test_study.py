"""Many deployments by many traces: resumable, the same over any executor, also where a worker is killed."""

from __future__ import annotations

import csv
import os
import signal
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from aisim_model.errors import InputError
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.traffic import Traffic
from aisim_model.study import SUMMARY, figures_in, parts_of, run_study
from aisim_model.study.part import Part, StudyTrace, part_bytes, trace_digest
from aisim_model.sweep.distributed import dask_workers
from aisim_model.traces import FixedLength, SyntheticTraffic, Trace, synthetic_trace
from aisim_model.traffic.row_replay import replay_row


def traffic(seed: int, requests: int = 200) -> StudyTrace:
    rule = SyntheticTraffic(
        requests=requests,
        requests_per_s=2.0,
        input_tokens=FixedLength(tokens=4000),
        output_tokens=FixedLength(tokens=20),
        seed=seed,
    )
    trace = synthetic_trace(rule)
    return StudyTrace(
        Trace(trace.arrival_ms, trace.input_tokens, trace.output_tokens, name=f"Traffic {seed}.csv")
    )


@pytest.fixture
def scenario() -> Scenario:
    return Scenario(traffic=Traffic(deployment_ids=("aggregated", "split-400g", "split-tcp")))


@pytest.fixture
def traces() -> list[StudyTrace]:
    return [traffic(seed) for seed in range(3)]


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


class Counting(Executor):
    """Works at once, counts what it is asked for, and loses its workers after so many parts."""

    def __init__(self, lasts: int = 1000) -> None:
        self.asked, self._lasts = 0, lasts

    def submit(self, fn, /, *args, **kwargs):
        self.asked += 1
        future: Future[Any] = Future()
        if self.asked <= self._lasts:
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(BrokenExecutor("a process was killed"))
        return future


def test_a_part_a_pair_and_a_summary_of_all(
    scenario: Scenario, traces: list[StudyTrace], tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    rows = run_study(scenario, traces, tmp_path, Counting(), lambda *done: told.append(done))
    assert [(row["trace"], row["deployment_id"]) for row in rows] == [
        (f"Traffic {seed}.csv", row_id)
        for seed in range(3)
        for row_id in ("aggregated", "split-400g", "split-tcp")
    ]
    assert (told[0], told[-1]) == ((0, 9), (9, 9))
    with (tmp_path / SUMMARY).open(newline="", encoding="utf-8") as lines:
        summary = list(csv.DictReader(lines))
    for row, written in zip(rows, summary, strict=True):
        assert float(written["ttft_mean_ms"]) == row["ttft_mean_ms"]
        assert written["bottleneck"] == row["bottleneck"]
    # what the page would say of the same pair
    found = replay_row(
        scenario.workload,
        scenario.row("split-tcp"),
        traces[1].trace,
        contention="fair",
        prefix_caching=True,
    )
    assert rows[5]["ttft_max_ms"] == found.column("ttft_ms").max()
    table = parquet.read_table(tmp_path / rows[5]["file"])
    assert table["ttft_ms"].to_numpy().tolist() == found.column("ttft_ms").tolist()
    assert set(table["deployment_id"].to_pylist()) == {"split-tcp"}


def test_an_interrupted_run_goes_on_where_it_was(
    scenario: Scenario, traces: list[StudyTrace], tmp_path: Path
) -> None:
    whole = run_study(scenario, traces, tmp_path / "whole", Counting())
    halves = tmp_path / "halves"
    with pytest.raises(InputError, match="what is done is kept"):
        run_study(scenario, traces, halves, Counting(lasts=4))
    kept = files(halves)
    assert len(kept) == 4
    assert SUMMARY not in kept
    second = Counting()
    assert run_study(scenario, traces, halves, second) == whole
    assert second.asked == 5
    assert files(halves) == files(tmp_path / "whole")
    third = Counting()
    assert run_study(scenario, traces, halves, third) == whole
    assert third.asked == 0


def test_what_changes_a_replay_makes_parts_of_its_own(
    scenario: Scenario, traces: list[StudyTrace], tmp_path: Path
) -> None:
    run_study(scenario, traces[:1], tmp_path, Counting())
    slower = scenario.with_row("split-tcp", link_efficiency=0.5, link_model="calibrated")
    only_one = Counting()
    run_study(slower, traces[:1], tmp_path, only_one)
    assert only_one.asked == 1
    for changed, asked in (
        (scenario.changed(traffic=scenario.traffic.changed(contention="none")), 2),  # aggregated has no links
        (scenario.with_workload(ttft_slo_ms=100.0), 3),
        (scenario.with_row("split-tcp", name="Renamed"), 0),
    ):
        again = Counting()
        rows = run_study(changed, traces[:1], tmp_path, again)
        assert again.asked >= asked, changed
    assert again.asked == 0
    assert rows[2]["deployment"] == "Renamed"


def test_a_half_written_part_is_replayed_again(
    scenario: Scenario, traces: list[StudyTrace], tmp_path: Path
) -> None:
    rows = run_study(scenario, traces[:1], tmp_path, Counting())
    part = tmp_path / rows[0]["file"]
    whole = part.read_bytes()
    for broken in (whole[:100], b"", b"not a table"):
        part.write_bytes(broken)
        assert figures_in(part) is None
        again = Counting()
        run_study(scenario, traces[:1], tmp_path, again)
        assert again.asked == 1
        assert part.read_bytes() == whole


def test_a_row_that_cannot_carry_a_trace_says_so_in_the_summary(tmp_path: Path) -> None:
    small = Deployment(id="small", name="=Small", gpu="l40s", prefill_tp=1, decode_tp=1)
    scenario = Scenario(deployments=(small, Scenario().selected), selected_id="small", baseline_id="small")
    rows = run_study(scenario, [traffic(0)], tmp_path, Counting(), text=lambda cell: f"<{cell}>")
    assert "no room for a KV block" in rows[0]["refused"]
    assert rows[1]["refused"] is None
    assert sorted(files(tmp_path)) == sorted([SUMMARY, rows[1]["file"]])
    assert "<=Small>" in (tmp_path / SUMMARY).read_text(encoding="utf-8")


def test_a_trace_that_fits_no_pool_is_refused_by_its_replay(tmp_path: Path) -> None:
    tiny = Scenario().selected.changed(pool_tokens=1600)
    scenario = Scenario(deployments=(tiny,), selected_id=tiny.id, baseline_id=tiny.id)
    rows = run_study(scenario, [traffic(0)], tmp_path, Counting())
    assert rows[0]["refused"]
    assert list(files(tmp_path)) == [SUMMARY]


def test_rows_left_out_are_in_every_record(scenario: Scenario, tmp_path: Path) -> None:
    one = StudyTrace(traffic(0, 5).trace, rows_left_out=7)
    rows = run_study(scenario, [one], tmp_path, Counting())
    assert {row["rows_left_out"] for row in rows} == {7}
    assert parquet.read_table(tmp_path / rows[0]["file"])["rows_left_out"].to_pylist() == [7] * 5


def test_a_digest_tells_every_column_and_where_it_ends() -> None:
    arrivals, tokens = np.array([0.0, 1.0]), np.array([20, 20])
    base = Trace(arrivals, tokens, tokens)
    others = [
        Trace(arrivals * 2, tokens, tokens),
        Trace(arrivals, tokens + 1, tokens),
        Trace(arrivals, tokens, tokens + 1),
        Trace(arrivals, tokens, tokens, np.array([1, 2]), np.array([0, 1, 2]), 16),
        Trace(arrivals, tokens, tokens, np.array([1, 2]), np.array([0, 2, 2]), 16),
        Trace(arrivals, tokens, tokens, np.array([1, 2]), np.array([0, 1, 2]), 32),
    ]
    assert len({trace_digest(trace) for trace in (base, *others)}) == 7
    assert trace_digest(Trace(arrivals.copy(), tokens, tokens, name="other")) == trace_digest(base)


def test_a_worker_of_another_version_is_refused(scenario: Scenario) -> None:
    part = Part(scenario, "split-400g", traffic(0, 3), model_version="0.0.0")
    with pytest.raises(InputError, match="Install the same version everywhere"):
        part_bytes(part)


def test_a_folder_that_cannot_be_made_is_a_sentence(scenario: Scenario, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can't be written"):
        run_study(scenario, [traffic(0, 3)], tmp_path / "file", Counting())


def test_a_row_that_is_not_there_is_a_sentence() -> None:
    asked = Scenario(traffic=Traffic(deployment_ids=("nowhere",)))
    with pytest.raises(InputError, match="nowhere"):
        list(parts_of(asked, [traffic(0, 3)]))


def test_threads_make_the_same_files(scenario: Scenario, traces: list[StudyTrace], tmp_path: Path) -> None:
    run_study(scenario, traces, tmp_path / "one", Counting())
    with ThreadPoolExecutor(3) as executor:
        run_study(scenario, traces, tmp_path / "three", executor)
    assert files(tmp_path / "three") == files(tmp_path / "one")


def test_a_dask_worker_killed_in_the_middle_changes_no_byte(
    scenario: Scenario,
    traces: list[StudyTrace],
    daemons: Any,
    tmp_path: Path,
) -> None:
    one = run_study(scenario, traces, tmp_path / "one", Counting())
    told: list[int] = []

    def kill_one(done: int, parts: int) -> None:
        told.append(done)
        if done == 1:
            os.kill(daemons.workers[0].pid, signal.SIGKILL)

    with dask_workers(daemons.address) as executor:
        shared = run_study(scenario, traces, tmp_path / "two", executor, kill_one)
    assert daemons.workers[0].wait(10) == -signal.SIGKILL
    assert daemons.workers[1].poll() is None
    assert shared == one
    assert files(tmp_path / "two") == files(tmp_path / "one")
    assert told == list(range(10))
