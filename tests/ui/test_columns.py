"""A table as plain columns: what a person is shown of it."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from aisim_ui.columns import arrow

CELLS = {
    "flag": st.booleans(),
    "text": st.text(st.characters(exclude_categories=["Cs"])),
    "whole": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
}


@given(st.lists(st.fixed_dictionaries(CELLS), min_size=1))
def test_every_value_is_kept_as_it_is(rows: list[dict[str, object]]) -> None:
    columns = {name: [row[name] for row in rows] for name in CELLS}
    assert list(arrow(columns).to_pydict().items()) == list(columns.items())


def test_a_name_that_looks_like_a_date_or_a_number_stays_a_text() -> None:
    columns = {"deployment": ["2026-11-29", "2026-11-29T10:00:00Z", "1e3"]}
    assert arrow(columns).to_pydict() == columns


def test_what_is_not_known_is_an_empty_cell() -> None:
    found = arrow(
        {"ms": [1.5, math.nan, math.inf, None], "why": ["", None, "a", "b"], "none": [math.nan] * 4}
    )
    assert found.to_pydict() == {
        "ms": [1.5, None, None, None],
        "why": ["", None, "a", "b"],
        "none": [None] * 4,
    }
