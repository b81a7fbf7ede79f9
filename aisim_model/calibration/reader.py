"""Measured transfers from a table: CSV with commas, semicolons or tabs, as people export and paste it."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from aisim_model.calibration.log_lines import is_transfer_log, read_transfer_log
from aisim_model.calibration.measurements import Counted, Measurements, measured
from aisim_model.errors import InputError

EXPECTED = "Columns are `bytes` or `tokens`, and `milliseconds`."

# a column's name says what it holds: the last of its words that is known counts
_SIZES = MappingProxyType(
    {"bytes": 1.0, "byte": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
)
_TIMES = MappingProxyType(
    {"milliseconds": 1.0, "millisecond": 1.0, "msec": 1.0, "ms": 1.0, "microseconds": 1e-3, "usec": 1e-3}
    | {"us": 1e-3, "seconds": 1e3, "second": 1e3, "sec": 1e3, "s": 1e3}
)
_TOKENS = frozenset({"tokens", "token", "isl"})
_BLOCKS = frozenset({"blocks", "block"})
_DESCRIPTORS = frozenset({"descriptors", "descriptor", "descs"}) | _BLOCKS
_RATE_COLUMN = "kv_bytes_per_token"
_RATES = re.compile(
    r"_per_|(^|_)[kmgt]?i?b(it|yte)?s?_s$|(^|_)block_size$"
)  # bytes per token, gb_s, tokens of a block: neither a size nor a time nor a count
_REPLICATION_COLUMN = "kv_head_replication"


@dataclass(frozen=True)
class _Column:
    index: int
    name: str
    kind: Literal["size", "tokens", "time", "descriptors", "rate", "copies", ""]
    scale: float = 1.0


def read_measurements(
    source: str | bytes, *, kv_bytes_per_token: float | None = None, tensor_parallel: int | None = None
) -> Measurements:
    r"""Read measured transfers from a table's or a vLLM log's text.

    Parameters
    ----------
    source : str or bytes
        A table with a header: `bytes` or `tokens`, and `milliseconds` (or a name that ends in another unit,
        such as `time_s` or `size_mb`), and `descriptors` or `blocks` where counted. Or vLLM's metric lines.
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
    delimiter = _delimiter(text)
    columns, lines = _table(text, delimiter)
    size = _needed(columns, "a size", EXPECTED, ("size", "bytes"), ("tokens", "tokens"))
    time = _needed(columns, "a time", EXPECTED, ("time", "milliseconds"))
    counts = _only(columns, "descriptors", "descriptors")
    rate, copies = _only(columns, "rate", _RATE_COLUMN), _only(columns, "copies", _REPLICATION_COLUMN)
    in_tokens = size.kind == "tokens"
    if in_tokens and kv_bytes_per_token is None and rate is None:
        problem = "is needed where sizes are in tokens"
        raise InputError("kv_bytes_per_token", None, problem, "Give the KV bytes of one token on the wire.")
    if kv_bytes_per_token is not None and not (math.isfinite(kv_bytes_per_token) and kv_bytes_per_token > 0):
        problem = "must be a number above 0"
        raise InputError("kv_bytes_per_token", kv_bytes_per_token, problem, "Give the bytes of one token.")

    sizes, times, descriptors, rows = [], [], [], []
    for number, cells in lines:
        amount = _number(cells, size, number, delimiter)
        if in_tokens and kv_bytes_per_token is not None:
            amount *= kv_bytes_per_token
        elif in_tokens and rate is not None:
            amount *= _number(cells, rate, number, delimiter)
            amount *= _number(cells, copies, number, delimiter) if copies else 1.0
        sizes.append(amount)
        times.append(_number(cells, time, number, delimiter))
        if counts:
            descriptors.append(_number(cells, counts, number, delimiter))
        rows.append(number)
    by_row = [rate, copies] if in_tokens and kv_bytes_per_token is None else []
    notes = _notes(columns, [size, time, counts, *by_row])
    blocks = counts is not None and not _BLOCKS.isdisjoint(counts.name.split("_"))
    counted: Counted = "blocks" if blocks else "descriptors"
    return measured(sizes, times, descriptors if counts else None, rows, notes, counted=counted)


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
    text = _decoded(source)
    delimiter = _delimiter(text)
    columns, lines = _table(text, delimiter)
    expected = "Columns are `tokens` and `milliseconds`."
    tokens = _needed(columns, "tokens", expected, ("tokens", "tokens"))
    time = _needed(columns, "a time", expected, ("time", "milliseconds"))
    found: dict[float, float] = {}
    for number, cells in lines:
        count = _number(cells, tokens, number, delimiter)
        if count in found:
            problem = "stands in the table twice"
            raise InputError(
                f"row {number}, tokens", f"{count:,.0f}", problem, "Keep one row for each length."
            )
        found[count] = _number(cells, time, number, delimiter)
    return tuple(sorted(found.items()))


