"""From a file of any known format to a `Trace`, with a report of how it was read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import Literal

import numpy as np
import numpy.typing as npt

from aisim_model.errors import InputError
from aisim_model.traces.arrivals import arrivals_ms, check_one_clock, unit_of_times
from aisim_model.traces.asked import NOTHING_ASKED, Asked
from aisim_model.traces.blocks import block_size, ids_of_rows, without_surplus_ids
from aisim_model.traces.checks import CheckedRows, checked_rows, faults_of
from aisim_model.traces.choosing import raw_columns, text_columns
from aisim_model.traces.faults import BadRowsError, counted
from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.parquet import is_parquet, parquet_columns, read_parquet
from aisim_model.traces.raw import RawColumns
from aisim_model.traces.report import TraceReport
from aisim_model.traces.text import utf8_text
from aisim_model.traces.time_units import check_unit, implausible
from aisim_model.traces.trace import Integers, Trace
from aisim_model.traces.unpack import MAX_BYTES, file_bytes, unpacked


def read_trace(
    source: bytes | str | os.PathLike[str],
    name: str | None = None,
    *,
    format: str | None = None,
    time_unit: str | None = None,
    columns: Mapping[str, str] | None = None,
    decimal: Literal[".", ","] | None = None,
    skip_bad_rows: bool = False,
    asked: Asked = NOTHING_ASKED,
    max_bytes: int = MAX_BYTES,
) -> tuple[Trace, TraceReport]:
    r"""Read a trace, and report how.

    Format, unit of time, encoding, separator and decimal mark are told from the contents and reported with
    the reasons; each may be set instead.

    Parameters
    ----------
    source : bytes or path
        Contents of an upload, or the path of a file; plain, or packed with gzip or zip.
    name : str, optional
        What to call the trace; by default the file's name.
    format : str, optional
        Id of a known format (`FORMATS`).
    time_unit : {"ns", "us", "ms", "s", "days"}, optional
        Unit of numeric arrival times.
    columns : mapping of str to str, optional
        Columns of ``arrival``, ``input_tokens``, ``output_tokens`` and ``hash_ids`` in a file of any other
        format.
    decimal : {".", ","}, optional
        Decimal mark of a table's numbers.
    skip_bad_rows : bool
        Whether faulty rows are left out and counted; else they are refused.
    asked : Asked
        Arrivals or output lengths for a file that has none.
    max_bytes : int
        The most that a file may hold, unpacked [B].

    Returns
    -------
    tuple of Trace and TraceReport
        Requests in order of arrival, and what was found.

    Raises
    ------
    BadRowsError
        For faulty rows, by line and column.
    InputError
        For whatever is no trace; the sentence says what it is instead.

    Examples
    --------
    >>> rows = b"arrived_at,num_prefill_tokens,num_decode_tokens\n0.5,100,8\n1,300,0\n"
    >>> trace, report = read_trace(rows)
    >>> trace.arrival_ms, trace.output_tokens
    (array([  0., 500.]), array([8, 1]))
    >>> report.format_id, report.time_unit, report.zero_outputs
    ('vidur', 's', 1)
    """
    check_unit(time_unit)
    if decimal not in (None, ".", ","):
        raise InputError("decimal", decimal, "must be a point or a comma")
    name = name or _name_of(source)
    contents, packed_with = unpacked(file_bytes(source, name, max_bytes), name, max_bytes)
    if is_parquet(contents):
        encoding = "parquet"
        known, why, raw = read_parquet(contents, name, format, columns, asked, max_bytes)
    else:
        text, encoding = utf8_text(contents, name)
        known, why, raw = raw_columns(text, name, format, columns, decimal, asked)
    known, raw = asked.filled(known, raw)
    checked = checked_rows(raw, known)
    faults, rows_at_fault = faults_of(raw, checked, known)
    if rows_at_fault and not skip_bad_rows:
        raise BadRowsError(name, faults, rows_at_fault)
    good = checked.good
    if not good.size:
        raise InputError("trace", name, "has no requests", "Upload a trace with some.")
    if not good.any():
        raise InputError("trace", name, f"has no row that can be read: {faults[0]}", "Mend its rows.")
    unit, unit_why = unit_of_times(checked.times, good, known, time_unit)
    trace, notes, zero_outputs = _trace(raw, checked, good, unit, known, name)
    report = TraceReport(
        name=name,
        format_id=known.id,
        format_label=known.label,
        format_source=known.source,
        why=(why,),
        time_unit=unit,
        time_unit_why=unit_why,
        encoding=encoding,
        packed_with=packed_with,
        rows=len(trace),
        rows_left_out=rows_at_fault,
        faults=faults,
        zero_outputs=zero_outputs,
        block_tokens=trace.block_tokens,
        span_s=trace.span_s,
        total_input_tokens=trace.total_input_tokens,
        total_output_tokens=trace.total_output_tokens,
        notes=(*_encoding_notes(encoding), *raw.notes, *known.notes, *notes),
    )
    return trace, report


def trace_columns(
    source: bytes | str | os.PathLike[str], name: str | None = None, max_bytes: int = MAX_BYTES
) -> tuple[str, ...]:
    r"""Return the columns of a file, to map those that no format knows.

    Parameters
    ----------
    source : bytes or path
        As for `read_trace`.
    name : str, optional
        What to call it in a message.
    max_bytes : int
        The most that a file may hold, unpacked [B].

    Raises
    ------
    InputError
        For what is no table and no JSON lines.

    Examples
    --------
    >>> trace_columns(b"when;prompt;answer\n0;5;5\n")
    ('when', 'prompt', 'answer')
    """
    name = name or _name_of(source)
    contents = unpacked(file_bytes(source, name, max_bytes), name, max_bytes)[0]
    if is_parquet(contents):
        return parquet_columns(contents, name, max_bytes)
    return text_columns(utf8_text(contents, name)[0], name)


def _name_of(source: bytes | str | os.PathLike[str]) -> str:
    return "upload" if isinstance(source, bytes) else PurePath(os.fspath(source)).name


def _trace(
    raw: RawColumns,
    checked: CheckedRows,
    good: npt.NDArray[np.bool_],
    unit: str,
    known: TraceFormat,
    name: str,
) -> tuple[Trace, list[str], int]:
    """Put the good rows in order of arrival, with their hash ids; return notes and zero outputs too."""
    notes = []
    if checked.times.some_have_zones:
        notes.append("Dates without a zone stand beside some with one and are read as UTC.")
    arrival_ms = arrivals_ms(checked.times, good, unit)
    taken = np.flatnonzero(good)
    unsorted = bool((np.diff(arrival_ms) < 0.0).any())
    if unsorted:
        order = np.argsort(arrival_ms, kind="stable")
        arrival_ms, taken = arrival_ms[order], taken[order]
        notes.append(
            "Rows were not in order of arrival and have been sorted; ties keep the order of the file."
        )
    check_one_clock(arrival_ms, raw.rows[taken], raw.lines, known.arrival)
    everything = taken.size == good.size and not unsorted
    inputs, outputs, rows = (
        column if everything else column[taken]
        for column in (checked.input_tokens, checked.output_tokens, raw.rows)
    )
    zeros = int((outputs == 0).sum())
    if zeros:
        notes.append(f"No output tokens in {counted(zeros, 'request')}: 1 is counted for each.")
        outputs = np.maximum(outputs, 1)
    unusual = implausible(float(arrival_ms[-1]), arrival_ms.size)
    if unusual:
        notes.append(unusual)
    ids, offsets, block_tokens, id_notes = _blocks(raw, taken, inputs, known)
    trace = Trace(arrival_ms, inputs, outputs, ids, offsets, block_tokens, name, rows)
    return trace, notes + id_notes, zeros


def _blocks(
    raw: RawColumns, taken: Integers, input_tokens: Integers, known: TraceFormat
) -> tuple[Integers, Integers, int | None, list[str]]:
    """Return hash ids and offsets of the rows taken, the tokens of a block, and notes."""
    nothing = np.empty(0, dtype=np.int64)
    found, notes = raw.block_ids, list[str]()
    if found is not None and found.rows_not_lists:
        rows = counted(found.rows_not_lists, "row")
        notes.append(f"hash_ids are no list of integers in {rows}: no prefix credit there.")
    if found is None or found.flat.size == 0:
        return nothing, nothing, None, [*notes, "No hash ids: prefix hits count as none."]
    documented = raw.block_tokens or known.block_tokens
    ids, offsets = ids_of_rows(found.flat, found.offsets, taken)
    lengths = np.diff(offsets)
    having = lengths > 0
    if not having.any():
        return nothing, nothing, None, [*notes, "No hash ids: prefix hits count as none."]
    size, why = block_size(input_tokens[having], lengths[having], documented)
    ids, offsets, surplus = without_surplus_ids(ids, offsets, input_tokens, size)
    notes.append(why)
    if surplus:
        rows = counted(surplus, "row")
        notes.append(f"More hash ids than blocks in {rows}: those beyond the prompt are dropped.")
    if (np.diff(offsets)[having] < -(-input_tokens[having] // size)).any():
        notes.append(
            "Where a row has fewer hash ids than blocks, the rest of its prompt is shared with nobody."
        )
    return ids, offsets, size, notes


def _encoding_notes(encoding: str) -> tuple[str, ...]:
    return (
        ()
        if encoding in ("utf-8", "utf-8-sig", "parquet")
        else (f"The text is in {encoding} and was read as such.",)
    )
