"""The parameters of one's own model, asked for where its config.json doesn't say them."""

from __future__ import annotations

import math

import streamlit as st

from aisim_model.errors import InputError
from aisim_model.models.spec import ModelSpec
from aisim_model.scenario import Scenario
from aisim_ui.inputs import refusal
from aisim_ui.state import attempt, state
from aisim_ui.words import escape_markdown

PROBLEM = "own model's parameters"
YOURS = "yours"  # where parameters are from
BILLION = 10**9
LEAST_BILLIONS, MOST_BILLIONS = 1e-6, 100_000.0


def parameters(spot: str) -> None:
    """Draw what a config doesn't say and a roofline needs: the model's parameters."""
    spec = state().scenario.workload.model
    if spec is None or (spec.total_parameters is not None and spec.parameters_from != YOURS):
        return
    if spec.total_parameters is None:
        st.warning(
            f"How many parameters has {escape_markdown(spec.name)}? {escape_markdown(spec.parameters_from)} "
            "Until they are known no roofline can time it.",
            icon=":material/help:",
        )
    keys = f"{spot}.parameters.total", f"{spot}.parameters.active"
    shown = spec.total_parameters, spec.active_parameters
    labels = "Parameters [billions]", "Of them active per token [billions]"
    problem = state().problems.get(PROBLEM)
    for column, key, label, count in zip(st.columns(2), keys, labels, shown, strict=True):
        if key not in st.session_state or not problem:
            st.session_state[key] = "" if count is None else f"{count / BILLION:.12g}"
        column.text_input(
            label,
            key=key,
            on_change=_counted,
            args=keys,
            placeholder="all of them, unless it is a mixture of experts"
            if key == keys[1]
            else "such as 8.03",
        )
    refusal(PROBLEM)


def _counted(total_key: str, active_key: str) -> None:
    total, active = st.session_state[total_key], st.session_state[active_key]

    def change(scenario: Scenario) -> Scenario:
        spec = scenario.workload.model
        assert spec is not None  # the boxes stand beside one's own model only
        return scenario.with_workload(model=with_parameters(spec, total, active))

    attempt(PROBLEM, total, change)


def with_parameters(spec: ModelSpec, total: str, active: str) -> ModelSpec:
    """Return a model with its parameters as a person typed them, in billions; all are active where not said.

    Raises
    ------
    InputError
        For what is no number of parameters, or more active ones than there are.
    """
    every = _billions("parameters", total)
    used = _billions("active parameters", active) if active.strip() else every
    if used > every:
        problem = f"is more than the {every / BILLION:g} billion that there are"
        raise InputError("active parameters", active, problem, "Enter at most as many.")
    return spec.model_copy(
        update={"total_parameters": every, "active_parameters": used, "parameters_from": YOURS}
    )


def _billions(what: str, text: str) -> int:
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        value = math.nan
    if not LEAST_BILLIONS <= value <= MOST_BILLIONS:
        problem = f"must be a number of billions from {LEAST_BILLIONS:g} to {MOST_BILLIONS:,.0f}"
        raise InputError(what, text, problem, "The model's card names it.")
    return round(value * BILLION)
