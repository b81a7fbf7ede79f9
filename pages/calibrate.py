"""Calibrate: my link isn't nominal. What do my own measurements say?"""

import streamlit as st

from aisim_model.errors import InputError
from aisim_ui.calibrate.calibration import fitted, numbers, sentence, table
from aisim_ui.calibrate.inputs import given, measurements, use_buttons
from aisim_ui.charts.fit_over_bytes import fit_over_bytes, residuals
from aisim_ui.frame import answer as draw_answer
from aisim_ui.frame import chart, mode
from aisim_ui.frame import numbers as draw_numbers
from aisim_ui.frame import table as draw_table
from aisim_ui.navigation import require_app
from aisim_ui.words import escape_markdown

require_app()

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
    draw_answer("Give measured transfers, and their start-up cost and bandwidth come out.", answer)
    st.stop()
try:
    fit = fitted(rows.source, rows.kv_bytes_per_token, rows.tensor_parallel, rows.lanes)
except InputError as error:
    draw_answer("These rows can't be fitted.", answer)
    answer.error(escape_markdown(str(error)), icon=":material/error:")
    st.stop()

draw_answer(sentence(fit), answer)
with answer:
    draw_numbers(numbers(fit))
for message in fit.messages:
    answer.info(escape_markdown(message), icon=":material/info:")
with answer:
    use_buttons(fit)

data = table(fit)
chart(fit_over_bytes(data, mode()), data, "calibrate.fit")
chart(residuals(data, mode()), data, "calibrate.residuals")
people = data.assign(relative_error=data["relative_error"].round(6) + 0.0)  # no -0%
draw_table(data, people, "Calibration rows", "calibrate.table", column_config=COLUMNS)
