"""`aisim import`: a manifest or launch command as rows, and what became of each of its flags."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aisim_cli.output import print_json, print_table
from aisim_model.errors import InputError


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Manifest, values file, command or Markdown.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print rows and flags as JSON.")] = False,
) -> None:
    """Read a deployment into rows, and say of every flag what it is used as. Nothing is run."""
    from aisim_model.manifests import read_deployment
    from aisim_model.manifests.documents import MOST_BYTES

    try:
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        problem = f"can't be read ({error.strerror or error})"
        raise InputError("file", str(file), problem, "Give the path of a deployment.") from None
    found = read_deployment(content)
    if as_json:
        print_json(found)
        return
    for row in found["rows"]:
        print_table([{"field": name, "value": str(value)} for name, value in row.items()])
        print()
    print_table(found["flags"])
