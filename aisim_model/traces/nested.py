"""Requests at any depth of a JSON text: where they lie, which columns count, and those that failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from aisim_model.errors import InputError
from aisim_model.traces.asked import asks
from aisim_model.traces.faults import counted
from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.formats.mapped import REQUIRED_ROLES, guessed_columns, mapped_format
from aisim_model.traces.formats.names import MEASURED, plain, told
from aisim_model.traces.formats.nested import NESTED_FORMATS
from aisim_model.traces.json_rows import Row, numbered_lines, parsed, read_rows
from aisim_model.traces.json_tree import MOST_DOCUMENT_BYTES, SAMPLE, FlatRow, Place, flat, places
from aisim_model.traces.raw import RawColumns, UnreadableRow

LINES = Place(("[]",))  # rows are the lines themselves
BAD_STATES = {"error", "errored", "failed", "failure", "cancelled", "canceled", "timeout", "aborted", "false"}
KINDS = ("eventtype", "type", "kind", "object")
WARMUP = ("benchmarkphase", "creditphase", "phase")


@dataclass
class Found:
    """Where requests lie, their columns, and the format that these make."""

    place: Place
    columns: tuple[str, ...]
    known: TraceFormat
    why: str
    measured: Mapping[str, str] = field(default_factory=dict)


def find_rows(
    document: object,
    name: str,
    *,
    columns: Mapping[str, str] | None = None,
    format_id: str | None = None,
    optional: Iterable[str] = (),
) -> Found:
    """Return where the requests of a document lie.

    Parameters
    ----------
    document : object
        What JSON says; a list of the first lines where a text is one of lines.
    name : str
        What to call the file in a message.
    columns : mapping of str to str, optional
        Dotted names of the roles that a user gave.
    format_id : str, optional
        The format that was chosen.
    optional : iterable of str
        Roles that were asked for and need no column.

    Raises
    ------
    InputError
        Where no place has what is needed; it names what the best one has.

    Examples
    --------
    >>> log = [{"created": 1, "usage": {"prompt_tokens": 5, "completion_tokens": 6}}]
    >>> find_rows(log, "log").known.id
    'openai_usage'
    """
    counts: tuple[str, ...] = ()
    best: tuple[tuple[int, int, int], Place, tuple[str, ...], dict[str, str]] | None = None
    for place in places(document):
        sample = [flat(row) for row in islice(place.rows(document), SAMPLE)]
        present = tuple(dict.fromkeys(column for row in sample for column in row.cells))
        single = _single(sample)
        roles = _given(columns, present) if columns else guessed_columns(single, nested=True)
        score = (sum(role in roles for role in REQUIRED_ROLES), "input_tokens" in roles, -len(place.path))
        if best is None or score > best[0]:
            best = score, place, present, roles
            counts = single
    if best is None:
        raise InputError("trace", name, "is JSON without requests", "Upload one object for each request.")
    _, place, present, roles = best
    measured = {role: names[0] for role in MEASURED if (names := told(present, role, nested=True))}
    where = "Its lines" if place == LINES else f"Its rows lie at {place} and"
    for known in () if columns else NESTED_FORMATS:
        if format_id not in (None, known.id):
            continue
        needed = [column for column in known.needed if column != known.arrival or "arrival" not in optional]
        if set(needed) <= set(counts):
            if "arrival" in optional and known.arrival not in present:
                known = replace(known, arrival="")
            has = f"{where} have the columns {', '.join(needed)} of {known.label}."
            return Found(place, present, known, has, measured)
    if format_id is not None:
        raise InputError("trace", name, f"has not the columns of {format_id}", "Have the format detected.")
    missing = [role for role in REQUIRED_ROLES if role not in roles and role not in optional]
    if missing:
        raise _missing(missing, roles, columns, present, place, name)
    known = mapped_format(roles, "json", optional)
    if columns:
        return Found(place, present, known, "Its columns were mapped.", measured)
    known = replace(known, id="named", label="Columns told by their names", source="the file's names")
    block = [column for column in present if plain(column).endswith("blocksize")]
    known = replace(known, block_size=block[0] if block else None)
    said = ", ".join(f"{column} as {role}" for role, column in roles.items())
    return Found(place, present, known, f"No known format; {where.lower()} say {said}.", measured)


def _single(sample: list[FlatRow]) -> tuple[str, ...]:
    """Return the columns with one value a row, and those of hash ids: an array is many requests' values."""
    found = dict[str, None]()
    for row in sample:
        for column, value in row.cells.items():
            if not isinstance(value, list) or told([column], "hash_ids"):
                found.setdefault(column)
    return tuple(found)


def _given(columns: Mapping[str, str], present: tuple[str, ...]) -> dict[str, str]:
    """Return the columns that a user named, compared without case, blanks and underscores."""
    by_name = {plain(column): column for column in present}
    found = {role: by_name.get(plain(column)) for role, column in columns.items()}
    return {role: column for role, column in found.items() if column}


def _missing(
    missing: list[str],
    roles: Mapping[str, str],
    columns: Mapping[str, str] | None,
    present: tuple[str, ...],
    place: Place,
    name: str,
) -> InputError:
    has = ", ".join(column[:60] for column in present[:12]) or "none"
    more = f" and {len(present) - 12:,} more" if len(present) > 12 else ""
    if columns:
        lost = next((columns[role] for role in columns if role not in roles), missing[0])
        return InputError(
            "columns", lost, f"is no column of {name}; it has {has}{more}", "Map other columns."
        )
    if asked := asks(missing):
        return asked
    at = "" if place == LINES else f" at {place}"
    problem = f"is in no known format: no column is known for {' and '.join(missing)}; it has {has}{more}{at}"
    return InputError(
        "trace", name, problem, "Map its columns: which are arrival, input_tokens and output_tokens?"
    )


