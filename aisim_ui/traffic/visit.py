"""What a visit holds of traffic: the file that was uploaded, the replay that runs, the outcomes it keeps."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from aisim_model.errors import InputError
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.traffic import MOST_ROWS
from aisim_ui.traffic.outcome import RowReplay, replayed
from aisim_ui.traffic.run import Job, Kept, Run
from aisim_ui.traffic.source import Loaded, Upload

KEY = "aisim.traffic"
SMALL_RECORDS = 30_000  # replayed at once when the page opens, in a second or two


@dataclass
class Visit:
    """What one visit holds of traffic."""

    upload: Upload | None = None
    run: Run | None = None
    kept: Kept = field(default_factory=Kept)
    last: tuple[RowReplay, ...] = ()
    problems: dict[Hashable, str] = field(default_factory=dict)
    opened: bool = False
    note: str = ""
    measured: tuple[str, object] | None = None  # hash of the file, and its run or why there is none


def visit() -> Visit:
    """Return this visit's own."""
    if KEY not in st.session_state:
        st.session_state[KEY] = Visit()
    found: Visit = st.session_state[KEY]
    return found


def presence() -> Callable[[], bool]:
    """Return what says whether the visitor of this run is still connected."""
    context = get_script_run_ctx()
    session = context.session_id if context is not None else ""

    def present() -> bool:
        return not Runtime.exists() or bool(Runtime.instance().is_active_session(session))

    return present


def chosen_rows(scenario: Scenario) -> list[Deployment]:
    """Return the rows to replay: those chosen, else the first that can be timed and hold a request."""
    wanted = scenario.traffic.deployment_ids
    if wanted is not None:
        return [row for row in scenario.deployments if row.id in wanted]
    return [row for row in scenario.deployments if _fits(scenario, row)][:MOST_ROWS]


def _fits(scenario: Scenario, row: Deployment) -> bool:
    if scenario.traffic.level == "fifo" and not row.split:
        return False
    try:
        return resolve(scenario.workload, row).pool_tokens >= 1
    except InputError:
        return False


def outcome_key(scenario: Scenario, row: Deployment, trace_key: Hashable) -> Hashable:
    """Return what an outcome depends on: no names and colours, and of the workload the model alone."""
    served, traffic = scenario.workload, scenario.traffic
    model = (served.model_id, served.model, served.kv_bytes_per_token)
    how = (traffic.level, traffic.contention, traffic.scope, traffic.prefix_caching, traffic.concurrency)
    return trace_key, model, row.model_copy(update={"name": "", "color": 0}), how


def start(scenario: Scenario, loaded: Loaded) -> None:
    """Replay what isn't known yet of the chosen rows, beside the page."""
    now = visit()
    if now.run is not None or loaded.trace is None:
        return
    now.opened = True
    jobs = [
        Job(row.id, key, partial(replayed, scenario, row, loaded.trace, loaded.rows_left_out))
        for row in chosen_rows(scenario)
        if now.kept.get(key := outcome_key(scenario, row, loaded.key)) is None
    ]
    if jobs:
        now.run = Run(len(loaded.trace), jobs, presence()).start()
        weakref.finalize(now, now.run.stop)  # a visitor who has left waits for nothing


def stop() -> None:
    """Ask the replay that runs to end soon."""
    if (run := visit().run) is not None:
        run.stop()


def collect() -> None:
    """Take in what a replay that has ended leaves."""
    now = visit()
    if now.run is not None and now.run.ended:
        now.kept.add(now.run.outcomes)
        now.problems = now.run.problems
        now.run = None


def replays(scenario: Scenario, loaded: Loaded) -> tuple[list[RowReplay], bool]:
    """Return the outcomes of the chosen rows, and whether all are there."""
    kept, rows = visit().kept, chosen_rows(scenario)
    found = [(row, kept.get(outcome_key(scenario, row, loaded.key))) for row in rows]
    known = [(row, outcome) for row, outcome in found if outcome is not None]
    failed = sum(outcome_key(scenario, row, loaded.key) in visit().problems for row in rows)
    return known, len(known) + failed == len(rows)
