"""`aisim evidence`: published measurements beside what the models say of them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from aisim_cli.output import print_json, print_table


def evidence(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Put every published measurement beside the reference, the calibrated and the roofline model."""
    from aisim_cli.calibrate import fitted_values
    from aisim_model.evidence import evidence as every_row
    from aisim_model.evidence import published_fits

    rows = every_row()
    if as_json:
        fits = {name: fitted_values(fit) for name, fit in published_fits().items()}
        print_json({"measurements": [record(row) for row in rows], "fits": fits})
    else:
        print_table([line(row) for row in rows])


def record(row: Any) -> dict[str, Any]:
    """Return a row as plain values: prediction and relative error of each model, None where it has none."""
    from aisim_model.evidence import MODELS

    errors = {f"{model}_relative_error": row.relative_error(model) for model in MODELS}
    return {**vars(row), **errors}


def line(row: Any) -> dict[str, Any]:
    """Return a row as cells for a person: what was measured, and how far off each model is."""
    errors = {model: row.relative_error(model) for model in ("reference", "calibrated", "roofline")}
    cells = {model: "-" if error is None else f"{error:+.1%}" for model, error in errors.items()}
    caution = "" if row.consistent else "inconsistent, not fitted"
    return {
        "id": row.id,
        "measured": f"{row.reported:,.6g}",
        "quantity": row.quantity,
        **cells,
        "caution": caution,
    }
