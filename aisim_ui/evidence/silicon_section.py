"""The section of the Evidence page on silicon: filters, charts, tables."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from aisim_model.compare.columns import ABLATION, PICKED, SILICON
from aisim_model.evidence.silicon.committed import NAMES
from aisim_ui.charts.silicon import silicon_errors, silicon_scatter
from aisim_ui.evidence.silicon import (
    GROUPS,
    QUANTITIES,
    ablation,
    by_field,
    by_group,
    every_row,
    picked,
    shown_rows,
)
from aisim_ui.frame import chart, mode
from aisim_ui.frame import table as draw_table
from aisim_ui.sentences.evidence import silicon_left_out, silicon_sentence
from aisim_ui.state import state

SPLITS = 6  # groups that hold both kinds, all of one model


@st.cache_data(max_entries=1)
def _rows() -> pd.DataFrame:
    return every_row()


@st.cache_data(max_entries=1)
def _picked() -> pd.DataFrame:
    return picked()


def silicon_section() -> None:
    """Draw it."""
    table = _rows()
    st.markdown("##### Times of passes beside 2,096 measured operating points")
    st.markdown(said := silicon_sentence(table))
    state().shown["evidence.silicon.answer"] = said
    left, right = st.columns(2)
    quantity = left.segmented_control(
        "Quantity",
        list(QUANTITIES),
        default="tpot",
        required=True,
        format_func=QUANTITIES.__getitem__,
        key="silicon.quantity",
    )
    rival = right.selectbox(
        "Model of a pass", list(NAMES), format_func=NAMES.__getitem__, key="silicon.rival"
    )
    with st.expander("Filter rows", icon=":material/filter_alt:"):
        places = st.columns(4)
        for place, (name, label) in enumerate(GROUPS.items()):
            values = list(dict.fromkeys(map(str, _rows()[name].sort_values())))
            kept = places[place % 4].multiselect(label, values, key=f"silicon.{name}", placeholder="All")
            if kept:
                table = table[table[name].astype(str).isin(kept)]
    rows = shown_rows(table, quantity or "tpot", rival)
    if rows.empty:
        st.info("No row is left for this model and these filters.", icon=":material/filter_alt_off:")
        return
    title = f"{QUANTITIES[quantity or 'tpot']} by {NAMES[rival]}"
    wide, narrow = st.columns(2)
    with wide:
        columns = [
            "model",
            "gpu",
            "engine",
            "precision",
            "kind",
            "prompt_tokens",
            "output_tokens",
            "in_flight",
        ]
        columns += ["tensor_parallel", "data_parallel", "measured_ms", "predicted_ms", "error"]
        chart(
            silicon_scatter(rows, f"{title}: predicted over measured", mode()),
            rows[columns],
            "silicon.points",
        )
    with narrow:
        fields = by_field(rows)
        chart(silicon_errors(fields, f"{title}: median error", mode()), fields, "silicon.errors")
    group = st.selectbox(
        "Group by",
        [None, *GROUPS],
        format_func=lambda name: GROUPS[name] if name else "All rows",
        key="silicon.by",
    )
    draw_table(by_group(table, quantity or "tpot", group), SILICON, "How far off by group", "silicon.groups")
    st.caption(silicon_left_out(table, quantity or "tpot"))
    st.markdown("##### Had you picked a configuration by this model")
    draw_table(_picked(), PICKED, "Had you picked by this model", "silicon.picked")
    st.caption(
        "For each model, GPU, precision and lengths with at least four configurations: the one that a model "
        "of a pass ranks first by output tokens a second and GPU within the limit, and how far it stays "
        f"behind the best measured one. Split against aggregated is measured in {SPLITS} groups of one model "
        "alone, which proves nothing either way."
    )
    st.markdown("##### The roofline with and without each of its terms")
    draw_table(ablation(), ABLATION, "With and without each term", "silicon.ablation")
    st.caption("Each variant is fitted anew, and judged on configurations that its fit didn't see.")
