"""The inputs of the Explore page: which fields, from where to where, and what is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from aisim_model.scenario.explore import AXIS_FIELDS, Ends
from aisim_ui.explore.view import exact, looked, typed_ends, view
from aisim_ui.fields import title
from aisim_ui.inputs import choice, follow, refusal
from aisim_ui.place import Place
from aisim_ui.sentences.explore import QUANTITIES
from aisim_ui.state import Problem, attempt, state
from aisim_ui.words import percent

SPOT = "explore"
COUNTS = (30, 60, 120, 240, 400)
SHARES = (0.01, 0.05, 0.1, 0.2, 0.5)
CURVES = "nothing: curves"
BOX_PX = 94  # three boxes side by side, on a phone too
WHOLE = 1e15  # floats below this have every whole number
SCALES = {"log": "log", "lin": "linear"}


def controls() -> None:
    """Draw the inputs, each with its sentence where it was refused."""
    now = view()
    across, up, what = st.columns(3)
    with across:
        _axis("x", but=now.y)
        _range(now.x)
    with up:
        _axis("y", but=now.x, open_as=CURVES)
        if now.y is not None:
            _range(now.y)
    with what:
        _choice("quantity", QUANTITIES)
        left, right = st.columns(2)
        with left:  # a link may bring another number than the usual ones
            _choice("count", {one: str(one) for one in sorted({*COUNTS, now.count})})
        with right:
            _choice("share", {one: percent(one) for one in sorted({*SHARES, now.share})})


def _choice(name: str, names: dict[Any, str], open_as: str | None = None) -> None:
    place = Place(f"explore.{name}")
    choice(place, SPOT, names, open_as=open_as, put=looked(place.put))


def _axis(name: str, but: str | None, open_as: str | None = None) -> None:
    _choice(name, {one: title(one) for one in AXIS_FIELDS if one != but}, open_as)


def _range(name: str) -> None:
    """Draw both ends of a field's range and its scale: three boxes, judged together."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        for part, label in zip(Ends._fields, ("From", "To", "Scale"), strict=True):
            key = _box(name, part)
            follow(key, _standing(name, part))
            bound = {"key": key, "on_change": _typed(name, part, key), "width": BOX_PX}
            if part == "scale":
                st.selectbox(label, list(SCALES), format_func=SCALES.__getitem__, **bound)
            else:
                st.text_input(label, **bound)
    for part in Ends._fields:
        refusal(_box(name, part))


def _box(name: str, part: str) -> str:
    return f"explore.{name}.{part}"


def _standing(name: str, part: str) -> str:
    """What stands in a box: what was typed and refused, else the value that is looked at."""
    if problem := state().problems.get(_box(name, part)):
        return problem.text
    value = getattr(view().ends(name), part)
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value.is_integer() and abs(value) < WHOLE else exact(value)


def _typed(name: str, part: str, key: str) -> Callable[[], None]:
    place = Place(f"explore.ranges.{name}")

    def typed() -> None:
        text = str(st.session_state[key]).strip()
        # boxes are judged together: to move a range one end is typed first, and refused on its own
        texts = {each: _standing(name, each) for each in Ends._fields} | {part: text}
        put = looked(lambda scenario, ends: place.put(scenario, typed_ends(name, **ends)))
        attempt(key, text, lambda scenario: put(scenario, texts))
        problems = state().problems
        for each in Ends._fields:
            other = None if each == part else problems.pop(_box(name, each), None)
            if other is not None and key in problems:
                problems[_box(name, each)] = Problem(other.text, "")

    return typed
