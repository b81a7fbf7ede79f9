"""`aisim replay --scenario`: rows side by side, as their traffic says."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aisim = Callable[[str], Any]
Written = Callable[[list[tuple[float, int, int]]], Path]

SCENARIO = """
workload: {model_id: qwen3-32b}
deployments:
  - {id: both, name: Aggregated, kind: aggregated, prefill_workers: 2}
  - {id: split, name: Split}
  - {id: small, name: Too small, gpu: l40s, prefill_tp: 1, decode_tp: 1}
"""


def test_rows_of_a_scenario_side_by_side(aisim: Aisim, trace_file: Written, tmp_path: Path) -> None:
    scenario, out = tmp_path / "s.yaml", tmp_path / "out.csv"
    scenario.write_text(SCENARIO, encoding="utf-8")
    trace = trace_file([(0, 12_000, 340), (60_000, 12_000, 340)])
    ran = aisim(f"replay {trace} --scenario {scenario} --out {out} --json")
    assert (ran.status, ran.err) == (0, "")
    both, split, small = ran.json["deployments"]
    assert [row["deployment_id"] for row in (both, split, small)] == ["both", "split", "small"]
    assert ran.json["deployment_id"] == "split"  # the first split row is selected
    assert ran.json["ttft_ms"] == split["ttft_ms"]
    # 12,000 x 262,144 B over 4 x 50 GB/s
    assert ran.json["transfer_ms"]["mean"] == pytest.approx(15.72864)
    assert ran.json["offered_gb_s"] == pytest.approx(2 * 12_000 * 262_144 / 60e9)
    assert both["transfer_ms"] is None
    assert "has no room for a KV block" in small["refused"]
    assert [row["deployment_id"] for row in csv.DictReader(out.read_text("utf-8").splitlines())] == [
        "both",
        "both",
        "split",
        "split",
    ]


def test_a_scenario_says_how_links_are_shared_and_options_override_it(
    aisim: Aisim, trace_file: Written, tmp_path: Path
) -> None:
    scenario = tmp_path / "s.yaml"
    rows = "deployments: [{id: split, name: Split, engine: vllm, decode_workers: 2}]"
    scenario.write_text(f"{rows}\ntraffic: {{contention: none, rate_factor: 2}}", encoding="utf-8")
    trace = trace_file([(0, 12_000, 1), (0, 12_000, 1), (10_000, 12_000, 1)])
    found = aisim(f"replay {trace} --scenario {scenario} --json").json
    assert found["span_s"] == 5.0
    assert found["transfer_ms"]["max"] == pytest.approx(15.72864)
    shared = aisim(f"replay {trace} --scenario {scenario} --contention fair --scope shared --json").json
    assert shared["capacity_gb_s"] == 200.0
    refused = aisim(f"replay {trace} --scenario {scenario} --block-size 16")
    assert refused.status == 2
    assert "block_size = 16: can't be given beside --scenario" in refused.err


def test_a_scenario_none_of_whose_rows_fits_is_refused(
    aisim: Aisim, trace_file: Written, tmp_path: Path
) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text(
        "deployments: [{name: Small, gpu: l40s, prefill_tp: 1, decode_tp: 1}]", encoding="utf-8"
    )
    ran = aisim(f"replay {trace_file([(0, 100, 1)])} --scenario {scenario}")
    assert (ran.status, ran.out) == (2, "")
    assert "has no room" in ran.err
