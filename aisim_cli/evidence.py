"""`aisim evidence`: published measurements beside what the models say of them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from aisim_cli.output import print_columns, print_json


def evidence(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Put every published measurement beside the reference, the calibrated and the roofline model."""
    from aisim_cli.calibrate import fitted_values
    from aisim_model.compare.columns import EVIDENCE_COMMAND
    from aisim_model.evidence import evidence as every_row
    from aisim_model.evidence import published_fits

    rows = every_row()
    if as_json:
        fits = {name: fitted_values(fit) for name, fit in published_fits().items()}
        print_json({"measurements": [record(row) for row in rows], "fits": fits})
    else:
        print_columns(EVIDENCE_COMMAND, [record(row) for row in rows])


def record(row: Any) -> dict[str, Any]:
    """Return a row as plain values: prediction and relative error of each model, None where it has none."""
    from aisim_model.evidence import MODELS

    errors = {f"{model}_relative_error": row.relative_error(model) for model in MODELS}
    return {**vars(row), **errors}
