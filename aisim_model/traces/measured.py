"""A run as a benchmark or a gateway measured it: its requests, and the times that each of them took."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
import pyarrow as pa

from aisim_model.errors import InputError
from aisim_model.traces.arrivals import arrivals_ms, unit_of_times
from aisim_model.traces.asked import NOTHING_ASKED
from aisim_model.traces.cells import arrival_times
from aisim_model.traces.checks import checked_rows
from aisim_model.traces.choosing import chosen_format, opened_rows
from aisim_model.traces.delimited import read_delimited, read_header
from aisim_model.traces.formats.base import TraceFormat
from aisim_model.traces.formats.names import MEASURED, told
from aisim_model.traces.json_lines import is_json
from aisim_model.traces.nested import read_nested
from aisim_model.traces.raw import RawColumns
from aisim_model.traces.text import utf8_text
from aisim_model.traces.text_tables import separated
from aisim_model.traces.time_units import unit_of_name
from aisim_model.traces.trace import Floats, Trace
from aisim_model.traces.unpack import MAX_BYTES, file_bytes, unpacked

MS_PER = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1000.0, "sec": 1000.0, "seconds": 1000.0}
MS_ABOVE = 30.0  # a TTFT or request time without a unit: seconds where the median is below


@dataclass(frozen=True, eq=False)
class MeasuredRun:
    """Requests in order of arrival, and what was measured of each.

    Parameters
    ----------
    trace : Trace
        The requests.
    ttft_ms, itl_ms, e2e_ms : array of float64
        Time to the first token, mean time between tokens, and to the last [ms]; NaN where unknown.
    notes : tuple of str
        How units were told, a sentence each.
    """

    trace: Trace
    ttft_ms: Floats
    itl_ms: Floats
    e2e_ms: Floats
    notes: tuple[str, ...] = ()


def read_run(source: bytes | str | os.PathLike[str], name: str | None = None) -> MeasuredRun:
    r"""Read a run with its measured times.

    Parameters
    ----------
    source : bytes or path
        A log of one of the formats that nest, or any table or JSON with columns of TTFT or of ends.
    name : str, optional
        What to call it.

    Raises
    ------
    InputError
        For whatever is no run: no times in it, faulty rows, or a request that ends before it starts.

    Examples
    --------
    >>> log = b"arrival_ms,prompt_tokens,output_tokens,ttft_ms,e2e_ms\n0,9,3,50,70\n10,9,1,60,60\n"
    >>> run = read_run(log)
    >>> run.ttft_ms, run.itl_ms
    (array([50., 60.]), array([10., nan]))
    """
    name = name or ("upload" if isinstance(source, bytes) else PurePath(os.fspath(source)).name)
    contents = unpacked(file_bytes(source, name, MAX_BYTES), name, MAX_BYTES)[0]
    text, _ = utf8_text(contents, name)
    known, raw, cells = _of_json(text, name) if is_json(text) else _of_table(text, name)
    checked = checked_rows(raw, known)
    good = checked.good
    if not good.any() or raw.unreadable or not good.all():
        from aisim_model.traces.reader import read_trace

        read_trace(contents, name)  # names the rows
        raise InputError("trace", name, "has faulty rows", "Mend them.")
    unit, _ = unit_of_times(checked.times, good, known, None)
    arrival = arrivals_ms(checked.times, good, unit)
    outputs = np.maximum(checked.output_tokens, 1)
    times, notes = _times(cells, known, checked.times.values, unit, outputs, name, raw)
    order = np.argsort(arrival, kind="stable")
    trace = Trace(arrival[order], checked.input_tokens[order], outputs[order], name=name,
                  source_rows=raw.rows[order])  # fmt: skip
    ttft, itl, e2e = (values[order] for values in times)
    return MeasuredRun(trace, ttft, itl, e2e, (*raw.notes, *notes))


Cells = Mapping[str, tuple[str, Sequence[tuple[Any, str | None]]]]  # column, and value and unit row by row


def _of_json(text: bytes, name: str) -> tuple[TraceFormat, RawColumns, Cells]:
    found, rows = opened_rows(text, name)
    cells: dict[str, list[Any]] = {role: [] for role in found.measured}
    raw = read_nested(found, rows, cells)
    return found.known, raw, {role: (found.measured[role], values) for role, values in cells.items()}


def _of_table(text: bytes, name: str) -> tuple[TraceFormat, RawColumns, Cells]:
    text = separated(text)
    header = read_header(text, name)
    known, _ = chosen_format("csv", header.columns, [], name, None, None, NOTHING_ASKED)
    measured = {role: names[0] for role in MEASURED if (names := told(header.columns, role))}
    raw = read_delimited(text, header, known, name, None, tuple(measured.values()))
    cells = {role: (column, [(cell, None) for cell in raw.extra[column].to_pylist()])
             for role, column in measured.items()}  # fmt: skip
    return known, raw, cells


def _times(
    cells: Cells, known: TraceFormat, starts: Any, unit: str, outputs: Any, name: str, raw: RawColumns
) -> tuple[tuple[Floats, Floats, Floats], list[str]]:
    """Return TTFT, mean ITL and request time [ms], each from whichever columns say it."""
    notes: list[str] = []
    nothing = np.full(outputs.size, np.nan)
    spans = {role: _spans(*cells[role], known, notes) for role in ("ttft", "itl", "e2e") if role in cells}
    ends = {role: _since(*cells[role], starts, unit) for role in ("end", "first_token") if role in cells}
    ttft = spans.get("ttft", ends.get("first_token", nothing))
    e2e = spans.get("e2e", ends.get("end", nothing))
    if np.isnan(ttft).all() and np.isnan(e2e).all():
        problem = "has no times of requests: no column of TTFT, request time or end is known"
        raise InputError("trace", name, problem, "Upload a log with measured times.")
    bad = np.flatnonzero((e2e < 0.0) | (ttft < 0.0))
    if bad.size:
        line = raw.lines(raw.rows[bad[:1]])[0]
        column = cells["end" if "end" in cells else "e2e" if "e2e" in cells else "ttft"][0]
        problem = f"ends before it starts: line {line:,}, column {column}"
        raise InputError("request", int(raw.rows[bad[0]]), problem, "Mend the row, or its clock.")
    itl = spans.get("itl", nothing)
    gaps = outputs - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        from_ends = np.where(gaps > 0, (e2e - ttft) / gaps, np.nan)
    itl = np.where(np.isnan(itl), from_ends, itl)
    e2e = np.where(np.isnan(e2e), ttft + np.where(gaps > 0, itl * gaps, 0.0), e2e)
    return (ttft, itl, e2e), notes


def _number(value: Any) -> float:
    if isinstance(value, list):  # times between all tokens
        numbers = [item for item in value if isinstance(item, int | float)]
        return float(np.mean(numbers)) if numbers else np.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def _spans(
    column: str, cells: Sequence[tuple[Any, str | None]], known: TraceFormat, notes: list[str]
) -> Floats:
    """Return spans of time [ms]; the unit beside the value counts, then the name's, then the format's."""
    values = np.array([_number(value) for value, _ in cells])
    beside = next((unit for _, unit in cells if unit), None)
    unit = (beside or "").lower() or unit_of_name(column.replace("_", " ")) or known.measured_unit
    if unit not in MS_PER:
        median = np.nanmedian(values) if np.isfinite(values).any() else 0.0
        unit = "ms" if median >= MS_ABOVE else "s"
        notes.append(f"{column} has no unit; a median of {median:.4g} is read as {unit}.")
    return np.asarray(values * MS_PER[unit])


def _since(column: str, cells: Sequence[tuple[Any, str | None]], starts: Any, unit: str) -> Floats:
    """Return moments as spans since each request's start [ms]; they are in the unit of the starts."""
    first = [value[0] if isinstance(value, list) and value else value for value, _ in cells]
    texts = pa.array([None if value is None else str(value) for value in first], pa.string())
    times = arrival_times(texts, ".")
    per = 1e-6 if times.are_dates else MS_PER.get(unit, 1.0)
    return np.where(times.codes == 0, (times.values - starts) * per, np.nan)
