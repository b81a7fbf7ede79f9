"""The best layouts replayed beside the page: started, watched, stopped, ranked again."""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from aisim_model.compare.columns import VERIFIED
from aisim_model.plan import Plan
from aisim_model.plan.search import Candidate
from aisim_ui.frame import table as draw_table
from aisim_ui.words import escape_markdown

if TYPE_CHECKING:
    from aisim_model.plan.verify import Verified
    from aisim_ui.traffic.run import Run

KEY = "aisim.plan"
COUNT = 12
POLL_SECONDS = 1.0


@dataclass
class Visit:
    """What one visit holds of replayed layouts."""

    run: Run | None = None
    found: dict[Hashable, Verified] = field(default_factory=dict)
    problems: dict[Hashable, str] = field(default_factory=dict)


def visit() -> Visit:
    """Return this visit's own."""
    if KEY not in st.session_state:
        st.session_state[KEY] = Visit()
    found: Visit = st.session_state[KEY]
    return found


def key_of(plan: Plan, one: Candidate) -> Hashable:
    """Return what a replayed layout depends on."""
    traffic = plan.scenario.traffic
    return (
        plan.scenario.workload,
        one.row.model_copy(update={"name": "", "color": 0}),
        one.arrivals_per_s,
        traffic,
    )


def collect() -> None:
    """Take in what a replay that has ended leaves."""
    now = visit()
    if now.run is not None:
        now.found.update(now.run.outcomes)
        if now.run.ended:
            now.problems.update(now.run.problems)
            now.run = None


def verified(plan: Plan) -> list[Verified]:
    """Return the replayed layouts of a plan, the most requests within both targets first."""
    found = [visit().found[key] for one in plan.ranked[:COUNT] if (key := key_of(plan, one)) in visit().found]
    if not found:
        return []
    from aisim_model.plan.verify import reranked

    return list(reranked(found))


def start(plan: Plan) -> None:
    """Replay the best layouts beside the page."""
    from aisim_model.plan.verify import REQUESTS
    from aisim_ui.plan.replayed import replayed_layout
    from aisim_ui.traffic.run import Job, Run
    from aisim_ui.traffic.visit import presence

    now = visit()
    jobs = [
        Job(one.row.name, key, partial(replayed_layout, plan.scenario, one))
        for one in plan.ranked[:COUNT]
        if (key := key_of(plan, one)) not in now.found
    ]
    if jobs and now.run is None:
        now.problems.clear()
        now.run = Run(REQUESTS, jobs, presence()).start()
        weakref.finalize(now, now.run.stop)  # a visitor who has left waits for nothing


def stop() -> None:
    """Ask the replay that runs to end soon."""
    if (run := visit().run) is not None:
        run.stop()


def section(plan: Plan) -> None:
    """Draw the button, the progress, and estimate and replay side by side."""
    count, found = len(plan.ranked[:COUNT]), verified(plan)
    st.markdown("##### Verified by replay")
    st.button(
        "Replayed" if len(found) == count else f"Replay the best {count}",
        key="plan.verify",
        type="primary" if not found else "secondary",
        icon=":material/check:" if len(found) == count else ":material/play_arrow:",
        disabled=visit().run is not None or len(found) == count,
        on_click=start,
        args=(plan,),
        help="2,000 requests like the workload's on each, at level engine, with transfers that share links.",
    )
    if visit().run is not None:
        _watch()
    for problem in visit().problems.values():
        st.warning(escape_markdown(problem), icon=":material/block:")
    if found:
        from aisim_model.plan.record import verified_record

        draw_table(
            pd.DataFrame([verified_record(one) for one in found]),
            VERIFIED,
            "replayed layouts",
            "plan.verified",
        )


@st.fragment(run_every=POLL_SECONDS)
def _watch() -> None:
    run = visit().run
    if run is None or run.ended:
        st.rerun()
        return
    done = min(run.finished / max(run.total, 1), 1.0)
    name = escape_markdown(run.now.row_id)
    said = "Waiting for another visitor's replay" if run.waiting else f"Replaying {name}"
    st.progress(
        done, text="Stopping" if run.stopped else f"{said}: {run.finished:,} of {run.total:,} requests"
    )
    st.button("Stop", key="plan.stop", icon=":material/stop:", on_click=stop)
