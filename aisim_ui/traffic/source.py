"""The traffic of a scenario as a trace: read, made or asked for, then cut and scaled."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import PurePath

import streamlit as st
from pydantic import ValidationError

from aisim_model.errors import InputError, sentences, without_frames
from aisim_model.scenario.traffic import SyntheticRule, TraceFile, Traffic
from aisim_model.traces import (
    Trace,
    TraceReport,
    example_trace,
    read_trace,
    slice_warning,
    synthetic_trace,
    trace_columns,
)
from aisim_model.traffic.scenario_replay import asked_trace


@dataclass(frozen=True)
class Upload:
    """A file as it was uploaded in this visit."""

    name: str
    content: bytes
    sha256: str

    @classmethod
    def of(cls, name: str, content: bytes) -> Upload:
        """Take a file under its own name, without folders, and its hash."""
        return cls(PurePath(name).name[:200] or "upload", content, hashlib.sha256(content).hexdigest())


@dataclass(frozen=True, eq=False)
class Loaded:
    """What came of a scenario's traffic.

    Parameters
    ----------
    trace, whole : Trace or None
        What is replayed, and what it was cut from; None where there is a problem.
    report : TraceReport or None
        How a file was read; None of synthetic traffic.
    problem : InputError or None
        Why there is no trace.
    asked_for : TraceFile or None
        The file that a link names and this visit doesn't hold.
    key : hashable
        Equal where the trace is.
    """

    trace: Trace | None = None
    whole: Trace | None = None
    report: TraceReport | None = None
    problem: InputError | None = None
    asked_for: TraceFile | None = None
    key: Hashable = None

    @property
    def rows_left_out(self) -> int:
        """Faulty rows of the file that are in no replay [-]."""
        return self.report.rows_left_out if self.report else 0

    @property
    def cut_warning(self) -> str | None:
        """How a window differs from the whole, None where it is the whole."""
        return slice_warning(self.whole, self.trace) if self.whole and self.trace else None


READ = "aisim.traffic.read"
MOST_READ_BYTES = 100_000_000  # of the traces that a visit holds; the one in use always
MOST_COLUMNS = 200  # to choose among

Read = tuple[Trace, TraceReport | None] | InputError


def load(traffic: Traffic, upload: Upload | None) -> Loaded:
    """Return the trace of a scenario's traffic, or why there is none."""
    key: Hashable
    match traffic.source:
        case "example":
            key = traffic.example_id
            read = _example(traffic.example_id)
        case "synthetic":
            drawn_from = traffic.example_id if traffic.synthetic.draws else None
            key = (traffic.synthetic, drawn_from)
            read = _made(traffic.synthetic, drawn_from)
        case "file":
            key = traffic.file
            if traffic.file is None:
                return Loaded()
            if upload is None or upload.sha256 != traffic.file.sha256:
                return Loaded(asked_for=traffic.file)
            read = read_file(traffic.file.changed(rows=None), upload)
    if isinstance(read, InputError):
        return Loaded(problem=read)
    whole, report = read
    cut = Traffic(
        window_start_s=traffic.window_start_s,
        window_end_s=traffic.window_end_s,
        rate_factor=traffic.rate_factor,
    )
    found = _cut(key, cut, whole)
    if isinstance(found, InputError):
        return Loaded(whole=whole, report=report, problem=found)
    return Loaded(trace=found, whole=whole, report=report, key=(key, cut))


@st.cache_resource(max_entries=4, show_spinner="Reading an example")
def _example(example_id: str) -> Read:
    try:
        return example_trace(example_id)
    except InputError as error:
        return without_frames(error)


@st.cache_resource(max_entries=4, show_spinner="Making traffic")
def _made(rule: SyntheticRule, drawn_from: str | None) -> Read:
    try:
        source = None if drawn_from is None else _example(drawn_from)
        if isinstance(source, InputError):
            return source
        return synthetic_trace(rule.traffic(), source[0] if source else None), None
    except InputError as error:
        return without_frames(error)
    except ValidationError as error:
        return InputError("prefix_tokens", rule.prefix_tokens, " ".join(sentences(error)).rstrip("."))


def read_file(choices: TraceFile, upload: Upload) -> Read:
    """Read an uploaded file as was chosen; once for equal choices of a visit, which holds what it read."""
    held: dict[TraceFile, Read] = st.session_state.setdefault(READ, {})
    if choices in held:
        return held[choices]
    with st.spinner("Reading your file"):
        read = _file(choices, upload)
    held[choices] = read
    while len(held) > 1 and sum(map(_bytes_of, held.values())) > MOST_READ_BYTES:
        del held[next(iter(held))]
    return read


def _bytes_of(read: Read) -> int:
    """Return the bytes that the columns of a trace take."""
    if isinstance(read, InputError):
        return 0
    trace = read[0]
    columns = (trace.arrival_ms, trace.input_tokens, trace.output_tokens, trace.source_rows)
    return sum(column.nbytes for column in (*columns, trace.hash_ids, trace.hash_offsets))


def _file(choices: TraceFile, _upload: Upload) -> Read:
    try:
        return read_trace(
            _upload.content,
            choices.name,
            format=choices.format,
            time_unit=choices.time_unit,
            columns=dict(choices.columns) or None,
            decimal=choices.decimal,
            skip_bad_rows=choices.skip_bad_rows,
            asked=choices.asked(),
        )
    except InputError as error:
        return without_frames(error)


@st.cache_resource(max_entries=4, show_spinner=False)
def _cut(key: Hashable, cut: Traffic, _whole: Trace) -> Trace | InputError:
    try:
        return asked_trace(_whole, cut)[0]
    except InputError as error:
        return without_frames(error)


@st.cache_data(max_entries=4, show_spinner=False)
def columns_of(sha256: str, _upload: Upload) -> tuple[str, ...]:
    """Return the first columns of an uploaded file, none where it is no table at all."""
    try:
        return trace_columns(_upload.content, _upload.name)[:MOST_COLUMNS]
    except InputError:
        return ()
