"""`aisim catalog`: the models, GPUs and links that the planner knows, each with its source."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from aisim_cli.output import print_json, print_table

LEFT_OUT_OF_TABLE = frozenset({"source", "parameters_source", "note"})


class Kind(StrEnum):
    LINKS = "links"
    GPUS = "gpus"
    MODELS = "models"


def catalog(
    kind: Annotated[Kind, typer.Argument(help="What to list.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON list, sources included.")] = False,
) -> None:
    """List the links, GPUs or models that the planner knows."""
    rows = records(kind)
    if as_json:
        print_json(rows)
    else:
        print_table([{k: v for k, v in row.items() if k not in LEFT_OUT_OF_TABLE} for row in rows])


def records(kind: Kind) -> list[dict[str, Any]]:
    """Return the records of a kind as plain values."""
    from aisim_model import catalog as known

    if kind is Kind.MODELS:
        return [model.summary() for model in known.models()]
    return [record.model_dump() for record in (known.links() if kind is Kind.LINKS else known.gpus())]
