"""`aisim evidence`: published measurements beside what the models say of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from aisim_cli.output import print_columns, print_json


def evidence(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    silicon: Annotated[
        Path | None,
        typer.Option(
            help="Score a CSV of measured operating points instead: how far off is each pass-time model?"
        ),
    ] = None,
) -> None:
    """Put every published measurement beside the reference, the calibrated and the roofline model."""
    if silicon is not None:
        score_silicon(silicon, as_json)
        return
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


def score_silicon(path: Path, as_json: bool) -> None:
    """Print how far off each pass-time model is on the operating points of a file."""
    from aisim_model.compare.columns import SILICON_COMMAND
    from aisim_model.evidence.silicon.rows import read_silicon
    from aisim_model.evidence.silicon.scores import QUANTITIES, scorecard

    found = scorecard(read_silicon(path))
    if as_json:
        print_json(found)
        return
    shown = [
        {"model": name, "quantity": QUANTITIES[quantity], **one}
        for name, scores in found["rivals"].items()
        for quantity, one in scores.items()
    ]
    print_columns(SILICON_COMMAND, shown)
    print(f"\n{found['rows']:,} rows can be timed. Left out:")
    for reason, count in found["left_out"].items():
        print(f"{count:>7,}  {reason}")


def record(row: Any) -> dict[str, Any]:
    """Return a row as plain values: prediction and relative error of each model, None where it has none."""
    from aisim_model.evidence import MODELS

    errors = {f"{model}_relative_error": row.relative_error(model) for model in MODELS}
    return {**vars(row), **errors}
