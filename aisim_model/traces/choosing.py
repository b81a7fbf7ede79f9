"""Which reader and format a text gets: a table, JSON lines that are alike, or JSON that nests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aisim_model.errors import InputError
from aisim_model.traces.asked import NOTHING_ASKED, Asked
from aisim_model.traces.delimited import read_delimited, read_header
from aisim_model.traces.faults import BadRowsError
from aisim_model.traces.formats.base import Container, TraceFormat
from aisim_model.traces.formats.mapped import mapped_format
from aisim_model.traces.formats.nested import NESTED_FORMATS
from aisim_model.traces.json_lines import is_array, is_json, read_json_lines, sample_rows
from aisim_model.traces.json_list import list_as_lines
from aisim_model.traces.json_rows import MAX_LINE_BYTES, Row
from aisim_model.traces.json_tree import one_document
from aisim_model.traces.nested import LINES, Found, all_lines, find_rows, read_nested, rows_of_lines
from aisim_model.traces.raw import RawColumns
from aisim_model.traces.registry import detect_format, format_by_id
from aisim_model.traces.text_tables import separated

Chosen = tuple[TraceFormat, str, RawColumns]
STATES = frozenset({"error", "errors", "status", "success", "event_type"})


def raw_columns(
    text: bytes,
    name: str,
    format_id: str | None,
    columns: Mapping[str, str] | None,
    decimal: str | None,
    asked: Asked,
) -> Chosen:
    """Choose the format of a text and read its columns; the reason is a sentence."""
    if is_json(text):
        return _of_json(text, name, format_id, columns, asked)
    text = separated(text)
    header = read_header(text, name)
    known, why = chosen_format("csv", header.columns, [], name, format_id, columns, asked)
    return known, why, read_delimited(text, header, known, name, decimal)


def text_columns(text: bytes, name: str) -> tuple[str, ...]:
    """Return the columns of a text, dotted where its rows nest."""
    if not is_json(text):
        return read_header(separated(text), name).columns
    document, sample = _opened(_lines(text), name)
    rows = sample if document is None else [document]
    if not any(_is_nested(row) for row in rows):
        return _keys(rows)
    return find_rows(rows, name, optional=("arrival", "output_tokens", "input_tokens")).columns


def _lines(text: bytes) -> bytes:
    return list_as_lines(text) if is_array(text) else text


def _opened(text: bytes, name: str) -> tuple[Row | None, list[Row]]:
    """Return a text as one document, or its first rows."""
    document = one_document(text, name)
    return document, [] if document is not None else sample_rows(text, name)


def _keys(sample: Sequence[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for row in sample for key in row))


def _of_json(
    text: bytes, name: str, format_id: str | None, columns: Mapping[str, str] | None, asked: Asked
) -> Chosen:
    text = _lines(text)
    document, sample = _opened(text, name)
    why_not: InputError | None = None
    nested_id = format_id in {known.id for known in NESTED_FORMATS}
    if document is not None and (not _is_nested(document) or _is_known(document)):  # one row alone
        text, sample, document = json.dumps(document).encode(), [document], None
        if len(text) > MAX_LINE_BYTES:
            problem = f"is one object of {len(text):,} bytes, too long for a request"
            raise InputError("trace", name, problem, "Write one object on each line.")
    if document is None and not nested_id and not STATES & set(_keys(sample)):
        try:
            known, why = chosen_format("jsonl", _keys(sample), sample, name, format_id, columns, asked)
            return known, why, read_json_lines(text, known, list(sample))
        except BadRowsError:
            raise
        except InputError as error:
            if error.field in ("format", "rows") or (format_id and not columns):
                raise
            why_not = error
    found, rows = _rows(text, document, sample, name, format_id, columns, asked, why_not)
    return found.known, found.why, read_nested(found, rows)


def opened_rows(text: bytes, name: str) -> tuple[Found, Iterable[tuple[int, Any]]]:
    """Return where a JSON text has its requests, and each row with its number."""
    text = _lines(text)
    document, sample = _opened(text, name)
    return _rows(text, document, sample, name, None, None, NOTHING_ASKED, None)


def _rows(
    text: bytes,
    document: Row | None,
    sample: Sequence[Row],
    name: str,
    format_id: str | None,
    columns: Mapping[str, str] | None,
    asked: Asked,
    why_not: InputError | None,
) -> tuple[Found, Iterable[tuple[int, Any]]]:
    found = _found(sample if document is None else [document], name, format_id, columns, asked, why_not)
    if document is None and found.place == LINES:
        return found, rows_of_lines(text)
    whole = all_lines(text, name) if document is None else [document]
    return found, enumerate(found.place.rows(whole), start=1)


def _is_nested(document: object) -> bool:
    return isinstance(document, dict) and any(isinstance(value, dict | list) for value in document.values())


def _is_known(row: Row) -> bool:
    try:
        return detect_format("jsonl", tuple(row), [row], "row")[0].id != "named"
    except InputError:
        return False


def _found(
    document: object,
    name: str,
    format_id: str | None,
    columns: Mapping[str, str] | None,
    asked: Asked,
    problem: InputError | None,
) -> Found:
    try:
        chosen = format_id if format_id in {known.id for known in NESTED_FORMATS} else None
        return find_rows(document, name, columns=columns, format_id=chosen, optional=asked.optional)
    except InputError as error:
        if problem is not None and error.field == problem.field and not columns:
            raise problem from None  # what lies on top is what a reader of the file sees first
        raise


def chosen_format(
    container: Container,
    present: tuple[str, ...],
    sample: Sequence[Row],
    name: str,
    format_id: str | None,
    columns: Mapping[str, str] | None,
    asked: Asked,
) -> tuple[TraceFormat, str]:
    """Return the format that was chosen, mapped or is detected, and why.

    Raises
    ------
    InputError
        For a format that the file is not, or a column that it hasn't.
    """
    if columns:
        known, why = mapped_format(columns, container, asked.optional), "Its columns were mapped."
        needed = [column for column in (*known.needed, known.hash_ids) if column]
    elif format_id:
        known, why = format_by_id(format_id), f"{format_id} was chosen."
        needed = list(known.needed)
        if known.container != container:
            problem = f"is not the {known.container} that format {known.id} is"
            raise InputError("trace", name, problem, "Leave the format out to have it detected.")
    else:
        return detect_format(container, present, sample, name, asked.optional)
    missing = [column for column in needed if column not in present]
    if missing:
        has = ", ".join(column[:40] for column in present[:12])
        raise InputError("columns", missing[0], f"is no column of {name}; it has {has}", "Map other columns.")
    return known, why
