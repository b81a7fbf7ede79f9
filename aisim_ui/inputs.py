"""Widgets bound to a place in the scenario: a number box, a slider beside it, a choice, a switch.

Each takes its label, help, range and options from the field. A box is text, so that whatever is typed
(nothing, NaN, 1e400, 1.5 tokens) is kept and answered in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.logged_pool import logged_tokens
from aisim_ui.fields import Field, steps
from aisim_ui.place import Place
from aisim_ui.state import Report, attempt, state
from aisim_ui.words import escape_markdown, written

OPEN = "(open)"  # in a choice, what stands for a field left open
Put = Callable[[Scenario, Any], Scenario]


def follow(key: str, value: object) -> None:
    """Let a widget show a value, without touching it where it shows that already."""
    if key not in st.session_state:
        st.session_state[key] = value
    elif st.session_state[key] != value:
        st.session_state[key] = value
        state().pushed.add(key)


def report(place: Place, key: str, put: Put | None = None) -> None:
    """Report what a widget shows now; before anything is drawn it is taken, or refused in a sentence.

    Parameters
    ----------
    place : Place
        The field.
    key : str
        The widget.
    put : callable, optional
        What a value does to the scenario, where it isn't only put in its place.
    """
    value, change = st.session_state[key], put or place.put
    state().reported.append(Report(key, place.key, in_box(value), lambda now: change(now, value)))


def refusal(key: str) -> None:
    """Say why the last value of a place was refused."""
    if (problem := state().problems.get(key)) and problem.sentence:
        st.error(escape_markdown(problem.sentence), icon=":material/error:")


def in_box(value: object) -> str:
    """Write a value as it stands in a box."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


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
    spec, key, now = place.field, f"{spot}.box.{place.key}", state()
    problem = now.problems.get(place.key)
    follow(key, problem.text if problem else in_box(place.value(now.scenario)))
    st.text_input(
        label or spec.titled,
        key=key,
        help=f"{spec.help} Allowed: {spec.allowed}.",
        placeholder=empty,
        label_visibility="collapsed" if collapsed else "visible",
        on_change=report,
        args=(place, key, lambda scenario, text: place.put(scenario, _typed(spec, text))),
    )
    refusal(place.key)


def _typed(spec: Field, text: str) -> int | float | None:
    """Return what was typed into a box; a KV pool may be a line of an engine's log."""
    logged = logged_tokens(text) if spec.name.endswith("pool_tokens") else None
    return spec.parse(text) if logged is None else spec.checked(logged, text)


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
    spec, key = place.field, f"{spot}.slide.{place.key}"
    # a value between two steps keeps its own step until another is typed: no jump under the hand
    extra = f"{key}.own"
    grid = steps(low, high, spec.whole)
    own = st.session_state.get(extra)
    if current not in grid and current != own:
        own = st.session_state[extra] = current
    options = sorted({*grid, own} if own is not None else grid)
    follow(key, current)
    st.select_slider(
        label or spec.titled,
        options=options,
        key=key,
        format_func=written,
        help=f"{spec.help} Steps over decades; type any value in the box.",
        on_change=report,
        args=(place, key),
    )


def choice(
    place: Place,
    spot: str,
    names: Mapping[Any, str] | Sequence[Any] | None = None,
    label: str | None = None,
    open_as: str | None = None,
    put: Put | None = None,
    help_text: str | None = None,
    current: Any = None,
    segments: bool = False,
    typed: bool = False,
) -> None:
    """Draw a choice among few values.

    Parameters
    ----------
    place : Place
        The field.
    spot : str
        Where on the page.
    names : mapping or sequence, optional
        What may be chosen, and how each is called; the field's own options where left out.
    label, help_text : str, optional
        Others than the field's own.
    open_as : str, optional
        What a field left open is called, where that may be chosen.
    put : callable, optional
        What a choice does to the scenario, where it isn't only put in its place.
    current : optional
        What counts now, where that isn't the field's value.
    segments : bool
        Whether all choices are seen side by side.
    typed : bool
        Whether another value may be typed; the field checks it.
    """
    spec, key = place.field, f"{spot}.pick.{place.key}"
    offered = spec.options if names is None else names
    called = dict(offered) if isinstance(offered, Mapping) else {option: str(option) for option in offered}
    if open_as is not None:
        called = {OPEN: open_as, **called}
    value = place.value(state().scenario) if current is None else current
    follow(key, OPEN if value is None and open_as is not None else value)

    def chosen(scenario: Scenario, option: Any) -> Scenario:
        return (put or place.put)(scenario, None if option == OPEN else option)

    options: dict[str, Any] = {
        "label": label or spec.label,
        "options": list(called),
        "key": key,
        "format_func": lambda option: called.get(option, str(option)),
        "help": spec.help if help_text is None else help_text,
        "on_change": report,
        "args": (place, key, chosen),
    }
    if segments:
        st.segmented_control(**options, required=True)
    else:
        st.selectbox(**options, accept_new_options=typed)
    refusal(place.key)


def toggle(place: Place, spot: str, put: Put | None = None) -> None:
    """Draw a switch for a field that is on or off."""
    spec, key = place.field, f"{spot}.switch.{place.key}"
    follow(key, place.value(state().scenario))
    st.toggle(spec.label, key=key, help=spec.help, on_change=report, args=(place, key, put))


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
    spot: str,
    label: str,
    help_text: str,
    rows: Sequence[Deployment] | None = None,
    current: str | None = None,
    to: str = "selected_id",
) -> None:
    """Draw a choice among deployment rows.

    Parameters
    ----------
    spot, label, help_text : str
        Where it is, and what it says.
    rows : sequence of Deployment, optional
        Which may be chosen; all where left out.
    current : str, optional
        Id of the row that counts now, where it isn't the chosen one.
    to : str
        Which of the scenario's own fields it chooses.
    """
    names = {row.id: row.name for row in rows or state().scenario.deployments}
    choice(Place(to), spot, names, label, help_text=help_text, current=current)
