"""`aisim recommend`: what to deploy, as JSON, in words and as a scenario; sentences for what can't be."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aisim = Callable[[str], Any]
EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
NODES = EXAMPLES / "two-nodes.yaml"
LOCKS = "--lock weight_dtype=bf16 --lock kv_dtype=bf16 --lock chunk_tokens=8192 --lock max_sequences=256"


def test_the_best_is_told_with_its_row_and_answers(aisim: Aisim, tmp_path: Path) -> None:
    best, table = tmp_path / "best.yaml", tmp_path / "ranked.csv"
    found = aisim(f"recommend {NODES} --gpus 16 {LOCKS} --json -o {best} --csv {table}").json
    first = found["best"]
    assert found["searched"] >= found["fit"] >= found["met"] > 0
    assert first == found["ranked"][0]
    assert first["gpus"] <= 16
    assert first["loaded_ttft_ms"] <= 1500
    assert first["loaded_itl_ms"] <= 30
    assert first["deployment"].split()[0] == first["kind"].capitalize()
    assert found["answer"].startswith("Deploy ")
    assert {point["kind"] for point in found["frontier"]} == {"split", "aggregated"}
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [row["deployment"] for row in rows] == [one["deployment"] for one in found["ranked"]]
    told = aisim(f"ttft {best} --json").json[0]
    assert told["carries_within_slos_per_s"] == first["carries_within_slos_per_s"]
    assert told["within_slos_share"] == first["within_slos_share"]
    assert told["usd_per_million_within_slos"] == first["usd_per_million_within_slos"]
    assert told["meets_slos_under_load"]


def test_a_search_says_its_answer_in_a_line(aisim: Aisim) -> None:
    said = aisim(f"recommend {NODES} --gpus 8 {LOCKS} --lock weight_dtype=fp8 --for gpus").out
    assert said.startswith("Deploy ")
    assert "meet both targets at 4 requests/s" in said
    assert "Searched " in said


def test_the_best_are_replayed_on_a_trace(aisim: Aisim, tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    requests = [
        {"timestamp": 400 * n, "input_length": 3000, "output_length": 60, "hash_ids": []} for n in range(40)
    ]
    file.write_text("\n".join(map(json.dumps, requests)), encoding="utf-8")
    line = f"recommend {NODES} --gpus 8 {LOCKS} --trace {file} --verify 3 --json"
    found = aisim(line).json
    assert found["best"]["arrivals_per_s"] == pytest.approx(2.5, rel=0.05)
    assert len(found["verified"]) == 3
    shares = [one["within_slo_share"] for one in found["verified"]]
    assert shares == sorted(shares, reverse=True)
    assert all(one["ttft_p99_ms"] > 0 for one in found["verified"])


def test_fp4_is_tried_where_the_gpu_has_it(aisim: Aisim) -> None:
    found = aisim(
        f"recommend {NODES} --gpus 2 --gpu b200 --lock weight_dtype=fp4 --lock kv_dtype=fp8 --json"
    ).json
    assert {one["gpu"] for one in found["ranked"]} == {"b200"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--gpus 0", "gpus = 0: must be at least 1"),
        ("--gpus 1000000", "more than the 2,000,000 that can be tried"),
        ("--gpus 1 --lock weight_dtype=bf16", "lacks"),
        ("--gpus 8 --lock kind=aggregated --lock decode_tp=2", "leaves no layout of at most 8 GPUs"),
        ("--gpus 8 --lock speed=9", "is no field that can be locked"),
        ("--gpus 8 --lock speed", "must be FIELD=VALUE"),
        ("--gpus 8 --gpu h300", "is not in the catalogue"),
        ("--gpus 8 --verify 1000", "verify = 1000"),
        (f"--gpus 8 {LOCKS} --lock kind=split --lock prefill_tp=4 --lock decode_tp=4", "The nearest, "),
        (f"--gpus 8 {LOCKS} --lock weight_dtype=fp8 -o /nowhere/best.yaml", "can't be written"),
    ],
)
def test_what_cant_be_is_a_sentence(aisim: Aisim, options: str, says: str) -> None:
    ran = aisim(f"recommend {NODES} {options}")
    assert ran.status == 2
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_no_layout_that_meets_is_still_told_of(aisim: Aisim) -> None:
    ran = aisim(f"recommend {NODES} --gpus 4 {LOCKS} --json")
    assert ran.status == 2
    assert ran.json["best"] is None
    assert ran.json["ranked"]
    assert "hold no layout that meets the targets" in ran.err
