"""What is done to whole rows: add, duplicate, reorder, remove, select, compare to one."""

from __future__ import annotations

import streamlit as st

from aisim_model.scenario import Scenario
from aisim_model.scenario.presets import ROWS, added, appended
from aisim_ui.inputs import pick_row, refusal
from aisim_ui.state import attempt
from aisim_ui.words import escape_markdown

SPOT, ADD = "rows", "rows.add"


def row_choices() -> None:
    """Draw what to add, which row is selected, and which one the others are compared to."""
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    left.selectbox(
        "Add a deployment",
        list(ROWS),
        index=None,
        placeholder="from presets",
        key=ADD,
        on_change=_add,
        help="A row at the end, selected; every cell of it can be changed.",
    )
    with middle:
        pick_row(SPOT, "Selected row", "Or click its bar.")
    with right:
        pick_row(SPOT, "Compare to", "Differences are against this row.", to="baseline_id")
    refusal("deployments")


def _add() -> None:
    if name := st.session_state[ADD]:
        attempt("deployments", name, lambda scenario: added(scenario, name))
        st.session_state[ADD] = None


def row_buttons(scenario: Scenario) -> None:
    """Draw what can be done to the selected row."""
    name = escape_markdown(scenario.selected.name)
    ids = [row.id for row in scenario.deployments]
    place = ids.index(scenario.selected_id)
    with st.container(horizontal=True):
        for text, icon, done, help_text, off in (
            ("Duplicate", "content_copy", duplicated, f"A copy of {name}, selected.", False),
            ("Up", "arrow_upward", moved_up, f"Moves {name} up.", place == 0),
            ("Down", "arrow_downward", moved_down, f"Moves {name} down.", place == len(ids) - 1),
            (
                "Remove",
                "delete",
                without_selected,
                f"Takes {name} out; Undo brings it back.",
                len(ids) == 1,
            ),
        ):
            st.button(
                text,
                key=f"rows.{text.lower()}",
                icon=f":material/{icon}:",
                help=help_text,
                disabled=off,
                on_click=attempt,
                args=("deployments", text, done),
            )


def duplicated(scenario: Scenario) -> Scenario:
    """Return the scenario with a copy of its selected row at the end, selected."""
    return appended(scenario, scenario.selected)


def moved_up(scenario: Scenario) -> Scenario:
    """Return the scenario with its selected row one place earlier."""
    return _moved(scenario, -1)


def moved_down(scenario: Scenario) -> Scenario:
    """Return the scenario with its selected row one place later."""
    return _moved(scenario, 1)


def _moved(scenario: Scenario, by: int) -> Scenario:
    rows = list(scenario.deployments)
    place = next(index for index, row in enumerate(rows) if row.id == scenario.selected_id)
    rows.insert(max(place + by, 0), rows.pop(place))
    return scenario.changed(deployments=tuple(rows))


def without_selected(scenario: Scenario) -> Scenario:
    """Return the scenario without its selected row; the first one left is selected."""
    left = tuple(row for row in scenario.deployments if row.id != scenario.selected_id)
    baseline = scenario.baseline_id if scenario.baseline_id != scenario.selected_id else left[0].id
    return scenario.changed(deployments=left, selected_id=left[0].id, baseline_id=baseline)
