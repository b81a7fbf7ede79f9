"""`aisim sweep`: from a scenario file to a table, and what is refused."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet

from aisim_model.compare.table import compare, table
from aisim_model.scenario import Scenario

VARY = "--vary bandwidth_gb_s=1:400:log:20 --vary prompt_tokens=128:131072:log:10"


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "scenario.yaml"
    file.write_text("workload: {prompt_tokens: 8192}\n")
    return file


def test_the_same_table_in_every_format(aisim: Callable, scenario: Path, tmp_path: Path) -> None:
    ran = {
        ending: aisim(f"sweep {scenario} {VARY} -o {tmp_path}/out.{ending}") for ending in ("csv", "parquet")
    }
    assert {one.status for one in ran.values()} == {0}
    assert "1,000 points (20 bandwidth_gb_s x 10 prompt_tokens x 5 deployments)" in ran["csv"].out
    from_csv = pd.read_csv(tmp_path / "out.csv")
    stored = parquet.ParquetFile(tmp_path / "out.parquet").read().to_pandas()
    assert from_csv["ttft_ms"].tolist() == stored["ttft_ms"].tolist()
    assert from_csv.columns.tolist() == stored.columns.tolist()


def test_a_point_is_the_pages_own(aisim: Callable, scenario: Path, tmp_path: Path) -> None:
    found = aisim(f"sweep {scenario} --vary bandwidth_gb_s=100,200 -o {tmp_path}/out.csv --json").json
    assert (found["points"], found["values"]) == (10, {"bandwidth_gb_s": 2})
    row = pd.read_csv(tmp_path / "out.csv").query("deployment_id == 'split-400g' and bandwidth_gb_s == 200")
    example = Scenario().with_workload(prompt_tokens=8192)
    shown = table(example, compare(example)).query("deployment_id == 'split-400g'")
    for column in ("sent_tokens", "wire_bytes", "handoff_ms", "prefill_ms", "ttft_ms", "handoff_share"):
        assert row[column].item() == shown[column].item()


def test_names_are_neutralised_in_csv_alone(aisim: Callable, tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text("deployments: [{id: a, name: '=1+1'}, {id: b, name: b, kind: aggregated}]\n")
    for ending in ("csv", "parquet"):
        ran = aisim(f"sweep {file} --vary prompt_tokens=10,20 -o {tmp_path}/out.{ending}")
        assert ran.status == 0, ran.err
    assert pd.read_csv(tmp_path / "out.csv")["deployment"].iloc[0] == "'=1+1"
    stored = parquet.ParquetFile(tmp_path / "out.parquet").read().to_pandas()
    assert stored["deployment"].iloc[0] == "=1+1"


def test_whole_numbers_that_round_to_the_same_are_said(
    aisim: Callable, scenario: Path, tmp_path: Path
) -> None:
    ran = aisim(f"sweep {scenario} --vary prompt_tokens=1:100:log:50 -o {tmp_path}/out.csv")
    different = len(set(np.geomspace(1, 100, 50).round()))
    assert f"prompt_tokens: 50 values are {different} different whole numbers" in ran.err
    assert len(pd.read_csv(tmp_path / "out.csv")) == different * 5


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--vary bandwith_gb_s=1,2 -o out.csv", "Did you mean bandwidth_gb_s"),
        ("--vary bandwidth_gb_s=9:1:lin:3 -o out.csv", "backwards"),
        ("--vary bandwidth_gb_s=0:1:log:3 -o out.csv", "log range must be above 0"),
        ("--vary bandwidth_gb_s= -o out.csv", "is empty"),
        ("--vary prompt_tokens=0,1 -o out.csv", "prompt_tokens = 0"),
        ("--vary alpha_ms=0:1:lin:1000000 --vary bandwidth_gb_s=1:2:lin:1000000 -o out.csv", "TB"),
        ("--vary alpha_ms=0,1 -o out.cvs", "Did you mean"),
        ("--vary alpha_ms=0,1 -o out.csv --workers 2", "must end in .parquet"),
        ("--vary alpha_ms=0,1 -o out.parquet --workers 0", "from 1 to 256"),
        ("--vary alpha_ms=0,1 -o out.parquet --workers 1 --dask tcp://127.0.0.1:1", "without --dask"),
        ("--vary alpha_ms=0,1", "--output"),
        ("-o out.csv", "--vary"),
    ],
)
def test_refused_in_a_sentence_before_any_work(
    aisim: Callable, scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = aisim(f"sweep {scenario} {line}")
    assert ran.status == 2
    assert ran.err.startswith("aisim: ")
    assert words in ran.err
    assert [file.name for file in tmp_path.iterdir()] == ["scenario.yaml"]


def test_worker_processes_write_a_folder(aisim: Callable, scenario: Path, tmp_path: Path) -> None:
    one = aisim(f"sweep {scenario} {VARY} -o {tmp_path}/one.parquet")
    two = aisim(f"sweep {scenario} {VARY} -o {tmp_path}/two.parquet --workers 2")
    assert (one.status, two.status) == (0, 0)
    assert [file.name for file in (tmp_path / "two.parquet").iterdir()] == ["part-00000.parquet"]
    assert (tmp_path / "two.parquet" / "part-00000.parquet").read_bytes() == (
        tmp_path / "one.parquet"
    ).read_bytes()


def test_terminated_in_the_middle_leaves_no_file(scenario: Path, tmp_path: Path) -> None:
    words = f"sweep {scenario} --vary bandwidth_gb_s=1:400:log:20000000 -o {tmp_path}/out.csv".split()
    command = [sys.executable, "-m", "aisim_cli.main", *words]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not list(tmp_path.glob(".out.csv.*")):
        assert time.monotonic() < end
        assert run.poll() is None
        time.sleep(0.05)
    run.terminate()
    assert "was not written" in run.communicate(timeout=60)[1]
    assert run.returncode == 130
    assert [file.name for file in tmp_path.iterdir()] == ["scenario.yaml"]
