"""Measured transfers from a table or a log, as people export and paste them."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aisim_model.calibration.columns import (
    BLOCKS,
    RATE_COLUMN,
    REPLICATION_COLUMN,
    Column,
    Tool,
    column,
    matching,
    needed,
    only,
    tool_of,
)
from aisim_model.calibration.log_lines import is_transfer_log, read_transfer_log
from aisim_model.calibration.measurements import MOST_ROWS, Counted, Measurements, measured
from aisim_model.calibration.numbers import has_decimal_comma, number_in, without_points
from aisim_model.errors import InputError
from aisim_model.traces.text_tables import as_separated
from aisim_model.units import MS_PER_S

MOST_CHARACTERS, MOST_LINES, MOST_COLUMNS = 20 * 2**20, 1_000_000, 1_000
EXPECTED = "Columns are `bytes` or `tokens`, and `milliseconds`; or a rate in place of one of them."


_TOTAL = re.compile(r"(^|_)(total|sum|cumulative|elapsed)(_|$)")
_TIMES_RUN = re.compile(r"(^|_)(iterations?|iters?|repeats?|repetitions|reps)$")


class _Group(NamedTuple):
    """Columns of one measurement: a size and a time, or a rate in place of one of them."""

    size: Column | None
    time: Column | None
    speed: Column | None
    counts: Column | None = None


def read_measurements(
    source: str | bytes, *, kv_bytes_per_token: float | None = None, tensor_parallel: int | None = None
) -> Measurements:
    r"""Read measured transfers from a table's or a vLLM log's text.

    Parameters
    ----------
    source : str or bytes
        A table with a header: `bytes` or `tokens`, and `milliseconds` (or a name that ends in another unit,
        such as `time_s` or `size_mb`), or a rate such as `Bandwidth(Gbps)` in place of one of them, and
        `descriptors` or `blocks` where counted. Or what OSU, perftest, nccl-tests, nixlbench or
        TensorRT-LLM print. Or vLLM's metric lines.
    kv_bytes_per_token : float, optional
        KV bytes of one token on the wire [B]; needed where sizes are tokens.
    tensor_parallel : int, optional
        Ranks of a handoff [-]; needed for a log.

    Returns
    -------
    Measurements
        Checked rows, with notes on what was taken for granted.

    Raises
    ------
    InputError
        A sentence that names row and column.

    Examples
    --------
    >>> found = read_measurements("tokens;ms\n128;0,54\n256;0,61\n", kv_bytes_per_token=147_456)
    >>> found.bytes_sent, found.milliseconds
    (array([18874368., 37748736.]), array([0.54, 0.61]))
    """
    text = _decoded(source)
    if is_transfer_log(text):
        return read_transfer_log(text, tensor_parallel)
    text = as_separated(text)
    delimiter = _delimiter(text)
    columns, lines = _table(text, delimiter)
    _check_repeated(columns)
    if kv_bytes_per_token is not None and not (math.isfinite(kv_bytes_per_token) and kv_bytes_per_token > 0):
        problem = "must be a number above 0"
        raise InputError("kv_bytes_per_token", kv_bytes_per_token, problem, "Give the bytes of one token.")
    tool = tool_of(columns)
    groups = [_group(columns)] if tool is None else _groups_of(tool, columns)
    first = groups[0]
    rate, copies = only(columns, "rate", RATE_COLUMN), only(columns, "copies", REPLICATION_COLUMN)
    in_tokens = first.size is not None and first.size.kind == "tokens"
    if in_tokens and kv_bytes_per_token is None and rate is None:
        problem = "is needed where sizes are in tokens"
        raise InputError("kv_bytes_per_token", None, problem, "Give the KV bytes of one token on the wire.")

    sizes, times, descriptors = list[float](), list[float](), list[float]()
    rows: list[int] = []
    empty = 0
    for number, cells in lines:
        if len(rows) > MOST_ROWS:
            problem = f"must be from 1 to {MOST_ROWS:,} rows"
            raise InputError("measurements", f"more than {MOST_ROWS:,}", problem, "Leave out some of them.")
        for group in groups:
            found = [
                None if one is None else number_in(cells, one, number, delimiter, zero=tool is not None)
                for one in (group.size, group.time, group.speed)
            ]
            if any(value == 0 for value in found):  # of a tool: a size or a rate that rounds to nothing
                empty += 1
                continue
            size, time, speed = found
            if in_tokens and size is not None and kv_bytes_per_token is not None:
                size *= kv_bytes_per_token
            elif in_tokens and size is not None and rate is not None:
                size *= number_in(cells, rate, number, delimiter)
                size *= number_in(cells, copies, number, delimiter) if copies else 1.0
            if size is None:
                size = (speed or 0.0) * (time or 0.0) / MS_PER_S
            sizes.append(size)
            times.append(size / (speed or 1.0) * MS_PER_S if time is None else time)
            if group.counts:
                descriptors.append(number_in(cells, group.counts, number, delimiter))
            rows.append(number)
    by_row = [rate, copies] if in_tokens and kv_bytes_per_token is None else []
    used = [one for group in groups for one in group if one is not None]
    notes = _notes(columns, [*used, *by_row], tool, first, empty)
    counts = first.counts
    blocks = counts is not None and not BLOCKS.isdisjoint(counts.name.split("_"))
    counted: Counted = "blocks" if blocks else "descriptors"
    return measured(sizes, times, descriptors if counts else None, rows, notes, counted=counted)


def _group(columns: Sequence[Column]) -> _Group:
    """Return the columns of a table of nobody's: its size and time, or a rate in place of one of them."""
    counts, speed = only(columns, "descriptors", "descriptors"), None
    speeds = [one for one in columns if one.kind == "speed"]
    sized = any(one.kind in ("size", "tokens") for one in columns)
    timed = any(one.kind == "time" for one in columns)
    if speeds and sized != timed:
        speed = only(columns, "speed", "bandwidth_gb_s")
    size = time = None
    if sized or speed is None:
        size = needed(columns, "a size", EXPECTED, ("size", "bytes"), ("tokens", "tokens"))
    if timed or speed is None:
        time = needed(columns, "a time", EXPECTED, ("time", "milliseconds"))
    return _Group(size, time, speed, counts)


