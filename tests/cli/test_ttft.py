"""`aisim ttft`: the table of a scenario file as lines, JSON and CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aisim = Callable[[str], Any]
EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def test_the_worked_example_by_hand(aisim: Aisim, five_ways: Path) -> None:
    # 12,000 tokens x 262,144 B = 3,145,728,000 B; at 4 x 50 GB/s 15.73 ms, at 12.5 GB/s 251.7 ms
    ran = aisim(f"ttft {five_ways} --json")
    assert (ran.status, ran.err) == (0, "")
    rows = {row["deployment_id"]: row for row in ran.json}
    assert rows["split-400g"]["wire_bytes"] == 3_145_728_000
    assert rows["split-400g"]["handoff_ms"] == pytest.approx(15.72864, rel=1e-12)
    assert rows["split-100g"]["handoff_ms"] == pytest.approx(251.65824, rel=1e-12)
    assert rows["aggregated"]["bandwidth_gb_s"] is None
    assert rows["aggregated"]["rank"] == 1
    parts = ("queue", "prefill", "orchestration", "reservation", "link_queue", "transfer", "activation")
    for row in ran.json:
        total = sum(row[f"{part}_ms"] for part in parts) + row["decode_step_ms"]
        assert total == pytest.approx(row["ttft_ms"], rel=1e-12)


def test_a_person_reads_a_table_and_the_ranking(aisim: Aisim, five_ways: Path) -> None:
    out = aisim(f"ttft {five_ways}").out
    assert "Split, 400G NIC per GPU     8" in out
    assert "1. Aggregated 2 x TP4: meets both SLOs; carries most a dollar: " in out


def test_slos_are_met_or_missed_at_the_scenarios_arrivals(aisim: Aisim) -> None:
    # 5.5 requests/s: the ranking below the table says which rows miss, and the table says the same
    table = aisim(f"ttft {EXAMPLES}/sixteen-gpus.json").out.splitlines()
    assert "Meets both SLOs" in table[0]
    assert ["no" in line.split() for line in table[1:4]] == [True, True, False]


def test_the_csv_has_the_same_columns(aisim: Aisim, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    ran = aisim(f"ttft {EXAMPLES}/sixteen-gpus.json --json --csv {file}")
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert [row["deployment"] for row in rows] == [row["deployment"] for row in ran.json]
    assert set(ran.json[0]) == set(rows[0]) - {"model_version"}
    assert [float(row["ttft_ms"]) for row in rows] == [row["ttft_ms"] for row in ran.json]


def test_a_row_that_doesnt_fit_has_a_handoff_and_no_other_time(aisim: Aisim, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("workload: {model_id: llama-3.1-70b}\ndeployments: [{name: One, prefill_tp: 1}]\n")
    (row,) = aisim(f"ttft {file} --json").json
    assert (row["fits"], row["ttft_ms"]) == (False, None)
    # 12,000 x 327,680 B over the one rank's 400G NIC, 50 GB/s
    assert row["handoff_ms"] == 78.6432
    assert "weights need" in row["fit_problem"]
    assert "1. One: doesn't fit: weights need" in aisim(f"ttft {file}").out


def test_a_table_that_is_extrapolated_is_said(aisim: Aisim, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    row = "{name: One, prefill_model: table, prefill_table: [[1000, 50], [8000, 400]]}"
    said = (
        "One: prefill is measured from 1,000 to 8,000 tokens; elsewhere it is extrapolated from the nearest"
    )
    for tokens, beyond in ((8000, False), (8001, True)):
        file.write_text(f"workload: {{prompt_tokens: {tokens}}}\ndeployments: [{row}]\n")
        assert (said in aisim(f"ttft {file}").out) is beyond
        assert aisim(f"ttft {file} --json").json[0]["prefill_extrapolated"] is beyond
    assert said in aisim(f"sweep {file} --vary prompt_tokens=10,20000 -o {tmp_path}/out.csv").err


def test_a_file_that_isnt_there_or_isnt_right_is_a_sentence(aisim: Aisim, tmp_path: Path) -> None:
    ran = aisim(f"ttft {tmp_path}/none.yaml")
    assert (ran.status, ran.out) == (2, "")
    assert "can't be read (No such file or directory)" in ran.err
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("workload:\n  promt_tokens: 1\n")
    ran = aisim(f"ttft {wrong}")
    assert ran.status == 2
    assert "wrong.yaml, line 2: workload.promt_tokens is no field" in ran.err


def test_a_row_that_cant_be_timed_is_a_sentence(aisim: Aisim, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("deployments: [{name: A, weight_format: fp2}]\n")
    ran = aisim(f"ttft {file}")
    assert ran.status == 2
    assert "weight_format = 'fp2': is no format that engines serve weights in" in ran.err


def test_a_csv_that_cant_be_written_is_a_sentence(aisim: Aisim, tmp_path: Path, five_ways: Path) -> None:
    ran = aisim(f"ttft {five_ways} --csv {tmp_path}/none/rows.csv")
    assert ran.status == 2
    assert "can't be written (No such file or directory)" in ran.err
