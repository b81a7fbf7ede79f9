"""A trace file of one's own: uploaded, read as it is detected or as one says, its faulty rows a choice."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from aisim_model.scenario import Scenario
from aisim_model.scenario.traffic import TraceFile
from aisim_model.traces import FORMATS, BadRowsError
from aisim_model.traces.faults import counted
from aisim_ui.inputs import choice
from aisim_ui.place import Place
from aisim_ui.state import attempt, state
from aisim_ui.traffic.source import Loaded, Upload, columns_of, read_file
from aisim_ui.traffic.visit import visit
from aisim_ui.words import escape_markdown

KEY = "traffic.file"
UPLOAD = "traffic.upload"
MAX_MB = 100
ROLES = {
    "arrival": "Arrival",
    "input_tokens": "Prompt tokens",
    "output_tokens": "Output tokens",
    "hash_ids": "Prefix hash ids (if any)",
}
UNITS = ("ns", "us", "ms", "s", "days")
ARRIVALS = {"rate": "at a rate", "closed": "closed loop", "at_once": "all at once"}
MISSING = ("arrivals", "output_tokens", "rate_per_s")
DECIMALS = {".": "point (1.5)", ",": "comma (1,5)"}


def file_inputs() -> None:
    """Draw the upload."""
    st.file_uploader(
        "A trace or a log: CSV, JSON or Parquet; gz and zip too",
        key=UPLOAD,
        on_change=_uploaded,
        max_upload_size=MAX_MB,
        help="Read on this server and kept for this visit. A link has its name, rows and hash, not the file.",
    )
    file, upload = state().scenario.traffic.file, visit().upload
    if file is not None and upload is not None and file.rows:
        st.caption(f"Used is **{escape_markdown(file.name)}**, {counted(file.rows, 'request')}.")
    if note := visit().note:
        st.warning(escape_markdown(note), icon=":material/difference:")


def _uploaded() -> None:
    now, given = visit(), st.session_state[UPLOAD]
    if given is None:
        return
    upload, linked = Upload.of(given.name, given.getvalue()), state().scenario.traffic.file
    before, now.upload, now.note = now.upload, upload, ""
    if linked is not None and linked.sha256 == upload.sha256:
        _read(linked)  # the file that a link named, read as it was there
        return
    if linked is not None and before is None:
        now.note = f"{upload.name} isn't the file of the link, {linked.name}: its contents differ."
    _read(TraceFile(name=upload.name, sha256=upload.sha256))


def _reread(scenario: Scenario, choices: TraceFile) -> Scenario:
    """Return the scenario with a file read as is chosen, with its rows where it can be read."""
    found = read_file(choices.changed(rows=None), upload) if (upload := visit().upload) else None
    rows = len(found[0]) if isinstance(found, tuple) else None
    return scenario.changed(traffic=scenario.traffic.changed(source="file", file=choices.changed(rows=rows)))


def _read(choices: TraceFile) -> None:
    """Take a file with choices on how to read it into the scenario."""
    attempt(KEY, choices.name, lambda scenario: _reread(scenario, choices))


def _mapped() -> None:
    file = state().scenario.traffic.file
    picked = {role: st.session_state[f"traffic.map.{role}"] for role in ROLES}
    columns = tuple((role, column) for role, column in picked.items() if column is not None)
    if file is not None:
        _read(file.changed(columns=columns))


def ask_for(file: TraceFile) -> None:
    """Ask for the file that a link names."""
    rows = f", {counted(file.rows, 'request')}" if file.rows else ""
    st.info(
        f"This link's traffic is a file that isn't in it: **{escape_markdown(file.name)}**{rows}, "
        f"SHA-256 `{file.sha256[:16]}…`. Upload it to see the replay that was sent.",
        icon=":material/upload_file:",
    )


def reading(loaded: Loaded) -> None:
    """Draw how the traffic was read, its faults, and what may be said over what was detected."""
    file, upload = state().scenario.traffic.file, visit().upload
    is_file = state().scenario.traffic.source == "file" and file is not None and upload is not None
    if isinstance(loaded.problem, BadRowsError):
        _faulty_rows(loaded.problem)
    elif loaded.problem is not None:
        st.error(escape_markdown(str(loaded.problem)), icon=":material/error:")
        asked = loaded.problem.field
        if asked == "decimal" and is_file:
            _pick("decimal", DECIMALS, "fault", detect=False)
        if asked == "time_unit" and is_file:
            _pick("time_unit", {unit: unit for unit in UNITS}, "fault", detect=False)
        if asked in MISSING and is_file and file is not None:
            _left_open(file)
    if loaded.report is not None:
        _report(loaded)
        if file is not None and is_file and (file.arrivals or file.output_tokens):
            _left_open(file)
    if is_file and file is not None and upload is not None:
        unread = loaded.report is None and not isinstance(loaded.problem, BadRowsError)
        with st.expander("Read it otherwise", icon=":material/tune:", expanded=unread):
            _choices(file, upload)


def _faulty_rows(problem: BadRowsError) -> None:
    rows = counted(problem.rows_at_fault, "row")
    st.error(f"{rows} of {escape_markdown(problem.name)} can't be replayed.", icon=":material/error:")
    faults = pd.DataFrame([vars(fault) for fault in problem.faults])
    st.dataframe(
        faults,
        hide_index=True,
        key="traffic.faults",
        height=min(36 * (len(faults) + 1), 220),
        column_config={str(name): str(name).capitalize() for name in faults},
    )
    st.button(
        f"Leave {rows} out",
        key="traffic.skip",
        type="primary",
        on_click=_skip,
        args=(True,),
        help="Their number stays on this page and in every export.",
    )


def _skip(skip: bool) -> None:
    if (file := state().scenario.traffic.file) is not None:
        _read(file.changed(skip_bad_rows=skip))


def _report(loaded: Loaded) -> None:
    report = loaded.report
    if report is None:
        return
    if report.rows_left_out:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(
                f"{counted(report.rows_left_out, 'faulty row')} left out, here and in every export.",
                icon=":material/warning:",
            )
            st.button(
                "Don't leave them out", key="traffic.unskip", on_click=_skip, args=(False,), type="tertiary"
            )
    unit = f"Arrivals are in {report.time_unit}. " if report.time_unit != "datetime" else ""
    st.caption(f"{escape_markdown(report.format_label)}. {unit}{escape_markdown(report.time_unit_why)}")
    with st.expander("How it was read", icon=":material/fact_check:"):
        packed = f", packed with {report.packed_with}" if report.packed_with else ""
        lines = [*report.why, f"Text in {report.encoding}{packed}.", *report.notes]
        lines += [f"Left out: {fault}." for fault in report.faults[:5]]
        st.markdown("\n".join(f"- {escape_markdown(line)}" for line in lines))


def _left_open(file: TraceFile) -> None:
    """Ask how requests arrive, or how long answers are, where the file doesn't say."""
    with st.form("traffic.open", border=False):
        first, second, third = st.columns(3)
        with first:
            key = "traffic.open.arrivals"
            st.session_state.setdefault(key, file.arrivals)
            st.selectbox(
                "Arrivals",
                list(ARRIVALS),
                index=None,
                key=key,
                format_func=ARRIVALS.__getitem__,
                placeholder="as in the file",
            )
        with second:
            key = "traffic.open.rate"
            st.session_state.setdefault(key, file.rate_per_s)
            st.number_input("Rate (requests/s)", 0.001, 1e6, value=None, key=key, placeholder="1")
        with third:
            key = "traffic.open.output"
            st.session_state.setdefault(key, file.output_tokens)
            st.number_input(
                "Output tokens", 1, 10_000_000, value=None, step=1, key=key, placeholder="as in the file"
            )
        st.form_submit_button("Use these", on_click=_opened)
    if file.arrivals == "closed" and state().scenario.traffic.concurrency is None:
        st.caption("In a closed loop: choose the requests in flight beside the replay.")


