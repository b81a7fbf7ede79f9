"""The inputs of the Explore page: which fields, from where to where, and what is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from aisim_ui.explore.view import RANGES, Ends, follow, look, title, view
from aisim_ui.state import state
from aisim_ui.words import literal, percent

QUANTITIES = {"ttft_ms": "TTFT", "handoff_ms": "Handoff", "handoff_share": "Handoff's share of TTFT"}
COUNTS = (30, 60, 120, 240, 400)
SHARES = (0.01, 0.05, 0.1, 0.2, 0.5)
NONE = "nothing: curves"


def controls() -> None:
    """Draw the inputs, each with its sentence where it was refused."""
    now = view()
    across, up, shown = st.columns(3)
    with across:
        _field("x", "Across", [name for name in RANGES if name != now.y])
        _range(now.x)
    with up:
        _field("y", "Up", [NONE, *(name for name in RANGES if name != now.x)])
        if now.y is not None:
            _range(now.y)
    with shown:
        key = "explore.quantity"
        read = follow(key, now.quantity)
        st.selectbox(
            "Shown",
            list(QUANTITIES),
            key=key,
            format_func=QUANTITIES.__getitem__,
            on_change=lambda: look(key, "", quantity=read()),
        )
        left, right = st.columns(2)
        with left:
            _number("count", "Values of a field", COUNTS, str, "The CSV has every point, the picture a part.")
        with right:
            text = "Where the handoff is this share of TTFT, the picture has a line."
            _number("share", "Line at a share", SHARES, percent, text)


def _field(which: str, label: str, options: list[str]) -> None:
    key = f"explore.{which}"
    read = follow(key, getattr(view(), which) or NONE)

    def picked() -> None:
        chosen = read()
        look(key, str(chosen), **{which: None if chosen == NONE else chosen})

    st.selectbox(
        label,
        options,
        key=key,
        format_func=lambda name: name if name == NONE else title(name),
        on_change=picked,
        help="A field of the workload, or of every deployment.",
    )
    _problem(key)


def _range(name: str) -> None:
    ends = view().ends(name)
    boxes = st.columns([2, 2, 3], vertical_alignment="bottom")
    for box, part, label in zip(boxes, Ends._fields, ("From", "To", "Scale"), strict=True):
        key = f"explore.{name}.{part}"
        problem = state().problems.get(key)
        read = follow(key, problem.text if problem else getattr(ends, part))
        with box:
            if part == "scale":
                st.selectbox(
                    label,
                    ["log", "lin"],
                    key=key,
                    format_func={"log": "log", "lin": "linear"}.__getitem__,
                    on_change=_typed(name, part, key, read),
                )
            else:
                st.text_input(label, key=key, on_change=_typed(name, part, key, read))
    for part in Ends._fields:
        _problem(f"explore.{name}.{part}")


def _typed(name: str, part: str, key: str, read: Callable[[], object]) -> Callable[[], None]:
    def typed() -> None:
        text = str(read()).strip()
        value = text if part == "scale" else text.replace(",", "").replace(" ", "")
        now = view()
        look(key, text, ranges={**now.ranges, name: now.ends(name)._replace(**{part: value})})

    return typed


def _number(which: str, label: str, options: Sequence[Any], name: Callable[[Any], str], text: str) -> None:
    key = f"explore.{which}"
    read = follow(key, getattr(view(), which))
    st.selectbox(
        label,
        options,
        key=key,
        format_func=name,
        on_change=lambda: look(key, str(read()), **{which: read()}),
        help=text,
    )
    _problem(key)


def _problem(key: str) -> None:
    if problem := state().problems.get(key):
        st.error(literal(problem.sentence), icon=":material/error:")
