"""Rows as numbers, each cell checked, and the faults named by line and column."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from aisim_model.traces.cells import MAX_TIME, MAX_TOKENS, Codes, Fault, Times, arrival_times, whole_counts
from aisim_model.traces.faults import FAULTS_KEPT, RowFault
from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.raw import RawColumns
from aisim_model.traces.trace import Integers

COUNT_PROBLEMS = MappingProxyType(
    {
        Fault.MISSING: "is missing",
        Fault.NOT_A_NUMBER: "must be a whole number of tokens",
        Fault.NOT_WHOLE: "must be a whole number of tokens",
        Fault.TOO_SMALL: "must be {least} or more",
        Fault.TOO_LARGE: f"must be {MAX_TOKENS:,} tokens or fewer",
    }
)
TIME_PROBLEMS = MappingProxyType(
    {
        Fault.MISSING: "is missing",
        Fault.NOT_A_NUMBER: "must be a finite number, or a date such as 2023-11-16 18:17:03.97",
        Fault.TOO_SMALL: "must not be negative",
        Fault.TOO_LARGE: f"must be below {MAX_TIME:.1e}",
    }
)
DELAY_PROBLEMS = MappingProxyType(
    {
        Fault.NOT_A_NUMBER: "must be a finite number of milliseconds",
        Fault.TOO_SMALL: "must not be negative",
        Fault.TOO_LARGE: f"must be below {MAX_TIME:.1e}",
    }
)


@dataclass(frozen=True)
class CheckedRows:
    """The columns as numbers, and what is wrong with each cell."""

    times: Times
    input_tokens: Integers
    output_tokens: Integers
    input_codes: Codes
    output_codes: Codes
    delay_codes: Codes | None = None

    @property
    def good(self) -> npt.NDArray[np.bool_]:
        """Rows without a fault."""
        codes = self.times.codes | self.input_codes | self.output_codes
        if self.delay_codes is not None:
            codes = codes | self.delay_codes
        good: npt.NDArray[np.bool_] = codes == Fault.NONE
        return good


def checked_rows(raw: RawColumns, known: TraceFormat) -> CheckedRows:
    """Return the columns as numbers, with a code for what is wrong with each cell."""
    inputs, input_codes = whole_counts(raw.input_tokens, raw.decimal, least=1)
    outputs, output_codes = whole_counts(raw.output_tokens, raw.decimal, least=0)
    if known.missing_output_is_one:
        output_codes = np.where(output_codes == Fault.MISSING, np.uint8(Fault.NONE), output_codes)
    times = arrival_times(raw.arrival, raw.decimal)
    if raw.delays is None:
        return CheckedRows(times, inputs, outputs, input_codes, output_codes)
    delay_codes = arrival_times(raw.delays, raw.decimal).codes
    delay_codes[delay_codes == Fault.MISSING] = Fault.NONE
    # the time is missing because the delay is faulty: one fault, not two
    times.codes[(times.codes == Fault.MISSING) & (delay_codes != Fault.NONE)] = Fault.NONE
    return CheckedRows(times, inputs, outputs, input_codes, output_codes, delay_codes)


def faults_of(raw: RawColumns, checked: CheckedRows, known: TraceFormat) -> tuple[tuple[RowFault, ...], int]:
    """Return the first faults in order of the file, and the number of rows at fault."""
    places = np.flatnonzero(~checked.good)
    rows_at_fault = np.union1d(raw.rows[places], [bad.row for bad in raw.unreadable]).size
    if not rows_at_fault:
        return (), 0
    first = places[:FAULTS_KEPT]
    unreadable = raw.unreadable[:FAULTS_KEPT]
    rows = np.append(raw.rows[first], [bad.row for bad in unreadable]).astype(np.int64)
    lines = raw.lines(rows)
    faults = [
        RowFault(line, bad.column, bad.value, bad.problem)
        for place, line in zip(first, lines, strict=False)
        for bad in _cell_faults(int(place), raw, checked, known)
    ]
    for bad, line in zip(unreadable, lines[first.size :], strict=True):
        faults.append(RowFault(line, "", bad.value[:60], bad.problem))
    return tuple(sorted(faults)[:FAULTS_KEPT]), rows_at_fault


def _cell_faults(place: int, raw: RawColumns, checked: CheckedRows, known: TraceFormat) -> list[RowFault]:
    """Return what is wrong with the cells of one row; the line is filled in by the caller."""
    checks = (
        (known.arrival, raw.arrival, checked.times.codes, TIME_PROBLEMS, 0),
        (known.delay or "", raw.delays, checked.delay_codes, DELAY_PROBLEMS, 0),
        (known.input_tokens, raw.input_tokens, checked.input_codes, COUNT_PROBLEMS, 1),
        (known.output_tokens, raw.output_tokens, checked.output_codes, COUNT_PROBLEMS, 0),
    )
    return [
        RowFault(0, column, _shown_cell(cells, place), problems[Fault(codes[place])].format(least=least))
        for column, cells, codes, problems, least in checks
        if codes is not None and codes[place]
    ]


def _shown_cell(cells: pa.Array, place: int) -> str:
    value = cells[place].as_py()
    return "" if value is None else str(value)[:60]
