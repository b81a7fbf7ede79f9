"""What every record of the catalogue shares, and how one is found by its id."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Generic, TypeVar

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


class Table(Generic[R]):
    """All records of one kind, read and checked when they are first asked for.

    Parameters
    ----------
    kind : type of Record
        What a record is.
    place : str
        In the catalogue's data folder: a CSV, where an empty cell is a value that is not known, or a folder
        of JSON files, a record each.
    field : str
        Name of the input that chooses a record, for the sentence.

    Examples
    --------
    >>> from aisim_model.catalog import gpu, gpus
    >>> min(gpus(), key=lambda gpu: gpu.hbm_gb).id, gpu("H200").name
    ('l40s', 'H200')
    """

    def __init__(self, kind: type[R], place: str, field: str = "") -> None:
        self._kind, self._place, self._field = kind, DATA / place, field

    @cached_property
    def _by_id(self) -> Mapping[str, R]:
        found: dict[str, R] = {}
        for record in self._read():
            if record.id in found:
                raise ValueError(f"the catalogue holds more than one record of id {record.id}")
            found[record.id] = record
        return found

    def _read(self) -> Iterator[R]:
        if self._place.is_dir():
            for file in sorted(self._place.glob("*.json"), key=lambda file: file.stem):
                yield self._kind.model_validate_json(file.read_bytes())
            return
        with self._place.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                yield self._kind.model_validate({key: cell for key, cell in row.items() if cell})

    def all(self) -> tuple[R, ...]:
        """Return every record, in the file's order, or by id where each has its own file.

        Raises
        ------
        pydantic.ValidationError
            For a file that does not hold what the kind asks for.
        ValueError
            For an id that stands twice.
        """
        return tuple(self._by_id.values())

    def find(self, wanted: str) -> R:
        """Return the record of an id, in any case, or refuse it with the nearest ids that exist.

        Parameters
        ----------
        wanted : str
            The id.

        Raises
        ------
        InputError
            Where no record has that id.
        """
        if (found := self._by_id.get(str(wanted).strip().lower())) is not None:
            return found
        near = difflib.get_close_matches(str(wanted)[:100].lower(), self._by_id, n=3, cutoff=0.5)
        ids = f"the nearest are {', '.join(near)}" if near else f"it holds {', '.join(self._by_id)}"
        raise InputError(self._field, wanted, f"is not in the catalogue; {ids}", "Choose one of these.")
