"""Calibrate: my link isn't nominal, nor are my GPUs. What do my own measurements say?"""

import streamlit as st

from aisim_model.calibration.benchmark_runs import is_benchmark
from aisim_model.compare.columns import FITTED
from aisim_model.errors import InputError
from aisim_ui.calibrate import compute
from aisim_ui.calibrate.calibration import fitted, table
from aisim_ui.calibrate.inputs import given, measurements, use_buttons
from aisim_ui.charts.fit_over_bytes import fit_over_bytes, residuals
from aisim_ui.frame import answer as draw_answer
from aisim_ui.frame import chart, mode
from aisim_ui.frame import numbers as draw_numbers
from aisim_ui.frame import table as draw_table
from aisim_ui.navigation import require_app
from aisim_ui.sentences.calibrate import numbers, sentence
from aisim_ui.sentences.compute_fit import sentence as compute_sentence
from aisim_ui.state import state
from aisim_ui.words import escape_markdown

require_app()

answer = st.container()
measurements()
if (rows := given()) is None:
    draw_answer(
        "Give measured transfers, or runs of a benchmark: your link and your passes come out.", answer
    )
    st.stop()
if is_benchmark(rows.source):
    scenario = state().scenario
    try:
        found = compute.fitted(rows.source, scenario.workload, scenario.selected)
    except InputError as error:
        draw_answer("These runs can't be fitted.", answer)
        answer.error(escape_markdown(str(error)), icon=":material/error:")
        st.stop()
    draw_answer(compute_sentence(found, scenario.selected.name), answer)
    compute.show(found)
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
