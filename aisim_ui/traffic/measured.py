"""A measured run beside its replay on the Traffic page: curves over each other, errors, and what is off."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pandas as pd
import streamlit as st

from aisim_model.errors import InputError, without_frames
from aisim_model.scenario import Scenario
from aisim_model.traces.measured import MeasuredRun, read_run
from aisim_model.traces.trace import Floats
from aisim_model.traffic.measured import PERCENTILES, Metric, Off, compare_run, predicted_times
from aisim_ui.charts.cdf import cdf
from aisim_ui.frame import chart, mode
from aisim_ui.sentences.measured import LABELS, off_sentence, within_sentence
from aisim_ui.traffic.inputs import pick
from aisim_ui.traffic.outcome import RowReplay
from aisim_ui.traffic.source import Loaded
from aisim_ui.traffic.tables import CURVE_SHARES
from aisim_ui.traffic.visit import visit
from aisim_ui.words import escape_markdown

MEASURED_COLOR = 5


def run_of_upload() -> MeasuredRun | None:
    """Return the run that the uploaded file measured, read once a visit; None where it has no times."""
    now = visit()
    if now.upload is None:
        return None
    if now.measured is None or now.measured[0] != now.upload.sha256:
        found: MeasuredRun | InputError
        try:
            found = read_run(now.upload.content, now.upload.name)
        except InputError as error:
            found = without_frames(error)
        now.measured = (now.upload.sha256, found)
    return now.measured[1] if isinstance(now.measured[1], MeasuredRun) else None


def beside_run(scenario: Scenario, loaded: Loaded, selected: RowReplay) -> None:
    """Draw the measured run beside the replay of its requests on the selected row, where there is one."""
    row, outcome = selected
    run = run_of_upload() if scenario.traffic.source == "file" and loaded.trace is not None else None
    if run is None or not np.array_equal(run.trace.source_rows, outcome.result.trace.source_rows):
        return
    st.subheader("Your run beside this replay")
    offs = compare_run(run, outcome.result)
    slo, predicted = scenario.workload, predicted_times(outcome.result)
    st.markdown("\n".join(f"- {off_sentence(off)}" for off in offs))
    st.caption(
        within_sentence(
            len(run.trace),
            _within(run.ttft_ms, run.itl_ms, slo.ttft_slo_ms, slo.itl_slo_ms),
            _within(predicted["ttft_ms"], predicted["itl_ms"], slo.ttft_slo_ms, slo.itl_slo_ms),
        )
    )
    known: list[Metric] = [metric for metric in get_args(Metric) if metric in {off.metric for off in offs}]
    labels = {LABELS[metric]: metric for metric in known}
    metric = labels[pick("Measured", list(labels), "traffic.measured")]
    lines = pd.concat(
        [
            _curve(predicted[metric], row.id, row.name, row.color),
            _curve(getattr(run, metric), "measured", "Measured", MEASURED_COLOR),
        ],
        ignore_index=True,
    )
    limit = {"ttft_ms": slo.ttft_slo_ms, "itl_ms": slo.itl_slo_ms}.get(metric)
    chart(cdf(lines, LABELS[metric], "measured", limit, mode()), lines, "traffic.measured.cdf")
    st.dataframe(_errors(offs), hide_index=True, key="traffic.measured.errors")
    if run.notes:
        st.caption(" ".join(escape_markdown(note) for note in run.notes))


def _within(ttft_ms: Floats, itl_ms: Floats, ttft_slo_ms: float, itl_slo_ms: float) -> int:
    """Count the requests within both service levels; one token has no gap to be late."""
    return int(((ttft_ms <= ttft_slo_ms) & ~(itl_ms > itl_slo_ms)).sum())


def _curve(values: Floats, row_id: str, name: str, color: int) -> pd.DataFrame:
    finite = values[np.isfinite(values)]
    return pd.DataFrame(
        {
            "deployment_id": row_id,
            "deployment": name,
            "color": color,
            "share": CURVE_SHARES,
            "milliseconds": np.quantile(finite, CURVE_SHARES),
        }
    )


def _errors(offs: tuple[Off, ...]) -> pd.DataFrame:
    """Lay out measured against predicted by percentile, prompt length and time [ms]."""
    rows = []
    for off in offs:
        label = LABELS[off.metric]
        for percentile, measured, predicted in zip(PERCENTILES, off.measured, off.predicted, strict=True):
            rows.append((label, f"p{percentile}", measured, predicted, predicted - measured))
        for prompt, difference in off.by_prompt:
            rows.append((label, f"prompts near {prompt:,.0f} tokens", None, None, -difference))
        for moment, difference in off.by_time:
            rows.append((label, f"around {moment / 1000.0:,.0f} s", None, None, -difference))
    names = ["Time", "Of", "Measured (ms)", "Replay (ms)", "Replay less measured (ms)"]
    return pd.DataFrame(rows, columns=names).round(1)
