"""Measured transfers from a table: CSV with commas, semicolons or tabs, as people export and paste it."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aisim_model.calibration.log_lines import is_transfer_log, read_transfer_log
from aisim_model.calibration.measurements import Measurements, measured
from aisim_model.errors import InputError

EXPECTED = "Columns are `bytes` or `tokens`, and `milliseconds`."

# a column's name says its unit: names that end so are taken, and turned into bytes or milliseconds
_SIZES = MappingProxyType(
    {"bytes": 1.0, "byte": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
)
_TIMES = MappingProxyType(
    {"milliseconds": 1.0, "millisecond": 1.0, "msec": 1.0, "ms": 1.0, "microseconds": 1e-3, "usec": 1e-3}
    | {"us": 1e-3, "seconds": 1e3, "second": 1e3, "sec": 1e3, "s": 1e3}
)
_TOKENS = ("tokens", "token", "isl", "prompt_len", "prompt_length")
_DESCRIPTORS = ("descriptors", "descriptor_count", "descs", "blocks", "block_count")
_RATE_COLUMN = "kv_bytes_per_token"
_RATES = re.compile(
    r"_per_|(^|_)[kmgt]?i?b(it|yte)?s?_s$"
)  # bytes per token, gb_s: neither a size nor a time
_REPLICATION_COLUMN = "kv_head_replication"


@dataclass(frozen=True)
class _Column:
    index: int
    name: str
    scale: float


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
    text = _decoded(source) if isinstance(source, bytes) else source.removeprefix("\ufeff")
    if is_transfer_log(text):
        return read_transfer_log(text, tensor_parallel)
    delimiter = _delimiter(text)
    lines = _filled_lines(text, delimiter)
    _, header = next(lines, (0, []))
    names = [_plain(cell) for cell in header]
    size, time = _size_column(names), _time_column(names)
    if size is None or time is None:
        missing = "a size" if size is None else "a time"
        raise InputError("header", ", ".join(header), f"has no column of {missing}", EXPECTED)
    counts = next((_Column(i, n, 1.0) for i, n in enumerate(names) if _ends(n, _DESCRIPTORS)), None)
    rate = next((_Column(i, n, 1.0) for i, n in enumerate(names) if n == _RATE_COLUMN), None)
    copies = next((_Column(i, n, 1.0) for i, n in enumerate(names) if n == _REPLICATION_COLUMN), None)
    in_tokens = _ends(size.name, _TOKENS)
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
    notes = _notes(
        names, size, time, counts, [rate, copies] if in_tokens and kv_bytes_per_token is None else []
    )
    return measured(sizes, times, descriptors if counts else None, rows, notes)


def _decoded(data: bytes) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        problem = f"is not text in UTF-8 (byte {error.start:,})"
        raise InputError("file", data[:20], problem, "Save it as CSV in UTF-8.") from error


def _delimiter(text: str) -> str:
    """Take the separator of the header line: a name has none of them in it."""
    header = next((line for line in text.splitlines() if _is_filled(line)), "")
    return max(",;\t|", key=header.count) if any(mark in header for mark in ",;\t|") else ","


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


def _ends(name: str, endings: tuple[str, ...]) -> bool:
    return any(name == ending or name.endswith(f"_{ending}") for ending in endings)


def _unit(name: str, units: Mapping[str, float]) -> float | None:
    return None if _RATES.search(name) else units.get(name.rpartition("_")[2])


def _size_column(names: list[str]) -> _Column | None:
    sized = [_Column(i, n, scale) for i, n in enumerate(names) if (scale := _unit(n, _SIZES)) is not None]
    counted = [_Column(i, n, 1.0) for i, n in enumerate(names) if _ends(n, _TOKENS) and not _RATES.search(n)]
    return _only("size", sized, "bytes") or _only("size", counted, "tokens")


def _time_column(names: list[str]) -> _Column | None:
    timed = [_Column(i, n, scale) for i, n in enumerate(names) if (scale := _unit(n, _TIMES)) is not None]
    return _only("time", timed, "milliseconds")


def _only(what: str, columns: list[_Column], preferred: str) -> _Column | None:
    """Choose the column of the plain name, else the only one; two that could be meant are asked about."""
    exact = [column for column in columns if column.name == preferred]
    if len(exact or columns) > 1:
        named = ", ".join(column.name for column in columns)
        problem = f"has more than one column that could be the {what}"
        raise InputError("header", named, problem, f"Name the one that is meant `{preferred}`.")
    return next(iter(exact or columns), None)


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
    if _ends(column.name, _TOKENS) and value != int(value):
        problem = "must be a whole number of tokens"
        raise InputError(f"row {row}, {column.name}", cell, problem, "Write counts without a decimal mark.")
    return value * column.scale


def _notes(
    names: list[str], size: _Column, time: _Column, counts: _Column | None, more: list[_Column | None]
) -> tuple[str, ...]:
    used = {column.index for column in (size, time, counts, *more) if column}
    notes = [
        f"Column `{column.name}` was read as {unit} x {column.scale:g}."
        for column, unit in ((size, "bytes"), (time, "milliseconds"))
        if column.scale != 1.0
    ]
    unused = [name for index, name in enumerate(names) if index not in used and name]
    if unused:
        notes.append(f"Columns not used: {', '.join(unused)}.")
    return tuple(notes)
