"""`aisim ttft`: the deployments of a scenario side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from aisim_cli.output import print_json, print_table
from aisim_cli.scenario_file import SCENARIO_HELP, scenario_from
from aisim_model.errors import InputError


def ttft(
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help=SCENARIO_HELP)],
    csv: Annotated[Path | None, typer.Option(help="Write the whole table to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list, one object a row.")] = False,
) -> None:
    """Time the deployments of a scenario, by part, with what they carry and cost.

    Each JSON object and each CSV row has the same columns, with units in their names: ttft_ms and its parts,
    handoff_ms, itl_ms, wire_bytes, needed_gb_s, meets_ttft_slo, usd_per_million_output_tokens, rank and
    others. A row that doesn't fit its GPUs has no times: fit_problem says why. null is what is not known or
    out of reach.
    """
    from aisim_model.compare.table import compare, table
    from aisim_ui.exports import csv_bytes, finite

    asked = scenario_from(scenario)
    found = table(asked, compare(asked))
    if csv is not None:
        try:
            csv.write_bytes(csv_bytes(found))
        except OSError as error:
            problem = f"can't be written ({error.strerror or error})"
            raise InputError("csv", str(csv), problem, "Give another path.") from None
    rows = finite(found.to_dict(orient="records"))
    if as_json:
        print_json(rows)
    else:
        print_table([line(row) for row in rows])
        for row in sorted(rows, key=lambda one: one["rank"]):
            print(f"{row['rank']}. {row['deployment']}: {row['why']}")
        for row, deployment in zip(rows, asked.deployments, strict=True):
            if row["prefill_extrapolated"]:
                print(f"{deployment.name}: {deployment.carried_on}.")


def line(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a person reads of a row."""

    def written(name: str, digits: int) -> str:
        return "-" if row[name] is None else f"{row[name]:,.{digits}f}"

    alone = row["meets_ttft_slo"] and row["meets_itl_slo"]
    met = row["meets_slos_under_load"] if row["arrivals_per_s"] else alone
    return {
        "deployment": row["deployment"],
        "GPUs": row["gpus"],
        "handoff ms": written("handoff_ms", 2),
        "TTFT ms": written("ttft_ms", 1),
        "ITL ms": written("itl_ms", 2),
        "SLOs": "met" if met else "missed",
        "within SLOs req/s": written("carries_within_slos_per_s", 2),
        "USD/M tokens": written("usd_per_million_output_tokens", 2),
    }
