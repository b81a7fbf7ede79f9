"""Measured tables of prompts: read between rows, said where extrapolated, passes that add up to them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.errors import InputError
from aisim_model.passes import PassTime, fixed, table
from aisim_model.passes.measured_table import checked_table, outside_table
from aisim_model.passes.work import prompt_work

ROWS = ((2048.0, 85.0), (4096.0, 125.0), (8192.0, 212.0))
MEASURED = PassTime(table(ROWS), fixed(1.0))


def test_a_table_is_read_between_its_rows() -> None:
    # halfway from 2,048 to 4,096; the rows themselves
    assert MEASURED.pass_ms(3072.0) == pytest.approx(105.0)
    assert [MEASURED.pass_ms(tokens) for tokens, _ in ROWS] == [85.0, 125.0, 212.0]


@pytest.mark.parametrize("tokens", [1.0, 2047.0, 8193.0, 1e6])
def test_outside_its_rows_the_nearest_line_is_extrapolated(tokens: float) -> None:
    assert outside_table(tokens, [row[0] for row in ROWS]) is True
    # 8,193: 212 + 87 / 4,096 of the last line; 1: 85 - 40 / 2,048 x 2,047 of the first
    by_hand = 212 + (tokens - 8192) * 87 / 4096 if tokens > 8192 else 85 - (2048 - tokens) * 40 / 2048
    assert MEASURED.pass_ms(tokens) == pytest.approx(by_hand)


def test_an_extrapolated_time_never_goes_below_0() -> None:
    assert PassTime(table(((1000.0, 10.0), (2000.0, 100.0))), fixed(1.0)).pass_ms(1.0) == 0.0


@given(tokens=st.integers(1, 100_000), budget=st.integers(256, 16_384))
def test_the_passes_of_a_prompt_add_up_to_what_was_measured_whole(tokens: int, budget: int) -> None:
    spent, done = 0.0, 0
    while done < tokens:
        new = min(budget, tokens - done)
        spent += MEASURED.work_ms(prompt_work(float(new), float(done), float(done)))
        done += new
    assert spent == pytest.approx(MEASURED.pass_ms(float(tokens)))
    assert MEASURED.prompt_ms(float(tokens), 0.0, float(budget)) == pytest.approx(spent)


@pytest.mark.parametrize(
    ("tokens", "times", "says"),
    [
        ([128], [1.0], "two rows"),
        ([128, 256], [1.0], "two rows"),
        ([256, 128], [1.0, 2.0], "rise"),
        ([128, 128], [1.0, 2.0], "rise"),
        ([-1, 128], [1.0, 2.0], "rise"),
        ([128, float("nan")], [1.0, 2.0], "rise"),
        ([128, 256], [1.0, 0.0], "above 0"),
        ([128, 256], [1.0, float("inf")], "above 0"),
    ],
)
def test_a_table_that_is_none_is_refused(tokens: list[float], times: list[float], says: str) -> None:
    with pytest.raises(InputError, match=says):
        checked_table(tokens, times)
