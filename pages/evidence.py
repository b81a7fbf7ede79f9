"""Evidence: every published measurement that we hold, beside what the models say of it."""

import pandas as pd
import streamlit as st

from aisim_model.compare.columns import CLOUDS, MEASURED
from aisim_model.evidence import evidence
from aisim_model.evidence.cloud_scenario import CloudVerdict, cloud_scenario, cloud_verdicts
from aisim_ui.charts.predicted_measured import predicted_measured
from aisim_ui.evidence.clouds import cloud_table
from aisim_ui.evidence.silicon_section import silicon_section
from aisim_ui.evidence.table import QUANTITIES, table
from aisim_ui.frame import answer, chart, mode
from aisim_ui.frame import table as draw_table
from aisim_ui.navigation import require_app
from aisim_ui.sentences.evidence import cloud_sentence, sentence
from aisim_ui.state import replace, state

require_app()

REPLAY = "evidence.replay"

TIMES = {"transfer_ms": "Transfer times", "ttft_ms": "TTFT"}


@st.cache_data(max_entries=1)
def measured() -> pd.DataFrame:
    """Model every published measurement, once a server."""
    return table(evidence())


@st.cache_data(max_entries=1)
def runs() -> tuple[CloudVerdict, ...]:
    """Put the trace of the published runs to each of them, once a server."""
    return cloud_verdicts()


def replay_runs() -> None:
    """Take the published runs as the scenario, and have the Traffic page opened."""
    replace(cloud_scenario())
    st.session_state[REPLAY] = True


if st.session_state.pop(REPLAY, False):
    st.switch_page("pages/traffic.py")
found = measured()
answer(sentence(found))
st.caption(
    "Made by the models as this page opens. Rows whose own figures disagree aren't ticked as consistent: "
    "shown, never fitted. The calibrated model is fitted to each group of nine transfers; beside it stands "
    "each row's prediction from the other eight."
)
quantity = st.segmented_control(
    "Quantity",
    list(TIMES),
    default="transfer_ms",
    required=True,
    format_func=TIMES.__getitem__,
    key="evidence.quantity",
    label_visibility="collapsed",
)
rows = found[found["quantity"] == quantity]
chart(
    predicted_measured(rows, f"{TIMES[quantity]}: predicted over measured", mode()),
    rows,
    "evidence.published",
)
silicon_section()
st.markdown("##### Five runs end to end")
verdicts = runs()
st.markdown(clouds_say := cloud_sentence(verdicts))
state().shown["evidence.clouds.answer"] = clouds_say
draw_table(cloud_table(verdicts), CLOUDS, "Five runs end to end", "evidence.clouds")
st.caption(
    "TTFT is the mean. Nothing was fitted to these runs. They don't report prefix hits: 29% of each prompt "
    "counts as hit, as much as the trace repeats."
)
st.button(
    "Replay them on the Traffic page",
    icon=":material/traffic:",
    help="Undo brings yours back.",
    on_click=replay_runs,
)
st.markdown("##### Every measurement, and how far off each model is")
draw_table(found, MEASURED, "Every measurement", "evidence.table", {"quantity": QUANTITIES})
