"""The one state of a visit: a scenario, what to undo, what was refused, and the link that was opened.

Everything that changes a scenario goes through `attempt`: a value that is refused leaves the last good result
in place, its text in its box and a sentence beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st
from pydantic import ValidationError

from aisim_model.errors import InputError, sentences
from aisim_model.scenario import Scenario
from aisim_ui import share
from aisim_ui.report import Part

KEY = "aisim"
MAX_UNDO = 50


@dataclass(frozen=True)
class Problem:
    """What was typed and refused, and why."""

    text: str
    sentence: str


@dataclass(frozen=True)
class OwnConfig:
    """The files of one's own model, kept for this visit so that a choice can be changed after the upload."""

    name: str
    content: bytes
    quant: bytes | None = None
    mtp_layers: bool = False


@dataclass(frozen=True)
class GivenMeasurements:
    """Measured transfers as they were given, and what their file doesn't say."""

    source: bytes = b""
    kv_bytes_per_token: float | None = None
    tensor_parallel: int | None = None
    lanes: float = 1.0


@dataclass(frozen=True)
class Report:
    """A value that a bound widget reports: which widget and field, its text, and the change it asks for."""

    widget: str
    field: str
    text: str
    change: Callable[[Scenario], Scenario]


@dataclass
class State:
    """What one visit holds."""

    scenario: Scenario = field(default_factory=Scenario)
    undo: list[Scenario] = field(default_factory=list)
    problems: dict[str, Problem] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    opened: Scenario | None = None
    picture: str = "png"
    pushed: set[str] = field(default_factory=set)
    reported: list[Report] = field(default_factory=list)
    shown: dict[str, Part] = field(default_factory=dict)
    own_config: OwnConfig | None = None
    measurements: GivenMeasurements = GivenMeasurements()
    of_handoff: bool = False


def state() -> State:
    """Return this visit's state; the first time, as the URL has it."""
    if KEY not in st.session_state:
        st.session_state[KEY] = _from_url()
    found: State = st.session_state[KEY]
    return found


def _from_url() -> State:
    parameters = st.query_params.to_dict()
    scenario, said = share.read(parameters)
    of_handoff = share.of_handoff(parameters)
    return State(scenario=scenario or Scenario(), said=said, opened=scenario, of_handoff=of_handoff)


def replace(scenario: Scenario) -> None:
    """Take another scenario as a whole; what was refused is forgotten, what was there can be undone."""
    now = state()
    if scenario != now.scenario:
        now.undo = [*now.undo[-MAX_UNDO:], now.scenario]
        now.scenario = scenario
    now.problems.clear()


def undo() -> None:
    """Go back to the scenario before the last change."""
    now = state()
    if now.undo:
        now.scenario = now.undo.pop()
        now.problems.clear()


def attempt(key: str, text: str, change: Callable[[Scenario], Scenario]) -> None:
    """Change the scenario, or keep it and say under `key` why not."""
    now = state()
    try:
        changed = change(now.scenario)
    except InputError as error:
        now.problems[key] = Problem(text, str(error))
    except ValidationError as error:
        now.problems[key] = Problem(text, " ".join(sentences(error)))
    else:
        now.problems.pop(key, None)
        if changed != now.scenario:
            now.undo = [*now.undo[-MAX_UNDO:], now.scenario]
            now.scenario = changed


def apply_widget_reports() -> None:
    """Take in what bound widgets reported, before anything is drawn.

    Two widgets of one field follow each other. When a slider moves again before the box has heard of its
    value, the box still reports the old one, which looks like a change. So a widget that was set by us and
    reports together with another one of its field that wasn't is an echo, and doesn't count.
    """
    now = state()
    moved = {report.field for report in now.reported if report.widget not in now.pushed}
    for report in now.reported:
        if report.widget not in now.pushed or report.field not in moved:
            attempt(report.field, report.text, report.change)
            now.pushed.discard(report.widget)
    now.reported.clear()


def select(row_id: str) -> None:
    """Select a row, on every page."""
    attempt("selected_id", row_id, lambda scenario: scenario.changed(selected_id=row_id))
