"""Rows that can't be replayed: where they are, what is wrong, and the error that lists them."""

from __future__ import annotations

from dataclasses import dataclass

from aisim_model.errors import InputError, shown

FAULTS_SAID = 5
FAULTS_KEPT = 100


def counted(count: int, thing: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


@dataclass(frozen=True, order=True)
class RowFault:
    """One faulty cell or row of a file.

    Parameters
    ----------
    line : int
        Line of the file, or row where a file has no lines of its own; the first is 1.
    column : str
        Name of the column, empty where the whole row can't be read.
    value : str
        The text that stands there, empty where nothing does.
    problem : str
        What is wrong and what is allowed.

    Examples
    --------
    >>> print(RowFault(3, "input_length", "0", "must be 1 or more"))
    line 3, column input_length, '0': must be 1 or more
    """

    line: int
    column: str
    value: str
    problem: str

    def __str__(self) -> str:
        column = f", column {shown(self.column)[1:-1]}" if self.column else ""
        value = f", {shown(self.value)}" if self.value else ""
        return f"line {self.line:,}{column}{value}: {self.problem}"


class BadRowsError(InputError):
    """A trace with faulty rows: the first of them, and how many there are.

    Parameters
    ----------
    name : str
        The trace.
    faults : tuple of RowFault
        The first faults, in order of the file.
    rows_at_fault : int
        Rows with a fault, listed or not.

    Examples
    --------
    >>> fault = RowFault(2, "input", "0", "must be 1 or more")
    >>> print(BadRowsError("a.csv", (fault,), 1))  # doctest: +ELLIPSIS
    trace = 'a.csv': 1 row can't be replayed: line 2, column input, '0': must be 1 or more. Mend it, ...
    """

    def __init__(self, name: str, faults: tuple[RowFault, ...], rows_at_fault: int) -> None:
        self.name, self.faults, self.rows_at_fault = name, faults, rows_at_fault
        said = "; ".join(str(fault) for fault in faults[:FAULTS_SAID])
        more = f"; and {rows_at_fault - FAULTS_SAID:,} more" if rows_at_fault > FAULTS_SAID else ""
        remedy = f"Mend {'it' if rows_at_fault == 1 else 'them'}, or leave faulty rows out (skip_bad_rows)."
        super().__init__(
            "trace", name, f"{counted(rows_at_fault, 'row')} can't be replayed: {said}{more}", remedy
        )

    def __reduce__(self) -> tuple[type[BadRowsError], tuple[str, tuple[RowFault, ...], int]]:
        """Survive the way back from a worker process."""
        return type(self), (self.name, self.faults, self.rows_at_fault)