def _check_repeated(columns: Sequence[Column]) -> None:
    """Ask whether a total is of one transfer or of as many as another column counts."""
    total = next((one.name for one in columns if one.kind == "time" and _TOTAL.search(one.name)), None)
    times = next((one.name for one in columns if _TIMES_RUN.search(one.name)), None)
    if total is not None and times is not None:
        problem = f"may be the time of all {times}, not of one transfer"
        raise InputError("column", total, problem, "Give the time of one transfer as `milliseconds`.")


def _groups_of(tool: Tool, columns: Sequence[Column]) -> list[_Group]:
    """Return the columns that a tool's table goes by; several groups where a row holds several transfers."""
    sizes = matching(columns, tool.size, "size", 1.0)
    times = matching(columns, tool.time, "time", tool.scale)
    speeds = matching(columns, tool.speed, "speed", 1.0)
    counts = matching(columns, tool.counts, "descriptors", 1.0)
    if tool.speed_scale:
        speeds = [Column(one.index, one.name, "speed", tool.speed_scale) for one in speeds]
    if not sizes and times and speeds and not counts:
        return [_Group(None, time, speed) for time, speed in zip(times, speeds, strict=False)]
    return [_Group(*(found[0] if found else None for found in (sizes, times, speeds, counts)))]


def read_prefill_table(source: str | bytes) -> tuple[tuple[float, float], ...]:
    r"""Read measured prefill times from a table's text: tokens and milliseconds, in any order.

    Parameters
    ----------
    source : str or bytes
        A table with a header: `tokens`, and `milliseconds` (or a name that ends in another unit of time).

    Returns
    -------
    tuple of (float, float)
        Tokens [-] and milliseconds [ms] of each row, tokens rising.

    Raises
    ------
    InputError
        A sentence that names row and column; also where two rows have as many tokens.

    Examples
    --------
    >>> read_prefill_table("tokens;ms\n8192;169,1\n128;18,5\n")
    ((128.0, 18.5), (8192.0, 169.1))
    """
    text = as_separated(_decoded(source))
    delimiter = _delimiter(text)
    columns, lines = _table(text, delimiter)
    expected = "Columns are `tokens` and `milliseconds`."
    tokens = needed(columns, "tokens", expected, ("tokens", "tokens"))
    time = needed(columns, "a time", expected, ("time", "milliseconds"))
    found: dict[float, float] = {}
    for number, cells in lines:
        count = number_in(cells, tokens, number, delimiter)
        if count in found:
            problem = "stands in the table twice"
            raise InputError(
                f"row {number}, tokens", f"{count:,.0f}", problem, "Keep one row for each length."
            )
        found[count] = number_in(cells, time, number, delimiter)
    return tuple(sorted(found.items()))


