"""`aisim ttft`: the deployments of a scenario side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aisim_cli.output import print_columns, print_json
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
    import pandas as pd

    from aisim_model.compare.columns import TTFT_COMMAND
    from aisim_model.compare.table import compare
    from aisim_ui.exports import csv_bytes, finite
    from aisim_ui.sentences.ranking import compared
    from aisim_ui.sentences.rows import measured_range

    asked = scenario_from(scenario)
    found = pd.DataFrame(compared(asked, compare(asked)))
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
        print_columns(TTFT_COMMAND, rows)
        for row in sorted(rows, key=lambda one: one["rank"]):
            print(f"{row['rank']}. {row['deployment']}: {row['why']}")
        for row, deployment in zip(rows, asked.deployments, strict=True):
            if row["prefill_extrapolated"]:
                print(f"{deployment.name}: {measured_range(deployment)}.")
