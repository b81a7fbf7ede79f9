"""What every record of the catalogue shares, and how one is found by its id."""

from __future__ import annotations

import csv
import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from aisim_model.errors import InputError

DATA = Path(__file__).parent / "data"

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Text = Annotated[str, Field(min_length=1)]


class Record(BaseModel):
    """One entry of the catalogue.

    Parameters
    ----------
    id : str
        Short name, as in links and on the command line.
    name : str
        Name as people write it.
    source : str
        Where the figures come from.
    note : str
        What to know before using them; may be empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    name: Text
    source: Text
    note: str = ""


R = TypeVar("R", bound=Record)


def read_csv(kind: type[R], file_name: str) -> tuple[R, ...]:
    """Read a table of the catalogue; an empty cell is a value that is not known.

    Parameters
    ----------
    kind : type of Record
        What a row is.
    file_name : str
        Name in the catalogue's data folder.

    Raises
    ------
    pydantic.ValidationError
        For a row that does not hold what `kind` asks for.
    """
    with (DATA / file_name).open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        return unique(kind.model_validate({key: cell for key, cell in row.items() if cell}) for row in rows)


def unique(records: Iterable[R]) -> tuple[R, ...]:
    """Return the records as they are, or refuse an id that stands twice."""
    found = tuple(records)
    twice = [name for name, times in Counter(record.id for record in found).items() if times > 1]
    if twice:
        raise ValueError(f"the catalogue holds more than one record of id {', '.join(twice)}")
    return found


def find(records: Sequence[R], field: str, wanted: str) -> R:
    """Return the record of an id, or refuse it with the nearest ids that exist.

    Parameters
    ----------
    records : sequence of Record
        Where to look.
    field : str
        Name of the input, for the sentence.
    wanted : str
        Id, in any case.

    Raises
    ------
    InputError
        Where no record has that id.
    """
    by_id = {record.id: record for record in records}
    if (found := by_id.get(str(wanted).strip().lower())) is not None:
        return found
    near = difflib.get_close_matches(str(wanted)[:100].lower(), by_id, n=3, cutoff=0.5)
    ids = f"the nearest are {', '.join(near)}" if near else f"it holds {', '.join(by_id)}"
    raise InputError(field, wanted, f"is not in the catalogue; {ids}", "Choose one of these.")
