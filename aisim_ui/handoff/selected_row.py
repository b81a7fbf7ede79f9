"""The selected row's own inputs: which row, prompt, bytes per token, bandwidth, what is sent."""

from __future__ import annotations

import streamlit as st

from aisim_model.compare.outcome import Outcome
from aisim_model.scenario import Scenario
from aisim_ui.inputs import choice, number, pick_row, slider, take_back
from aisim_ui.modes import SENT
from aisim_ui.place import Place
from aisim_ui.sentences.rows import sends_nothing
from aisim_ui.state import state
from aisim_ui.words import bandwidth, milliseconds, size

MODES = {mode: f"Send: {name}" for mode, name in SENT.items()}
SPOT = "row"


def selected_row(scenario: Scenario, one: Outcome) -> None:
    """Draw the inputs of the selected row."""
    row = scenario.selected
    left, middle, right = st.columns(3)
    with left:
        pick_row(SPOT, "Selected row", "Or click its bar.")
        prompt = Place("workload.prompt_tokens")
        slider(prompt, SPOT, 16, 1_000_000, scenario.workload.prompt_tokens)
        number(prompt, SPOT, collapsed=True)
    if not row.split:
        middle.info("An aggregated row hands nothing over: choose a split row to change its link.")
        return
    with middle:
        choice(Place.of_row(row.id, "timing_mode"), SPOT, MODES)
        st.caption(f"`timing_mode: {row.timing_mode.value}` · {size(one.wire_bytes)} on the wire")
        place = Place.of_row(row.id, "kv_bytes_per_token")
        _by_hand(place, one.x.wire.per_token_bytes, 256, 4_000_000, "bytes per token")
    with right:
        _by_hand(Place.of_row(row.id, "bandwidth_gb_s"), one.x.bandwidth_gb_s, 0.1, 3_200, "bandwidth")
        if one.sends_nothing:
            st.warning(f"No delay: {sends_nothing(one)}.", icon=":material/block:")
        else:
            wire = milliseconds(one.transfer_ms, 5)
            st.caption(
                f"{bandwidth(float(one.x.bandwidth_gb_s))} for one handoff, in all: {wire} on the wire"
            )


def _by_hand(place: Place, current: float, low: float, high: float, what: str) -> None:
    """Draw a slider and a box for a number that the row may leave open, marked as yours where it doesn't."""
    yours = place.value(state().scenario) is not None
    slider(place, SPOT, low, high, current)
    number(place, SPOT, empty=f"{current:,.10g}", collapsed=True)
    if yours:
        st.markdown(f":violet-badge[yours] {what} by hand")
        take_back(place, SPOT, f"Take back {what}")
