"""Widgets bound to a field of the scenario: a number box, a slider on a log scale beside it, a choice.

A box is text, so that whatever is typed (nothing, NaN, 1e400, 1.5 tokens) is kept and answered in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from aisim_model.scenario import Deployment
from aisim_ui.fields import Field, field, plain, steps
from aisim_ui.state import Place, Report, attempt, select, state
from aisim_ui.words import escape_markdown


def _follow(key: str, value: object) -> None:
    """Let a widget show a value, without touching it where it shows that already."""
    if key not in st.session_state:
        st.session_state[key] = value
    elif st.session_state[key] != value:
        st.session_state[key] = value
        state().pushed.add(key)


def shown_number(value: object) -> str:
    """Write a number as it stands in a box."""
    if value is None:
        return ""
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:,.10g}"
        if isinstance(value, float)
        else str(value)
    )


def number(
    place: Place, spot: str, label: str | None = None, empty: str = "", collapsed: bool = False
) -> None:
    """Draw a number box for a field.

    Parameters
    ----------
    place : Place
        The field.
    spot : str
        Where on the page, so that a field may stand in two.
    label : str, optional
        Another label than the field's own.
    empty : str
        What an empty box means, shown in it in grey.
    collapsed : bool
        Whether the label is for screen readers only.
    """
    spec, key = field(place.model, place.name), f"{spot}.box.{place.key}"
    now = state()
    problem = now.problems.get(place.key)
    _follow(key, problem.text if problem else shown_number(place.value(now.scenario)))
    st.text_input(
        label or spec.titled,
        key=key,
        help=f"{spec.help} Allowed: {spec.allowed}.",
        placeholder=empty,
        label_visibility="collapsed" if collapsed else "visible",
        on_change=_typed,
        args=(place, key, spec),
    )
    if problem:
        st.error(escape_markdown(problem.sentence), icon=":material/error:")


def _typed(place: Place, key: str, spec: Field) -> None:
    text = st.session_state[key]
    state().reported.append(Report(key, place.key, text, lambda now: place.put(now, spec.parse(text))))


def slider(
    place: Place, spot: str, low: float, high: float, current: float, label: str | None = None
) -> None:
    """Draw a slider of round steps over decades beside a field's box.

    Parameters
    ----------
    place : Place
        The field.
    spot : str
        Where on the page.
    low, high : float
        The slider's ends; the box takes the field's whole range.
    current : float
        What counts now, also where the field is left open.
    label : str, optional
        Another label than the field's own.
    """
    spec, key = field(place.model, place.name), f"{spot}.slide.{place.key}"
    # a value between two steps keeps its own step until another is typed: no jump under the hand
    extra = f"{key}.own"
    grid = steps(low, high, spec.whole)
    own = st.session_state.get(extra)
    if current not in grid and current != own:
        own = st.session_state[extra] = current
    options = sorted({*grid, own} if own is not None else grid)
    _follow(key, current)
    st.select_slider(
        label or spec.titled,
        options=options,
        key=key,
        format_func=plain,
        help=f"{spec.help} Steps over decades; type any value in the box.",
        on_change=_slid,
        args=(place, key),
    )


def _slid(place: Place, key: str) -> None:
    value = st.session_state[key]
    text = shown_number(value)
    state().reported.append(Report(key, place.key, text, lambda now: place.put(now, value)))


def choice(
    place: Place, spot: str, options: Sequence[Any], names: Mapping[Any, str], label: str | None = None
) -> None:
    """Draw a choice among few values."""
    spec, key = field(place.model, place.name), f"{spot}.pick.{place.key}"
    _follow(key, place.value(state().scenario))
    st.selectbox(
        label or spec.label,
        options,
        key=key,
        format_func=lambda option: names.get(option, str(option)),
        help=spec.help,
        on_change=_picked,
        args=(place, key),
    )


def _picked(place: Place, key: str) -> None:
    value = st.session_state[key]
    state().reported.append(Report(key, place.key, str(value), lambda now: place.put(now, value)))


def take_back(place: Place, spot: str, text: str) -> None:
    """Draw a button that leaves an optional field open again."""
    st.button(
        text,
        key=f"{spot}.back.{place.key}",
        icon=":material/undo:",
        on_click=attempt,
        args=(place.key, "", lambda scenario: place.put(scenario, None)),
    )


def pick_row(
    rows: Iterable[Deployment],
    key: str,
    label: str,
    current: str,
    help_text: str,
    picked: Callable[[str], None] = select,
) -> None:
    """Draw a choice among deployment rows, which follows what is current.

    Parameters
    ----------
    rows : iterable of Deployment
        What may be chosen.
    key, label, help_text : str
        Of the widget.
    current : str
        Id of the row that counts now.
    picked : callable, optional
        What a choice does with the row's id; it is selected on every page where left out.
    """
    names = {row.id: row.name for row in rows}
    if st.session_state.get(key) != current:
        st.session_state[key] = current
    st.selectbox(
        label,
        list(names),
        key=key,
        format_func=lambda row_id: names.get(row_id, row_id),
        on_change=lambda: picked(st.session_state[key]),
        help=help_text,
    )
