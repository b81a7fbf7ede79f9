"""`aisim study`: rows by traces into a folder, alone and over processes."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aisim = Callable[[str], Any]

SCENARIO = """
deployments:
  - {id: both, name: "=Both", kind: aggregated, prefill_workers: 2}
  - {id: split, name: Split}
traffic: {contention: none}
"""


@pytest.fixture
def asked(tmp_path: Path) -> str:
    """Write a scenario and two traces, and return the line that asks for them."""
    (tmp_path / "s.yaml").write_text(SCENARIO, encoding="utf-8")
    for name, tokens in (("a", 4000), ("b", 8000)):
        rows = f"arrived_at,num_prefill_tokens,num_decode_tokens\n0,{tokens},8\n10,{tokens},8\n"
        (tmp_path / f"{name}.csv").write_text(rows, encoding="utf-8")
    return f"study {tmp_path}/s.yaml {tmp_path}/a.csv {tmp_path}/b.csv --time-unit s"


def test_every_row_on_every_trace(asked: str, aisim: Aisim, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran = aisim(f"{asked} --out {out} --json")
    assert ran.status == 0
    assert [(row["trace"], row["deployment_id"]) for row in ran.json] == [
        ("a.csv", "both"),
        ("a.csv", "split"),
        ("b.csv", "both"),
        ("b.csv", "split"),
    ]
    # 262,144 B a token over 4 x 50 GB/s
    assert ran.json[1]["transfer_mean_ms"] == pytest.approx(4000 * 262_144 / 200e6)
    assert ran.json[3]["transfer_mean_ms"] == pytest.approx(8000 * 262_144 / 200e6)
    assert len(list(out.glob("*.parquet"))) == 4
    with (out / "summary.csv").open(newline="", encoding="utf-8") as lines:
        summary = list(csv.DictReader(lines))
    assert summary[0]["deployment"] == "'=Both"  # no formula in a spreadsheet
    assert aisim(f"{asked} --out {out} --json").json == ran.json


def test_processes_make_the_same_folder(asked: str, aisim: Aisim, tmp_path: Path) -> None:
    aisim(f"{asked} --out {tmp_path}/one")
    ran = aisim(f"{asked} --out {tmp_path}/two --workers 2")
    assert ran.status == 0
    assert "Split" in ran.out
    one, two = (
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("one", "two")
    )
    assert one == two


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--workers 0", "workers = 0"),
        ("--workers 2 --dask tcp://127.0.0.1:1", "goes without --dask"),
    ],
)
def test_what_is_refused_is_a_sentence(
    options: str, said: str, asked: str, aisim: Aisim, tmp_path: Path
) -> None:
    ran = aisim(f"{asked} --out {tmp_path}/out {options}")
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert not (tmp_path / "out").exists()


def test_faulty_rows_stop_a_study_before_it_starts(asked: str, aisim: Aisim, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text(
        "arrived_at,num_prefill_tokens,num_decode_tokens\n0,0,8\n1,5,8\n", "utf-8"
    )
    ran = aisim(f"{asked} --out {tmp_path}/out")
    assert ran.status == 2
    assert "line 2" in ran.err
    assert not (tmp_path / "out").exists()
    left = aisim(f"{asked} --out {tmp_path}/out --skip-bad-rows --json")
    assert [row["rows_left_out"] for row in left.json] == [0, 0, 1, 1]


def test_dask_that_is_not_installed_is_a_sentence(
    asked: str, aisim: Aisim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = aisim(f"{asked} --out {tmp_path}/out --dask tcp://127.0.0.1:1")
    assert (ran.status, ran.out) == (2, "")
    assert "pip install 'aisim[dask]'" in ran.err
