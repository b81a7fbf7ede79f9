"""What a plan shows beneath its answer: the best, the frontier, the load, what to buy, how sure."""

from __future__ import annotations

from math import isfinite

import streamlit as st

from aisim_model.compare.columns import PLANNED
from aisim_model.evidence.silicon.typical import typical_error
from aisim_model.plan import Plan
from aisim_model.row.engine_error import engine_error
from aisim_model.row.spread_error import spread_error
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.planning import Planning
from aisim_model.scenario.presets import appended
from aisim_ui.charts.frontier import frontier
from aisim_ui.charts.share_curve import share_curve
from aisim_ui.frame import Point, chart, mark_of, mode
from aisim_ui.frame import table as draw_table
from aisim_ui.plan.search import (
    changes_of,
    fitting,
    frontier_table,
    otherwise_for,
    ranked_table,
    share_over_load,
)
from aisim_ui.sentences import next_dollar as next_words
from aisim_ui.sentences import plan as words
from aisim_ui.sentences import sureness
from aisim_ui.sentences.rivals import disagreement
from aisim_ui.state import attempt
from aisim_ui.words import escape_markdown

LOOK, CLICKED, GO = "plan.look", "plan.clicked", "plan.go"
OPENS = (("Handoff", "handoff"), ("Deployments", "deployments"), ("Traffic", "traffic"))


def best_table(plan: Plan) -> None:
    """Draw the best layouts, and what a chosen one opens in."""
    st.markdown("##### The best layouts" if plan.best else "##### The nearest layouts")
    found = ranked_table(plan)
    draw_table(found, PLANNED, "best layouts", "plan.ranked")


def chosen(plan: Plan) -> Deployment:
    """Draw the choice of a layout and where it opens; return it."""
    rows = {f"{place}. {one.row.name}": one.row for place, one in enumerate(plan.ranked, start=1)}
    clicked = st.session_state.get(CLICKED)
    if isinstance(clicked, int) and clicked < len(plan.frontier):
        row = plan.frontier[clicked].row
        rows = {f"On the frontier: {row.name}": row, **rows}
    left, *buttons = st.columns([2, 1, 1, 1], vertical_alignment="bottom")
    with left:
        if st.session_state.get(LOOK) not in rows:
            st.session_state.pop(LOOK, None)
        name = st.selectbox("Look into", list(rows), key=LOOK, help="Or click a point of the frontier.")
    row = rows[name]
    for column, (title, page) in zip(buttons, OPENS, strict=True):
        column.button(
            title,
            key=f"plan.open.{page}",
            on_click=_open,
            args=(row, page),
            width="stretch",
            icon=":material/open_in_new:",
            help=f"Opens this layout in {title}, as a row of your deployments, selected.",
        )
    return row


def _open(row: Deployment, page: str) -> None:
    def taken(scenario: Scenario) -> Scenario:
        same = {"id": "", "name": "", "color": 0}
        wanted = row.model_copy(update=same)
        for one in scenario.deployments:
            if one.model_copy(update=same) == wanted:
                return scenario.changed(selected_id=one.id)
        return appended(scenario, row.changed(id="new"))

    attempt("deployments", row.name, taken)
    st.session_state[GO] = page


def open_asked() -> None:
    """Open the page that a layout was to be opened in."""
    if page := st.session_state.pop(GO, None):
        st.switch_page(f"pages/{page}.py")


def make_it_fit(scenario: Scenario) -> None:
    """Draw a button that takes as many GPUs, and formats as small, as the model needs."""
    if (found := fitting(scenario)) is None:
        st.caption("It fits on no number of these GPUs up to 64: choose larger ones.")
        return
    row, gpus = found
    st.button(
        f"Plan for {gpus} GPUs: it fits from TP{row.prefill_tp} on, {words.formats(row)}",
        key="plan.make_it_fit",
        type="primary",
        on_click=attempt,
        args=("plan.gpus", str(gpus), lambda now: now.changed(plan=Planning(gpus=gpus))),
    )


def pictures(plan: Plan) -> None:
    """Draw the frontier and the share over load."""
    workload = plan.scenario.workload
    points = frontier_table(plan)
    chart(frontier(points, workload.itl_slo_ms, mode()), points, "plan.frontier", pick=_picked)
    shares = share_over_load(plan)
    figure = share_curve(shares, workload.arrivals_per_s, workload.slo_share, mode())
    chart(figure, shares, "plan.shares")


def _picked(point: Point) -> None:
    if (place := mark_of(point)) is not None:
        st.session_state[CLICKED] = int(place)
        st.session_state.pop(LOOK, None)


def next_dollar(plan: Plan, row: Deployment) -> None:
    """Say what to change next in a layout."""
    changes = changes_of(plan.scenario.workload, row)
    st.markdown(
        f"##### Next dollar\nFrom {escape_markdown(words.layout(row))}: {next_words.next_dollar(changes)}"
    )
    st.caption(" · ".join(next_words.change(one) for one in changes))


def how_sure(scenario: Scenario, plan: Plan) -> None:
    """Say how far the estimate was off, and what other times of a pass would deploy."""
    first = plan.ranked[0]
    st.markdown("##### How sure")
    experts = first.outcome.x.spec.total_parameters != first.outcome.x.spec.active_parameters
    kind, share = first.row.kind, float(first.outcome.load.utilisation)
    st.markdown(sureness.off_by(engine_error(kind, share, experts), spread_error(kind, share)))
    if "roofline" == first.row.decode_model == first.row.prefill_model:
        batch = float(first.outcome.load.batch)
        at = typical_error(plan.scenario.workload.model_id, first.row.gpu, batch if isfinite(batch) else 1.0)
        st.markdown(sureness.on_silicon(at))
    if apart := disagreement(first.outcome.x):
        st.markdown(apart)
    if st.toggle("What other times of a pass would deploy", key="plan.otherwise"):
        with st.spinner("Searching with other times"):
            lines = sureness.otherwise(otherwise_for(scenario))
        st.markdown("\n".join(f"- {line}" for line in lines))
    left, right = st.columns(2)
    left.page_link(
        "pages/handoff.py", label="Give your own prefill rate or decode step", icon=":material/edit:"
    )
    right.page_link("pages/calibrate.py", label="Calibrate the link", icon=":material/straighten:")