def _table(text: str, delimiter: str) -> tuple[list[_Column], Iterator[tuple[int, list[str]]]]:
    """Return the columns of a table by its header, and its other lines."""
    lines = _filled_lines(text, delimiter)
    _, header = next(lines, (0, []))
    return [_column(index, _plain(cell)) for index, cell in enumerate(header)], lines


def _needed(columns: list[_Column], what: str, expected: str, *kinds: tuple[str, str]) -> _Column:
    """Return the first column that there is of these kinds, each with its preferred name, or ask for it."""
    found = next((column for kind, name in kinds if (column := _only(columns, kind, name))), None)
    if found is None:
        header = ", ".join(column.name for column in columns)
        raise InputError("header", header, f"has no column of {what}", expected)
    return found


def _decoded(source: str | bytes) -> str:
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


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.strip().lower().replace("µ", "u").replace("μ", "u")).strip("_")


def _column(index: int, name: str) -> _Column:
    """Tell what a column holds by its name's words, from the last to the first."""
    if name == _RATE_COLUMN:
        return _Column(index, name, "rate")
    if name == _REPLICATION_COLUMN:
        return _Column(index, name, "copies")
    for word in () if _RATES.search(name) else reversed(name.split("_")):
        if word in _TIMES:
            return _Column(index, name, "time", _TIMES[word])
        if word in _SIZES:
            return _Column(index, name, "size", _SIZES[word])
        if word in _TOKENS:
            return _Column(index, name, "tokens")
        if word in _DESCRIPTORS:
            return _Column(index, name, "descriptors")
    return _Column(index, name, "")


def _only(columns: list[_Column], kind: str, preferred: str) -> _Column | None:
    """Choose the column of the plain name, else the only one; two that could be meant are asked about."""
    found = [column for column in columns if column.kind == kind]
    exact = [column for column in found if column.name == preferred] or found
    if len(exact) > 1:
        named = ", ".join(column.name for column in exact)
        problem = f"has more than one column that could be the {kind}"
        raise InputError("header", named, problem, f"Name the one that is meant `{preferred}`.")
    return exact[0] if exact else None


def _number(cells: list[str], column: _Column, row: int, delimiter: str) -> float:
    cell = cells[column.index] if column.index < len(cells) else ""
    plain = cell.replace("_", "").replace("\u00a0", "").replace(" ", "")
    if "," in plain:
        # with commas between columns, one within a number parts its thousands; else it is the decimal mark
        thousands = re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", plain) if delimiter == "," else None
        plain = plain.replace(",", "") if thousands else plain.replace(",", ".", 1)
    try:
        value = float(plain)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value <= 0:
        problem = "is empty" if not cell else "must be a number above 0"
        raise InputError(f"row {row}, {column.name}", cell, problem, "Mend or leave out the row.")
    if column.kind == "tokens" and value != int(value):
        problem = "must be a whole number of tokens"
        raise InputError(f"row {row}, {column.name}", cell, problem, "Write counts without a decimal mark.")
    return value * column.scale


def _notes(columns: list[_Column], used: list[_Column | None]) -> tuple[str, ...]:
    units = {"size": "bytes", "time": "milliseconds"}
    notes = [
        f"Column `{column.name}` was read as {units[column.kind]} x {column.scale:g}."
        for column in used
        if column and column.scale != 1.0
    ]
    unused = [column.name for column in columns if column not in used and column.name]
    if unused:
        notes.append(f"Columns not used: {', '.join(unused)}.")
    return tuple(notes)
