"""What a replay found, as the Traffic page shows it: curves, waits, time, tables, files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial

import streamlit as st
from pyarrow import parquet

from aisim_model.compare.columns import PERCENTILES, SLOWEST
from aisim_model.scenario import Workload
from aisim_model.study.perfetto import chrome_trace
from aisim_model.study.records import records, write_csv
from aisim_model.traces.faults import counted
from aisim_ui.charts.cdf import cdf
from aisim_ui.charts.gantt import timeline
from aisim_ui.charts.utilisation import utilisation
from aisim_ui.charts.waits import waits
from aisim_ui.exports import file_name
from aisim_ui.frame import chart, mode, select_row
from aisim_ui.frame import table as draw_table
from aisim_ui.inputs import pick_row
from aisim_ui.traffic.inputs import pick
from aisim_ui.traffic.outcome import RowReplay, side_by_side
from aisim_ui.traffic.tables import gantt
from aisim_ui.words import escape_markdown


def curves(replays: Sequence[RowReplay], selected_id: str, slo: Workload) -> None:
    """Draw the cumulative curves of all deployments, and the percentiles as a table."""
    handoff = any(not outcome.handoff_curve.empty for _, outcome in replays)
    what = pick("Cumulative", ["TTFT", "Handoff"] if handoff else ["TTFT"], "traffic.curve")
    if what == "TTFT":
        lines = side_by_side(replays, lambda outcome: outcome.ttft_curve)
    else:
        lines = side_by_side(replays, lambda outcome: outcome.handoff_curve)
    limit = slo.ttft_slo_ms if what == "TTFT" else slo.handoff_budget_ms
    chart(cdf(lines, what, selected_id, limit, mode()), lines, "traffic.cdf", pick=select_row)
    found = side_by_side(replays, lambda outcome: outcome.percentiles)
    draw_table(found, PERCENTILES, "Percentiles", "traffic.percentiles")


def look_into(found: Sequence[RowReplay], selected: RowReplay) -> None:
    """Draw the choice of the deployment that the charts beneath are of: the selected row on every page."""
    rows = [row for row, _ in found]
    pick_row("traffic", "Look into", "Or click its curve.", rows, selected[0].id)


def one(replayed: RowReplay, slo: Workload) -> None:
    """Draw what one deployment's requests waited for, over percentiles and over time, and its slowest."""
    row, outcome = replayed
    bars = outcome.waits
    chart(waits(bars, row.name, row.color, slo.ttft_slo_ms, mode()), outcome.told(bars), "traffic.waits")
    if pick("Time shown", ["Over time", "Around a moment"], "traffic.time") == "Over time":
        lines = outcome.over_time
        chart(utilisation(lines, row.name, row.color, mode()), outcome.told(lines), "traffic.use")
    else:
        moment_s = _moment(replayed)
        bars = gantt(outcome.result, moment_s * 1000.0)
        chart(timeline(bars, row.name, row.color, moment_s, mode()), outcome.told(bars), "traffic.gantt")
    st.markdown("##### The slowest requests")
    draw_table(outcome.told(outcome.slowest), SLOWEST, f"Slowest of {row.name}", "traffic.slowest")
    for note in outcome.notes:
        st.caption(escape_markdown(note))


def _moment(replayed: RowReplay) -> float:
    """Draw the choice of a moment; at first when the slowest request is computed."""
    row, outcome = replayed
    last = max(outcome.result.end_ms / 1000.0, 0.001)
    key = f"traffic.moment.{row.id}.{last:.6g}"
    if key not in st.session_state:
        st.session_state[key] = min(outcome.slowest_at_s, last)
    moment: float = st.slider(
        "Moment [s after the first arrival]",
        0.0,
        last,
        key=key,
        step=last / 1000.0,
        format="localized",
        help="At first, when the prompt of the slowest request begins to be computed.",
    )
    return moment


def downloads(replays: Sequence[RowReplay]) -> None:
    """Draw every record of every deployment as files."""
    if left_out := max(outcome.rows_left_out for _, outcome in replays):
        st.caption(
            f"{counted(left_out, 'faulty row')} of the file left out: in none of these numbers and files."
        )
    with st.container(horizontal=True):
        for name, ending, mime in (
            ("CSV", "csv", "text/csv"),
            ("Parquet", "parquet", "application/vnd.apache.parquet"),
            ("a Perfetto trace", "json", "application/json"),
        ):
            st.download_button(
                f"Every request as {name}",
                partial(_file, replays, ending),
                file_name=file_name("requests", ending),
                mime=mime,
                key=f"traffic.{ending}",
                on_click="ignore",
                icon=":material/download:",
            )


def _file(replays: Sequence[RowReplay], ending: str) -> bytes:
    """Write every record of every deployment, with the rows left out and the model's version in columns."""
    if ending == "json":
        return "".join(chrome_trace({row.name: outcome.result for row, outcome in replays})).encode()
    results = {row.id: outcome.result for row, outcome in replays}
    left_out, target = replays[0][1].rows_left_out, io.BytesIO()
    if ending == "csv":
        write_csv(records(results, left_out), target)
    else:
        parquet.write_table(records(results, left_out), target)
    return target.getvalue()
