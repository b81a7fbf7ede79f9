"""The Traffic page's inputs: where requests come from, how much of them, and how they are replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from pydantic import BaseModel

from aisim_model.scenario import Scenario
from aisim_model.scenario.traffic import MOST_ROWS, SyntheticRule, Traffic
from aisim_model.traces import EXAMPLES
from aisim_ui.inputs import choice, number
from aisim_ui.state import Place, attempt, state
from aisim_ui.traffic.file import file_inputs
from aisim_ui.traffic.visit import chosen_rows

SPOT = "traffic"
SOURCES = {"example": "Example", "file": "Your file", "synthetic": "Made by rule"}
ARRIVALS = {"poisson": "independent (Poisson)", "constant": "evenly spaced", "bursty": "in bursts (gamma)"}
LENGTHS = {"fixed": "all alike", "lognormal": "with a long tail", "trace": "as in an example"}
LEVELS = {"engine": "engine: batches, as engines run", "fifo": "fifo: one prompt a pass"}
CONTENTION = {"fair": "share it (fair)", "fifo": "take turns (fifo)", "none": "no contention"}
SCOPES = {"source": "a prefill worker's", "destination": "a decode worker's", "shared": "one for all"}


@dataclass(frozen=True)
class TrafficPlace(Place):
    """A field of the scenario's traffic, or of its synthetic rule."""

    part: str = ""

    @property
    def key(self) -> str:
        """Text that names the place, for widgets."""
        return f"traffic.{self.part}{self.name}"

    @property
    def model(self) -> type[BaseModel]:
        """The part that has the field."""
        return SyntheticRule if self.part else Traffic

    def value(self, scenario: Scenario) -> object:
        """Return the field's value."""
        return getattr(scenario.traffic.synthetic if self.part else scenario.traffic, self.name)

    def put(self, scenario: Scenario, value: object) -> Scenario:
        """Return the scenario with another value of the field."""
        traffic = scenario.traffic
        changed = {self.name: value}
        if self.part:
            changed = {"synthetic": traffic.synthetic.changed(**changed)}
        return scenario.changed(traffic=traffic.changed(**changed))


def rule(name: str) -> TrafficPlace:
    """Name a field of the synthetic rule."""
    return TrafficPlace(name, part="rule.")


def source_inputs() -> None:
    """Draw where requests come from."""
    traffic = state().scenario.traffic
    _segments(TrafficPlace("source"), SOURCES, "Requests from")
    if traffic.source == "example":
        _example("Example")
    elif traffic.source == "file":
        file_inputs()
    else:
        _rule(traffic.synthetic)


def _example(label: str) -> None:
    names = {example.id: example.label for example in EXAMPLES}
    choice(TrafficPlace("example_id"), SPOT, list(names), names, label)
    chosen = next((one for one in EXAMPLES if one.id == state().scenario.traffic.example_id), None)
    if chosen is not None:
        st.caption(f"{chosen.caution} [{chosen.licence}]({chosen.source})")


def _rule(now: SyntheticRule) -> None:
    _numbers("requests", "requests_per_s", "seed")
    left, right = st.columns(2)
    with left:
        choice(rule("arrivals"), SPOT, list(ARRIVALS), ARRIVALS)
    if now.arrivals == "bursty":
        with right:
            number(rule("gap_variation"), SPOT)
    for kind, lengths in (("prompt", now.prompt_length), ("answer", now.answer_length)):
        columns = st.columns(3)
        with columns[0]:
            choice(rule(f"{kind}_length"), SPOT, list(LENGTHS), LENGTHS)
        if lengths != "trace":
            with columns[1]:
                label = "Median [tokens]" if lengths == "lognormal" else "Length [tokens]"
                number(rule(f"{kind}_tokens"), SPOT, label)
        if lengths == "lognormal":
            with columns[2]:
                number(rule(f"{kind}_sigma"), SPOT, "Spread (sigma)")
    if now.draws:
        _example("Lengths as in")
    columns = st.columns(3)
    with columns[0]:
        number(rule("prefix_groups"), SPOT)
    if now.prefix_groups:
        with columns[1]:
            number(rule("prefix_tokens"), SPOT)
        with columns[2]:
            number(rule("prefix_share"), SPOT)


def _numbers(*names: str) -> None:
    for column, name in zip(st.columns(len(names)), names, strict=True):
        with column:
            number(rule(name), SPOT)


def scale_inputs() -> None:
    """Draw how much faster requests arrive, and from when to when they count."""
    for column, name in zip(st.columns(3), ("rate_factor", "window_start_s", "window_end_s"), strict=True):
        with column:
            number(TrafficPlace(name), SPOT, empty="the end")


def row_inputs() -> None:
    """Draw which deployments are replayed."""
    scenario = state().scenario
    names = {row.id: row.name for row in scenario.deployments}
    key, current = f"{SPOT}.rows", [row.id for row in chosen_rows(scenario)]
    if st.session_state.get(key) != current:
        st.session_state[key] = current
    st.multiselect(
        "Deployments",
        list(names),
        key=key,
        format_func=lambda row_id: names.get(row_id, row_id),
        max_selections=MOST_ROWS,
        wrap=True,
        on_change=_rows_chosen,
        args=(key,),
        help=f"Rows of the Deployments page, at most {MOST_ROWS} at a time.",
    )


def replay_inputs() -> None:
    """Draw how they are replayed."""
    scenario = state().scenario
    choice(TrafficPlace("level"), SPOT, list(LEVELS), LEVELS)
    left, right = st.columns(2)
    with left:
        choice(TrafficPlace("contention"), SPOT, list(CONTENTION), CONTENTION)
    if scenario.traffic.contention != "none":  # else a link is nobody's to share
        with right:
            choice(TrafficPlace("scope"), SPOT, list(SCOPES), SCOPES)
    place, caching = TrafficPlace("prefix_caching"), f"{SPOT}.caching"
    if st.session_state.get(caching) != scenario.traffic.prefix_caching:
        st.session_state[caching] = scenario.traffic.prefix_caching
    st.toggle(
        "Prefix caching",
        key=caching,
        help="Workers reuse blocks of prompts that they have seen. Field `prefix_caching`.",
        on_change=_put,
        args=(place, caching),
    )


def _rows_chosen(key: str) -> None:
    ids = tuple(st.session_state[key])
    place = TrafficPlace("deployment_ids")
    attempt(place.key, ", ".join(ids), lambda scenario: place.put(scenario, ids))


def _segments(place: TrafficPlace, names: dict[str, str], label: str) -> None:
    key, current = f"{SPOT}.segments.{place.key}", place.value(state().scenario)
    if st.session_state.get(key) != current:
        st.session_state[key] = current
    st.segmented_control(
        label,
        list(names),
        key=key,
        format_func=names.__getitem__,
        required=True,
        on_change=_put,
        args=(place, key),
    )


def _put(place: TrafficPlace, key: str) -> None:
    value: Any = st.session_state[key]
    attempt(place.key, str(value), lambda scenario: place.put(scenario, value))


def pick(label: str, options: Sequence[str], key: str) -> str:
    """Draw segments of what to look at, which is no part of the scenario; the first is the default."""
    st.session_state.setdefault(key, options[0])
    found = st.segmented_control(label, options, key=key, label_visibility="collapsed", required=True)
    return found or options[0]