def read_nested(
    found: Found, rows: Iterable[tuple[int, Any]], measured: Mapping[str, list[Any]] | None = None
) -> RawColumns:
    """Read the columns of requests that lie nested, without those that failed.

    Parameters
    ----------
    found : Found
        Where they lie.
    rows : iterable of tuple of int and object
        Line, or number, of each row and what it is.
    measured : mapping of str to list, optional
        Lists that take the cell and its unit of each measured role, row by row.
    """
    keep = _Keep(found)
    known, notes = found.known, list[str]()
    sizes: set[int] = set()

    def good() -> Iterator[tuple[int, Any]]:
        for line, row in rows:
            if not isinstance(row, dict):
                yield line, row
                continue
            one = flat(row)
            if not keep.takes(one.cells):
                continue
            if known.block_size and isinstance(size := one.cells.get(known.block_size), int):
                sizes.add(size)
            for role, cells in (measured or {}).items():
                column = found.measured.get(role, "")
                cells.append((one.cells.get(column), one.units.get(column)))
            yield line, one.cells

    raw = read_rows(good(), known)
    if not raw.rows.size and not raw.unreadable:
        raise keep.nothing()
    if len(sizes) > 1:
        said = ", ".join(str(size) for size in sorted(sizes)[:5])
        problem = f"differs between rows: {said}; ids of blocks of several sizes can't be compared"
        raise InputError(known.block_size or "", "mixed", problem, "Keep the rows of one size.")
    if found.place != LINES:
        notes.append(f"Requests lie at {found.place}; rows are counted there.")
    return replace(raw, notes=(*raw.notes, *notes, *keep.notes()), block_tokens=min(sizes, default=None))


class _Keep:
    """Which rows are requests that were served; it counts the others."""

    def __init__(self, found: Found) -> None:
        names = {column: plain(column.rsplit(".", 1)[-1]) for column in found.columns}
        self._counts = [found.known.input_tokens, found.known.output_tokens]
        self._kinds = [column for column, name in names.items() if name in KINDS and "." not in column]
        self._warmup = [column for column, name in names.items() if name in WARMUP]
        self._errors = [
            column
            for column in names
            if plain(column).split(".")[0] in ("error", "errors", "errormessage")
            or names[column] in ("error", "errormessage", "errortype")
        ]
        self._states = [column for column, name in names.items() if name in ("status", "success", "level")]
        self._flags = [column for column, name in names.items() if name in ("wascancelled", "cancelled")]
        self._spans = "startTimeUnixNano" in found.columns
        self.failed = self.warmup = self.other = 0

    def takes(self, cells: Row) -> bool:
        """Whether a row is a request that was served."""
        empty = all(cells.get(column) is None for column in self._counts)
        if empty and (self._kinds or self._spans) and not self._failed(cells):
            self.other += 1
            return False
        if any(str(cells.get(column)).lower() == "warmup" for column in self._warmup):
            self.warmup += 1
            return False
        if self._failed(cells):
            self.failed += 1
            return False
        return True

    def _failed(self, cells: Row) -> bool:
        if any(cells.get(column) not in (None, "", [], {}, False, "null") for column in self._errors):
            return True
        if any(cells.get(column) is True for column in self._flags):
            return True
        for column in self._states:
            state = cells.get(column)
            if type(state) is int and 400 <= state <= 599:
                return True
            if str(state).lower() in BAD_STATES:
                return True
        return False

    def notes(self) -> list[str]:
        """Return what was left out, a sentence each."""
        said = []
        if self.failed:
            said.append(f"{counted(self.failed, 'request')} that failed or was cancelled left out.")
        if self.warmup:
            said.append(f"{counted(self.warmup, 'request')} of the warm-up left out.")
        if self.other:
            said.append(f"{counted(self.other, 'row')} of other events left out: no tokens stand there.")
        return said

    def nothing(self) -> InputError:
        """Return the refusal of a file in which no request was served."""
        if self.failed:
            problem = f"holds failures only: {counted(self.failed, 'request')} with an error, none served"
            return InputError("trace", "upload", problem, "Upload a log with requests that were served.")
        return InputError("trace", "upload", "has no requests", "Upload a trace with some.")


def rows_of_lines(text: bytes) -> Iterator[tuple[int, Any]]:
    """Yield each line's number and what it says."""
    return ((number, parsed(line)) for number, line in numbered_lines(text))


def all_lines(text: bytes, name: str) -> list[Any]:
    """Return what every line says, where the requests lie deeper than the lines.

    Raises
    ------
    InputError
        For a text that is too large to be held so, or a line that is no JSON.
    """
    if len(text) > MOST_DOCUMENT_BYTES:
        problem = f"has its requests inside of {len(text) / 1e6:.0f} MB of lines"
        raise InputError("trace", name, problem, "Write one request on each line.")
    found = []
    for number, row in rows_of_lines(text):
        if isinstance(row, UnreadableRow):
            raise InputError("trace", name, f"is not JSON lines: line {number:,} {row.problem}", "Mend it.")
        found.append(row)
    return found
