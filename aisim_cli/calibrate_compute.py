"""`aisim calibrate` of a benchmark's runs: the roofline of a row of a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aisim_cli.output import print_json, print_table
from aisim_cli.scenario_file import scenario_from
from aisim_model.errors import InputError


def calibrate_compute(
    source: bytes, scenario: Path | None, row_id: str | None, output: Path | None, as_json: bool
) -> None:
    """Fit a row's passes to runs, print what was found, and write the scenario with it where asked."""
    from aisim_model.calibration.benchmark_runs import read_runs
    from aisim_model.calibration.compute_fit import fit_compute
    from aisim_model.scenario.file import scenario_text

    if scenario is None:
        problem = "is needed: these are runs of a benchmark, and a row says on what"
        raise InputError(
            "scenario", None, problem, "Add --scenario FILE, and --row ID for another than selected."
        )
    asked = scenario_from(scenario)
    row = asked.selected if row_id is None else asked.row(row_id)
    fit = fit_compute(asked.workload, row, read_runs(source))
    found = {
        "row": row.id,
        "values": dict(fit.values),
        "intervals": dict(fit.intervals),
        "untold": list(fit.untold),
        "before_error": fit.before_error,
        "error": fit.error,
        "left_out_error": fit.left_out_error,
        "row_fields": fit.row_fields,
        "runs": list(fit.rows),
    }
    if output is not None:
        output.write_text(scenario_text(asked.with_row(row.id, **fit.row_fields)), encoding="utf-8")
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    from aisim_model.calibration.compute_fit import LABELS

    said = []
    for name, value in found["values"].items():
        low, high = found["intervals"][name]
        told = "the runs can't tell" if name in found["untold"] else f"95%: {low:.4g} to {high:.4g}"
        said.append({"name": LABELS[name], "value": f"{value:.4g}  ({told})"})
    said.append({"name": "median off", "value": f"{found['error']:.1%}, before {found['before_error']:.1%}"})
    said.append({"name": "on a run left out", "value": f"{found['left_out_error']:.1%}"})
    print_table(said, header=False)
