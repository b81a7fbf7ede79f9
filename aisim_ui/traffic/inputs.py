"""The Traffic page's inputs: where requests come from, how much of them, and how they are replayed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from aisim_model.scenario.traffic import MOST_ROWS, SyntheticRule
from aisim_model.traces import EXAMPLES
from aisim_ui.inputs import choice, follow, number, report, toggle
from aisim_ui.place import Place
from aisim_ui.state import state
from aisim_ui.traffic.file import file_inputs
from aisim_ui.traffic.visit import chosen_rows

SPOT = "traffic"
SOURCES = {"example": "Example", "file": "Your file", "synthetic": "Made by rule"}
ARRIVALS = {"poisson": "independent (Poisson)", "constant": "evenly spaced", "bursty": "in bursts (gamma)"}
LENGTHS = {"fixed": "all alike", "lognormal": "with a long tail", "trace": "as in an example"}
LEVELS = {"engine": "engine: batches, as engines run", "fifo": "fifo: one prompt a pass"}
CONTENTION = {"fair": "share it (fair)", "fifo": "take turns (fifo)", "none": "no contention"}
SCALES = ("rate_factor", "concurrency", "window_start_s", "window_end_s")
SCOPES = {"source": "a prefill worker's", "destination": "a decode worker's", "shared": "one for all"}


def _traffic(name: str) -> Place:
    return Place(f"traffic.{name}")


def _rule_of(name: str) -> Place:
    return Place(f"traffic.synthetic.{name}")


def source_inputs() -> None:
    """Draw where requests come from."""
    traffic = state().scenario.traffic
    choice(_traffic("source"), SPOT, SOURCES, "Requests from", segments=True)
    if traffic.source == "example":
        _example("Example")
    elif traffic.source == "file":
        file_inputs()
    else:
        _rule(traffic.synthetic)


def _example(label: str) -> None:
    names = {example.id: example.label for example in EXAMPLES}
    choice(_traffic("example_id"), SPOT, names, label)
    chosen = next((one for one in EXAMPLES if one.id == state().scenario.traffic.example_id), None)
    if chosen is not None:
        st.caption(f"{chosen.caution} [{chosen.licence}]({chosen.source})")


def _rule(now: SyntheticRule) -> None:
    _numbers("requests", "requests_per_s", "seed")
    left, right = st.columns(2)
    with left:
        choice(_rule_of("arrivals"), SPOT, ARRIVALS)
    if now.arrivals == "bursty":
        with right:
            number(_rule_of("gap_variation"), SPOT)
    for kind, lengths in (("prompt", now.prompt_length), ("answer", now.answer_length)):
        columns = st.columns(3)
        with columns[0]:
            choice(_rule_of(f"{kind}_length"), SPOT, LENGTHS)
        if lengths != "trace":
            with columns[1]:
                label = "Median [tokens]" if lengths == "lognormal" else "Length [tokens]"
                number(_rule_of(f"{kind}_tokens"), SPOT, label)
        if lengths == "lognormal":
            with columns[2]:
                number(_rule_of(f"{kind}_sigma"), SPOT, "Spread (sigma)")
    if now.draws:
        _example("Lengths as in")
    columns = st.columns(3)
    with columns[0]:
        number(_rule_of("prefix_groups"), SPOT)
    if now.prefix_groups:
        with columns[1]:
            number(_rule_of("prefix_tokens"), SPOT)
        with columns[2]:
            number(_rule_of("prefix_share"), SPOT)


def _numbers(*names: str) -> None:
    for column, name in zip(st.columns(len(names)), names, strict=True):
        with column:
            number(_rule_of(name), SPOT)


def scale_inputs() -> None:
    """Draw how much faster requests arrive or how many are in flight, and from when to when they count."""
    for column, name in zip(st.columns(4), SCALES, strict=True):
        with column:
            number(_traffic(name), SPOT, empty="as they arrive" if name == "concurrency" else "the end")


def row_inputs() -> None:
    """Draw which deployments are replayed."""
    scenario = state().scenario
    names = {row.id: row.name for row in scenario.deployments}
    place, key = _traffic("deployment_ids"), f"{SPOT}.rows"
    follow(key, [row.id for row in chosen_rows(scenario)])
    st.multiselect(
        "Deployments",
        list(names),
        key=key,
        format_func=lambda row_id: names.get(row_id, row_id),
        max_selections=MOST_ROWS,
        wrap=True,
        on_change=report,
        args=(place, key, lambda now, ids: place.put(now, tuple(ids))),
        help=f"Rows of the Deployments page, at most {MOST_ROWS} at a time.",
    )


def replay_inputs() -> None:
    """Draw how they are replayed."""
    scenario = state().scenario
    choice(_traffic("level"), SPOT, LEVELS)
    left, right = st.columns(2)
    with left:
        choice(_traffic("contention"), SPOT, CONTENTION)
    if scenario.traffic.contention != "none":  # else a link is nobody's to share
        with right:
            choice(_traffic("scope"), SPOT, SCOPES)
    toggle(_traffic("prefix_caching"), SPOT)


def pick(label: str, options: Sequence[str], key: str) -> str:
    """Draw segments of what to look at, which is no part of the scenario; the first is the default."""
    st.session_state.setdefault(key, options[0])
    found = st.segmented_control(label, options, key=key, label_visibility="collapsed", required=True)
    return found or options[0]
