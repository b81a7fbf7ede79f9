"""From a file of any known format to a `Trace`, with a report of how it was read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import Literal

import numpy as np
import numpy.typing as npt

from aisim_model.errors import InputError
from aisim_model.traces.arrivals import arrivals_ms, unit_of_times
from aisim_model.traces.blocks import block_size, ids_of_rows, without_surplus_ids
from aisim_model.traces.checks import CheckedRows, checked_rows, faults_of
from aisim_model.traces.delimited import read_delimited, read_header
from aisim_model.traces.faults import BadRowsError, counted
from aisim_model.traces.formats.base import Container, TraceFormat
from aisim_model.traces.formats.mapped import mapped_format
from aisim_model.traces.json_lines import (
    SAMPLE_ROWS,
    is_array,
    is_json,
    read_array,
    read_json_lines,
    sample_rows,
)
from aisim_model.traces.json_rows import Row, read_rows
from aisim_model.traces.raw import RawColumns
from aisim_model.traces.registry import detect_format, format_by_id
from aisim_model.traces.report import TraceReport
from aisim_model.traces.text import utf8_text
from aisim_model.traces.text_tables import separated
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
    time_unit : {"ns", "us", "ms", "s"}, optional
        Unit of numeric arrival times.
    columns : mapping of str to str, optional
        Columns of ``arrival``, ``input_tokens``, ``output_tokens`` and ``hash_ids`` in a file of any other
        format.
    decimal : {".", ","}, optional
        Decimal mark of a table's numbers.
    skip_bad_rows : bool
        Whether faulty rows are left out and counted; else they are refused.
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
    text, encoding = utf8_text(contents, name)
    known, why, raw = _raw_columns(text, name, format, columns, decimal)
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
    text, _ = utf8_text(unpacked(file_bytes(source, name, max_bytes), name, max_bytes)[0], name)
    if not is_json(text):
        return read_header(separated(text), name).columns
    return _keys(_sample(text, name)[0])


def _name_of(source: bytes | str | os.PathLike[str]) -> str:
    return "upload" if isinstance(source, bytes) else PurePath(os.fspath(source)).name


def _sample(text: bytes, name: str) -> tuple[list[Row], list[object] | None]:
    """Return the first rows of a JSON text, and all of them where it is one list."""
    if not is_array(text):
        return sample_rows(text, name), None
    whole = read_array(text, name)
    return [row for row in whole[:SAMPLE_ROWS] if isinstance(row, dict)], whole


def _keys(sample: list[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for row in sample for key in row))


def _raw_columns(
    text: bytes,
    name: str,
    format_id: str | None,
    columns: Mapping[str, str] | None,
    decimal: str | None,
) -> tuple[TraceFormat, str, RawColumns]:
    """Choose the format and read its columns."""
    if is_json(text):
        sample, whole = _sample(text, name)
        known, why = _format("jsonl", _keys(sample), sample, name, format_id, columns)
        if whole is not None:
            return known, why, read_rows(enumerate(whole, start=1), known)
        return known, why, read_json_lines(text, known, sample)
    text = separated(text)
    header = read_header(text, name)
    known, why = _format("csv", header.columns, [], name, format_id, columns)
    return known, why, read_delimited(text, header, known, name, decimal)


def _format(
    container: Container,
    present: tuple[str, ...],
    sample: list[Row],
    name: str,
    format_id: str | None,
    columns: Mapping[str, str] | None,
) -> tuple[TraceFormat, str]:
    """Return the format that was chosen, mapped or is detected, and why."""
    if columns:
        known, why = mapped_format(columns, container), "Its columns were mapped."
        needed = [column for column in (*known.needed, known.hash_ids) if column]
    elif format_id:
        known, why = format_by_id(format_id), f"{format_id} was chosen."
        needed = list(known.needed)
        if known.container != container:
            problem = f"is not the {known.container} that format {known.id} is"
            raise InputError("trace", name, problem, "Leave the format out to have it detected.")
    else:
        return detect_format(container, present, sample, name)
    missing = [column for column in needed if column not in present]
    if missing:
        has = ", ".join(column[:40] for column in present[:12])
        raise InputError("columns", missing[0], f"is no column of {name}; it has {has}", "Map other columns.")
    return known, why


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
    ids, offsets = ids_of_rows(found.flat, found.offsets, taken)
    lengths = np.diff(offsets)
    having = lengths > 0
    if not having.any():
        return nothing, nothing, None, [*notes, "No hash ids: prefix hits count as none."]
    size, why = block_size(input_tokens[having], lengths[having], known.block_tokens)
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
    return () if encoding in ("utf-8", "utf-8-sig") else (f"The text is in {encoding} and was read as such.",)
