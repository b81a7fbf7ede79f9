"""Calibrate: my link isn't nominal. What do my own measurements say?"""

import streamlit as st

from aisim_model.compare.columns import FITTED
from aisim_model.errors import InputError
from aisim_ui.calibrate.calibration import fitted, table
from aisim_ui.calibrate.inputs import given, measurements, use_buttons
from aisim_ui.charts.fit_over_bytes import fit_over_bytes, residuals
from aisim_ui.frame import answer as draw_answer
from aisim_ui.frame import chart, mode
from aisim_ui.frame import numbers as draw_numbers
from aisim_ui.frame import table as draw_table
from aisim_ui.navigation import require_app
from aisim_ui.sentences.calibrate import numbers, sentence
from aisim_ui.words import escape_markdown

require_app()

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
draw_table(data, FITTED, "Calibration rows", "calibrate.table")