def read_decode_table(source: str | bytes) -> tuple[tuple[float, float, float], ...]:
    r"""Read measured decode steps from a table's text: sequences, context tokens and milliseconds.

    Parameters
    ----------
    source : str or bytes
        A table with a header: `sequences`, `context_tokens`, and `milliseconds` (or another unit of time).

    Returns
    -------
    tuple of (float, float, float)
        Sequences [-], tokens of each [-] and milliseconds [ms], as the rows stand.

    Raises
    ------
    InputError
        A sentence that names row and column.

    Examples
    --------
    >>> read_decode_table("sequences,context_tokens,ms\n1,1000,7\n8,1000,9\n")
    ((1.0, 1000.0, 7.0), (8.0, 1000.0, 9.0))
    """
    text = as_separated(_decoded(source))
    delimiter = _delimiter(text)
    columns, lines = _table(text, delimiter)
    expected = "Columns are `sequences`, `context_tokens` and `milliseconds`."
    wanted = (
        needed(columns, "sequences", expected, ("sequences", "sequences")),
        needed(columns, "context tokens", expected, ("context", "context_tokens"), ("tokens", "tokens")),
        needed(columns, "a time", expected, ("time", "milliseconds")),
    )
    rows = ([number_in(cells, one, number, delimiter) for one in wanted] for number, cells in lines)
    return tuple((sequences, context, time_ms) for sequences, context, time_ms in rows)


def _table(text: str, delimiter: str) -> tuple[list[Column], Iterator[tuple[int, list[str]]]]:
    """Return the columns of a table by its header, and its other lines."""
    lines = _filled_lines(text, delimiter)
    _, header = next(lines, (0, []))
    if len(header) > MOST_COLUMNS:
        problem = f"are more than the {MOST_COLUMNS:,} that a table of measurements has"
        raise InputError("columns", len(header), problem, EXPECTED)
    if delimiter != "," and has_decimal_comma(text):  # a point then parts thousands
        lines = ((number, [without_points(cell) for cell in cells]) for number, cells in lines)
    return [column(index, cell) for index, cell in enumerate(header)], lines


def _decoded(source: str | bytes) -> str:
    """Return a file's text, whose length and lines are bounded."""
    lines = source.count("\n") if isinstance(source, str) else source.count(b"\n")
    for what, found, most in (("size", len(source), MOST_CHARACTERS), ("lines", lines, MOST_LINES)):
        if found > most:
            problem = f"is more than a file of measurements may have ({most:,})"
            raise InputError(what, f"{found:,}", problem, "Cut it to the transfers that were measured.")
    if isinstance(source, str):
        return source.removeprefix("\ufeff")
    data = source
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        problem = f"is not text in UTF-8 (byte {error.start:,})"
        raise InputError("file", data[:20], problem, "Save it as CSV in UTF-8.") from error


def _delimiter(text: str) -> str:
    """Take the separator of the header line: a name has none of them in it, but may have spaces."""
    header = next((line for line in text.splitlines() if _is_filled(line)), "")
    marks = [mark for mark in ",;\t| " if mark in header.strip()]
    return max(marks, key=lambda mark: (mark != " ", header.count(mark))) if marks else ","


def _is_filled(line: str) -> bool:
    return bool(line.strip(" ,;\t|\"'")) and not line.lstrip().startswith("#")


def _filled_lines(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and cells of every line that holds something; # begins a comment."""
    reader = csv.reader(io.StringIO(text, newline=None), delimiter=delimiter, skipinitialspace=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells) and not cells[0].lstrip().startswith("#"):
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        problem = f"can't be read as a table ({error})"
        raise InputError(f"row {reader.line_num}", "", problem, EXPECTED) from error


def _notes(
    columns: list[Column], used: list[Column | None], tool: Tool | None, group: _Group, left_out: int
) -> tuple[str, ...]:
    units = {"size": "bytes", "time": "milliseconds", "speed": "bytes a second"}
    names = {one.name for one in used if one is not None}
    notes = [] if tool is None else [f"Read as a table of {tool.name}, by {', '.join(sorted(names))}."]
    if group.size is None:
        notes.append("Sizes are rates times times.")
    if group.time is None:
        notes.append("Times are sizes over rates: of many messages in flight, not of one alone.")
    if left_out:
        notes.append(f"{left_out} rows of size or rate 0 were left out.")
    notes += dict.fromkeys(
        f"Column `{one.name}` was read as {units[one.kind]} x {one.scale:g}."
        for one in used
        if one and one.scale != 1.0 and one.kind in units
    )
    unused = list(dict.fromkeys(one.name for one in columns if one.name not in names and one.name))
    if unused:
        notes.append(f"Columns not used: {', '.join(unused)}.")
    return tuple(notes)
