"""The inputs of the Explore page: which fields, from where to where, and what is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from aisim_model.scenario.explore import AXIS_FIELDS, Ends, Explore
from aisim_ui.explore.view import follow, look, plain, typed_ends, view
from aisim_ui.fields import title
from aisim_ui.sentences.explore import QUANTITIES
from aisim_ui.state import Problem, state
from aisim_ui.words import literal, percent

COUNTS = (30, 60, 120, 240, 400)
SHARES = (0.01, 0.05, 0.1, 0.2, 0.5)
NONE = "nothing: curves"
BOX_PX = 94  # three boxes side by side, on a phone too
WHOLE = 1e15  # floats below this have every whole number


def controls() -> None:
    """Draw the inputs, each with its sentence where it was refused."""
    now = view()
    across, up, shown = st.columns(3)
    with across:
        _field("x", "Across", [name for name in AXIS_FIELDS if name != now.y])
        _range(now.x)
    with up:
        _field("y", "Up", [NONE, *(name for name in AXIS_FIELDS if name != now.x)])
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
            on_change=lambda: look(key, "", lambda now: now.changed(quantity=read())),
        )
        left, right = st.columns(2)
        with left:
            _number("count", COUNTS, str)
        with right:
            _number("share", SHARES, percent)


def _field(which: str, label: str, options: list[str]) -> None:
    key = f"explore.{which}"
    read = follow(key, getattr(view(), which) or NONE)

    def picked() -> None:
        chosen = read()
        look(key, str(chosen), lambda now: now.changed(**{which: None if chosen == NONE else chosen}))

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
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        for part, label in zip(Ends._fields, ("From", "To", "Scale"), strict=True):
            key = _box(name, part)
            read = follow(key, _standing(name, part, ends))
            if part == "scale":
                st.selectbox(
                    label,
                    ["log", "lin"],
                    key=key,
                    format_func={"log": "log", "lin": "linear"}.__getitem__,
                    on_change=_typed(name, part, key, read),
                    width=BOX_PX,
                )
            else:
                st.text_input(label, key=key, on_change=_typed(name, part, key, read), width=BOX_PX)
    for part in Ends._fields:
        _problem(_box(name, part))


def _box(name: str, part: str) -> str:
    return f"explore.{name}.{part}"


def _standing(name: str, part: str, ends: Ends) -> str:
    """What stands in a box: what was typed and refused, else the value that is looked at."""
    problem = state().problems.get(_box(name, part))
    return problem.text if problem else _shown(ends, part)


def _shown(ends: Ends, part: str) -> str:
    value = getattr(ends, part)
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value.is_integer() and abs(value) < WHOLE else plain(value)


def _typed(name: str, part: str, key: str, read: Callable[[], object]) -> Callable[[], None]:
    def typed() -> None:
        text = str(read()).strip()
        # boxes are judged together: to move a range one end is typed first, and refused on its own
        texts = {each: _standing(name, each, view().ends(name)) for each in Ends._fields} | {part: text}

        def other(now: Explore) -> Explore:
            return now.changed(ranges=now.ranges.changed(**{name: typed_ends(name, **texts)}))

        look(key, text, other)
        refused = key in state().problems
        for each in Ends._fields:
            if each != part and (held := state().problems.pop(_box(name, each), None)) and refused:
                state().problems[_box(name, each)] = Problem(held.text, "")

    return typed


def _number(which: str, usual: Sequence[Any], name: Callable[[Any], str]) -> None:
    key, info = f"explore.{which}", Explore.model_fields[which]
    value = getattr(view(), which)
    read = follow(key, value)
    st.selectbox(
        str(info.title),
        sorted({*usual, value}),  # a link may bring another
        key=key,
        format_func=name,
        on_change=lambda: look(key, str(read()), lambda now: now.changed(**{which: read()})),
        help=info.description,
    )
    _problem(key)


def _problem(key: str) -> None:
    if (problem := state().problems.get(key)) and problem.sentence:
        st.error(literal(problem.sentence), icon=":material/error:")
