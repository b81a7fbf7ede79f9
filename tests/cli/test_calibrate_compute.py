"""`aisim calibrate` of a benchmark's runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Aisim = Callable[[str], Any]
RUNS = "prompt,output,concurrency,tpot_ms\n256,128,1,6.46\n20000,128,1,7.32\n120000,128,1,11.69\n"
SCENARIO = (
    "workload: {model_id: llama-3.1-8b}\n"
    "deployments:\n- {id: one, name: One, kind: aggregated, gpu: h100-sxm, prefill_tp: 1}\n"
)


def test_a_row_is_fitted_and_written(aisim: Aisim, tmp_path: Path) -> None:
    runs, scenario, out = tmp_path / "runs.csv", tmp_path / "one.yaml", tmp_path / "fitted.json"
    runs.write_text(RUNS)
    scenario.write_text(SCENARIO)
    ran = aisim(f"calibrate {runs} --scenario {scenario} -o {out} --json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.json["row"] == "one"
    assert ran.json["error"] < 0.02
    assert len(ran.json["runs"]) == 3
    # the written scenario says what the fit does: 8 in flight at 20,000 tokens
    (row,) = json.loads(out.read_text())["deployments"]
    assert row["kv_efficiency"] == ran.json["row_fields"]["kv_efficiency"]
    assert aisim(f"ttft {out} --json").status == 0
    said = aisim(f"calibrate {runs} --scenario {scenario}").out
    assert "KV efficiency" in said
    assert "on a run left out" in said


def test_a_scenario_is_needed(aisim: Aisim, tmp_path: Path) -> None:
    runs = tmp_path / "runs.csv"
    runs.write_text(RUNS)
    ran = aisim(f"calibrate {runs}")
    assert ran.status == 2
    assert "scenario" in ran.err
    assert "--scenario FILE" in ran.err
