"""Refusals read as sentences and survive the way through processes."""

from __future__ import annotations

import copy
from typing import Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from aisim_model.errors import InputError, sentences, shown
from aisim_model.scenario import Scenario


class Row(BaseModel):
    tokens: int = Field(ge=1)
    name: str


def test_a_refusal_says_field_value_problem_and_remedy() -> None:
    error = InputError("tokens", -3, "must be at least 1", "Enter more.")
    assert str(error) == "tokens = -3: must be at least 1. Enter more."
    assert str(InputError("tokens", -3, "must be at least 1")) == "tokens = -3: must be at least 1."


def test_a_refusal_comes_back_from_another_process_as_it_was() -> None:
    error = InputError("tokens", -3, "must be at least 1", "Enter more.")
    back = copy.copy(error)  # by `__reduce__`, as a pool of processes sends it
    assert (back.field, back.value, str(back)) == (error.field, error.value, str(error))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a\nb", r"'a\nb'"),
        ("x" * 100, "'" + "x" * 58 + "…"),
        (float("nan"), "nan"),
        pytest.param(10**5000, "a number of more than 4,300 digits", id="5,001 digits"),
        ("<b>", "'<b>'"),
    ],
)
def test_a_value_is_shown_on_one_short_line(value: object, expected: str) -> None:
    assert shown(value) == expected


def test_every_field_has_its_sentence() -> None:
    with pytest.raises(ValidationError) as refused:
        Row.model_validate({"tokens": 0})
    assert sentences(refused.value) == [
        "tokens = 0: must be at least 1.",
        "name = nothing given: is needed.",
    ]


def test_a_nested_field_is_named_by_its_way() -> None:
    with pytest.raises(ValidationError) as refused:
        Scenario.model_validate({"workload": {"prompt_tokens": 0}})
    assert sentences(refused.value)[0].startswith("workload.prompt_tokens = 0: ")


def test_a_refusal_of_ours_keeps_its_own_sentence() -> None:
    with pytest.raises(ValidationError) as refused:
        Scenario.model_validate({"selected_id": "gone"})
    assert sentences(refused.value)[0].startswith("selected_id = 'gone': must be one of the rows aggregated,")


def test_what_is_no_object_at_all_is_named_by_its_kind() -> None:
    with pytest.raises(ValidationError) as refused:
        Row.model_validate([])
    assert sentences(refused.value)[0].startswith("Row = []")


def test_what_is_allowed_is_said_in_plain_words() -> None:
    class Asked(BaseModel, extra="forbid"):
        kind: Literal["split", "aggregated"]
        tokens: int = Field(le=10_000_000)
        share: float = Field(gt=0, allow_inf_nan=False)
        name: str = Field(max_length=3)

    with pytest.raises(ValidationError) as refused:
        Asked.model_validate({"kind": "z", "tokens": 1e9, "share": "nan", "name": "four", "more": 1})
    assert sentences(refused.value) == [
        "kind = 'z': must be 'split' or 'aggregated'.",
        "tokens = 1000000000.0: must be at most 10,000,000.",
        "share = 'nan': must be a finite number.",
        "name = 'four': must have at most 3 characters.",
        "more = 1: is no known field.",
    ]
    with pytest.raises(ValidationError) as refused:
        Asked.model_validate({"kind": "split", "tokens": "1.5", "share": "x", "name": 3})
    assert sentences(refused.value) == [
        "tokens = '1.5': must be a whole number.",
        "share = 'x': must be a number.",
        "name = 3: must be text.",
    ]
