"""Evidence: every published measurement that we hold, beside what the models say of it."""

import pandas as pd
import streamlit as st

from aisim_model.evidence import evidence
from aisim_model.evidence.cloud_scenario import CloudVerdict, cloud_scenario, cloud_verdicts
from aisim_ui.charts.predicted_measured import predicted_measured
from aisim_ui.evidence.clouds import COLUMNS as CLOUDS
from aisim_ui.evidence.clouds import cloud_sentence, cloud_table
from aisim_ui.evidence.table import QUANTITIES, sentence, table
from aisim_ui.frame import answer, chart, mode
from aisim_ui.frame import table as draw_table
from aisim_ui.navigation import require_app
from aisim_ui.state import replace, state
from aisim_ui.traffic.tables import readable

require_app()

ERROR = {"format": "percent"}
REPLAY = "evidence.replay"
TIMES = {"transfer_ms": "Transfer times", "ttft_ms": "TTFT"}
COLUMNS = {
    "id": "Measurement",
    "quantity": "Quantity",
    "tokens": st.column_config.NumberColumn("Tokens", format="localized"),
    "reported": st.column_config.NumberColumn("Measured", format="localized"),
    "reference_relative_error": st.column_config.NumberColumn("Reference", **ERROR),
    "calibrated_relative_error": st.column_config.NumberColumn("Calibrated", **ERROR),
    "calibrated_left_out_relative_error": st.column_config.NumberColumn("Calibrated, row unseen", **ERROR),
    "roofline_relative_error": st.column_config.NumberColumn("Roofline", **ERROR),
    "fitted": "Fitted",
    "consistent": "Consistent",
    "deployment": st.column_config.TextColumn("Deployment", width="medium"),
    "note": st.column_config.TextColumn("Caution", width="large"),
    "source": st.column_config.TextColumn("Source", width="large"),
}


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
for quantity, title in TIMES.items():
    rows = found[found["quantity"] == quantity]
    figure = predicted_measured(rows, f"{title}: predicted over measured", mode())
    chart(figure, rows, f"evidence.{quantity}")
st.markdown("##### Five runs end to end")
verdicts = runs()
st.markdown(clouds_say := cloud_sentence(verdicts))
state().shown["evidence.clouds.answer"] = clouds_say
clouds, title = cloud_table(verdicts), "Five runs end to end"
draw_table(clouds, readable(clouds[list(CLOUDS)]), title, "evidence.clouds", column_config=CLOUDS)
st.caption(
    "TTFT is the mean. The roofline is fitted to the prefill rates of H200 and H100; the others test it."
)
st.button(
    "Replay them on the Traffic page",
    icon=":material/traffic:",
    help="Undo brings yours back.",
    on_click=replay_runs,
)
st.markdown("##### Every measurement, and how far off each model is")
people = found[list(COLUMNS)].assign(quantity=found["quantity"].map(QUANTITIES))
draw_table(found, people, "Every measurement", "evidence.table", column_config=COLUMNS)
