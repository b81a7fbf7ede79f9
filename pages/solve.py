"""Solve: what bandwidth, prompt, cached share, load or workers would meet my targets?"""

import pandas as pd
import streamlit as st

from aisim_model.compare.columns import BREAK_EVEN, SOLVED
from aisim_model.solve import aggregated_for
from aisim_model.solve.answers import answers
from aisim_ui.charts.load_curve import load_curve
from aisim_ui.frame import answer, chart, mode
from aisim_ui.frame import table as draw_table
from aisim_ui.inputs import number
from aisim_ui.navigation import require_app
from aisim_ui.place import Place
from aisim_ui.sentences.solve import PER, QUESTIONS, TARGETS, record, said
from aisim_ui.solve.load_curves import over_arrivals
from aisim_ui.solve.reuse import load_or_recompute
from aisim_ui.state import state
from aisim_ui.words import escape_markdown

require_app()

scenario = state().scenario
workload, row = scenario.workload, scenario.selected
answer_place = st.container()
left, right = st.columns((4, 1), vertical_alignment="bottom")
asked = left.segmented_control(
    "What is sought", list(QUESTIONS), key="solve.question", default="bandwidth", format_func=QUESTIONS.get
)
question = asked or "bandwidth"
with right:
    number(Place("workload.handoff_budget_ms"), "solve", empty=f"SLO on TTFT, {workload.ttft_slo_ms:,.10g}")

found = answers(scenario, question)
selected = next(one for one in found if one.row.id == row.id)
answer(f"{escape_markdown(row.name)}: {escape_markdown(said(selected))}", answer_place)
st.markdown(
    "\n".join(f"- **{escape_markdown(one.row.name)}**: {escape_markdown(said(one))}" for one in found)
)
numbers = pd.DataFrame([record(one) for one in found])
which = BREAK_EVEN if question == "break-even" else SOLVED
draw_table(
    numbers, which, f"solved for {question}", f"solve.{question}", {"link_is_per": PER, "target": TARGETS}
)
if question in ("break-even", "workers") and row.split:
    other = aggregated_for(scenario, row)
    rows = (row,) if other is None else (row, other.changed(id="to-beat", color=0))
    loads = over_arrivals(workload, rows)
    chart(load_curve(loads, "itl_ms", workload.itl_slo_ms, mode()), loads, "solve.itl")
    chart(load_curve(loads, "ttft_ms", workload.ttft_slo_ms, mode()), loads, "solve.ttft")
    st.caption(
        "Requests like this one that arrive at random; means by queueing and Little's law, not a replay."
    )
load_or_recompute(workload, row)
