"""Starting a replay, watching it, stopping it, and what stands there until it is done."""

from __future__ import annotations

import streamlit as st

from aisim_model.scenario import Scenario
from aisim_model.traces.faults import counted
from aisim_ui.state import state
from aisim_ui.traffic.outcome import RowReplay
from aisim_ui.traffic.run import MOST_RECORDS, Run
from aisim_ui.traffic.source import Loaded
from aisim_ui.traffic.visit import SMALL_RECORDS, chosen_rows, outcome_key, replays, start, stop, visit
from aisim_ui.words import escape_markdown, significant

POLL_SECONDS = 1.0


def described(loaded: Loaded) -> None:
    """Say what the traffic is, and where a part of a trace is not like the whole."""
    trace = loaded.trace
    if trace is None:
        return
    rate = trace.requests_per_s()
    span = (
        "all at once" if rate is None else f"over {significant(trace.span_s)} s, {significant(rate)} a second"
    )
    blocks = (
        f"prefixes told in blocks of {trace.block_tokens:,}" if trace.has_hash_ids else "no prefixes told"
    )
    st.caption(
        f"**{counted(len(trace), 'request')}** {span}; on average {trace.input_tokens.mean():,.0f} tokens of "
        f"prompt and {trace.output_tokens.mean():,.0f} of output; {blocks}."
    )
    if warning := loaded.cut_warning:
        st.warning(escape_markdown(warning), icon=":material/content_cut:")


def replay_button(scenario: Scenario, loaded: Loaded) -> None:
    """Draw the button that starts a replay; a small one starts by itself when the page is opened."""
    rows, trace = chosen_rows(scenario), loaded.trace
    records = len(rows) * len(trace) if trace is not None else 0
    if records > MOST_RECORDS:
        st.error(
            f"{records:,} records are more than this page holds ({MOST_RECORDS:,}): take a window, fewer "
            "deployments, or the command `aisim replay`.",
            icon=":material/error:",
        )
    ready = 0 < records <= MOST_RECORDS
    _, complete = replays(scenario, loaded)
    if ready and not visit().opened and records <= SMALL_RECORDS:
        start(scenario, loaded)
    requests = counted(len(trace), "request") if trace is not None else "requests"
    st.button(
        "Replayed" if ready and complete else f"Replay {requests} on {counted(len(rows), 'deployment')}",
        key="traffic.replay",
        type="primary",
        icon=":material/check:" if ready and complete else ":material/play_arrow:",
        disabled=not ready or complete or visit().run is not None,
        on_click=start,
        args=(scenario, loaded),
        width="stretch",
    )


def progress() -> None:
    """Draw how far the replay is that runs, with a button that stops it."""
    if visit().run is not None:
        _watch()


@st.fragment(run_every=POLL_SECONDS)
def _watch() -> None:
    run = visit().run
    if run is None or run.ended:
        st.rerun()
        return
    st.progress(min(run.finished / max(run.total, 1), 1.0), text=_said(run))
    st.button("Stop", key="traffic.stop", icon=":material/stop:", on_click=stop, width="stretch")


def _said(run: Run) -> str:
    if run.stopped:
        return "Stopping"
    if run.waiting:
        return "Waiting for another visitor's replay"
    names = {row.id: row.name for row in state().scenario.deployments}
    name = escape_markdown(names.get(run.now.row_id, run.now.row_id))
    if run.finished == 0:
        return f"Preparing {name}; the first replay of a server takes some seconds more"
    return f"Replaying {name}: {run.finished:,} of {run.total:,} requests in all"


def results(scenario: Scenario, loaded: Loaded) -> list[RowReplay]:
    """Return what can be shown, and say where it isn't of the settings as they are now."""
    now, (found, complete) = visit(), replays(scenario, loaded)
    names = {outcome_key(scenario, row, loaded.key): row.name for row in chosen_rows(scenario)}
    for key, problem in now.problems.items():
        if key in names:
            st.warning(
                f"{escape_markdown(names[key])} can't be replayed: {escape_markdown(problem)}",
                icon=":material/block:",
            )
    if found:
        now.last = tuple(found)
        if not complete and now.run is None:
            st.info("Not every chosen deployment is replayed yet: press Replay.", icon=":material/replay:")
        return found
    if now.last:
        st.info(
            "Shown is the last replay. The traffic and settings that stand here now are not replayed yet.",
            icon=":material/history:",
        )
    return list(now.last)
