"""What subcommands that take a scenario share: reading its file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aisim_model.errors import InputError

if TYPE_CHECKING:
    from aisim_model.scenario import Scenario

SCENARIO_HELP = (
    "YAML or JSON of a scenario; what it leaves out takes its default. Examples are in docs/examples."
)


def scenario_from(file: Path) -> Scenario:
    """Read a scenario from a file."""
    from aisim_model.scenario.file import MAX_FILE_BYTES, read_scenario

    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        problem = f"can't be read ({error.strerror or error})"
        raise InputError("scenario", str(file), problem, "Give the path of a YAML or JSON file.") from None
    return read_scenario(content, file.name)
