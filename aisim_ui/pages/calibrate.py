"""Calibrate: my link isn't nominal. What do my own measurements say?"""

import streamlit as st

from aisim_model.errors import InputError
from aisim_ui.calibrate.calibration import fitted, numbers, sentence, table
from aisim_ui.calibrate.inputs import given, measurements, use_buttons
from aisim_ui.charts.fit_over_bytes import fit_over_bytes, residuals
from aisim_ui.frame import chart, mode
from aisim_ui.frame import table as draw_table
from aisim_ui.words import literal

COLUMNS = {
    "row": "Row",
    "bytes": st.column_config.NumberColumn("Bytes", format="localized"),
    "measured_ms": st.column_config.NumberColumn("Measured [ms]", format="%.5g"),
    "predicted_ms": st.column_config.NumberColumn("Fitted [ms]", format="%.5g"),
    "relative_error": st.column_config.NumberColumn("Relative error", format="percent"),
    "weight": st.column_config.NumberColumn("Weight", format="%.3g"),
}

answer = st.container()
measurements()
if (rows := given()) is None:
    answer.markdown("#### Give measured transfers, and their start-up cost and bandwidth come out.")
    st.stop()
try:
    fit = fitted(rows.source, rows.kv_bytes_per_token, rows.tensor_parallel, rows.lanes)
except InputError as error:
    answer.markdown("#### These rows can't be fitted.")
    answer.error(literal(str(error)), icon=":material/error:")
    st.stop()

answer.markdown(f"#### {sentence(fit)}")
found = numbers(fit)
for column, (label, value, beside) in zip(answer.columns(len(found)), found, strict=True):
    column.metric(label, value, beside, delta_color="off", delta_arrow="off")
for message in fit.messages:
    answer.info(literal(message), icon=":material/info:")
with answer:
    use_buttons(fit)

data = table(fit)
chart(fit_over_bytes(data, mode()), data, "calibrate.fit")
chart(residuals(data, mode()), data, "calibrate.residuals")
draw_table(data, data, "calibration rows", "calibrate.table", column_config=COLUMNS)