def _opened() -> None:
    file = state().scenario.traffic.file
    said = {name: st.session_state[f"traffic.open.{name}"] for name in ("arrivals", "rate", "output")}
    if file is not None:
        rate = said["rate"] or (1.0 if said["arrivals"] == "rate" else None)
        _read(file.changed(arrivals=said["arrivals"], rate_per_s=rate, output_tokens=said["output"]))


def _choices(file: TraceFile, upload: Upload) -> None:
    left, middle, right = st.columns(3)
    formats = {known.id: known.label for known in FORMATS}
    with left:
        _pick("format", formats)
    with middle:
        _pick("time_unit", {unit: unit for unit in UNITS})
    with right:
        _pick("decimal", DECIMALS)
    found = columns_of(upload.sha256, upload)
    if not found:
        return
    mapped: dict[str, str] = dict(file.columns)
    with st.form("traffic.mapping", border=False):
        st.caption("Or say which column is which.")
        columns = [*st.columns(2), *st.columns(2)]  # a column's name is longer than a quarter of this
        for column, (role, label) in zip(columns, ROLES.items(), strict=True):
            with column:
                key = f"traffic.map.{role}"
                if st.session_state.get(key) not in found:
                    st.session_state[key] = mapped.get(role) if mapped.get(role) in found else None
                st.selectbox(label, found, index=None, key=key, placeholder="as detected")
        st.form_submit_button("Use these columns", on_click=_mapped)


def _pick(name: str, names: Mapping[str, str], spot: str = "table", detect: bool = True) -> None:
    """Draw a choice over what is detected; at a fault without the choice to detect it."""
    place = Place(f"traffic.file.{name}")

    def put(scenario: Scenario, value: object) -> Scenario:
        changed = place.put(scenario, value).traffic.file
        return scenario if changed is None else _reread(scenario, changed)

    choice(place, f"traffic.{spot}", names, open_as="detected" if detect else None, put=put)
