"""What is taken along: exact values, no formula, no NaN, the model's version."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model import MODEL_VERSION
from aisim_model.compare.table import compare, table
from aisim_model.scenario import Scenario
from aisim_ui.exports import csv_bytes, file_name, json_text, neutral


def read(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content))


def test_the_csv_is_the_table_to_the_last_bit() -> None:
    found = table(Scenario(), compare(Scenario()))
    back = read(csv_bytes(found))
    assert set(back.pop("model_version")) == {MODEL_VERSION}
    found = found.drop(columns=(empty := [name for name in found if (found[name] == "").all()]))
    assert back[empty].isna().all(axis=None)
    back = back.drop(columns=empty)
    pd.testing.assert_frame_equal(back, found, check_dtype=False, check_exact=True)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_that_a_spreadsheet_would_run_is_text(start: str) -> None:
    formula = f"{start}cmd|' /C calc'!A0"
    content = csv_bytes(pd.DataFrame({"name": [formula], start + "column": [1.5]}))
    back = pd.read_csv(io.BytesIO(content), dtype=str)
    assert back["name"].tolist() == [f"'{formula}".replace("\r", "\n")]
    assert back.columns[1] == f"'{start}column".replace("\r", "\n")


@pytest.mark.parametrize("start", [" =1+1", "\n=1+1", "\uff1d1+1"])
def test_a_formula_behind_a_blank_is_text_too(start: str) -> None:
    assert neutral(start).startswith("'")


def test_negative_numbers_stay_numbers() -> None:
    assert b"\n-1.5," in csv_bytes(pd.DataFrame({"difference_ms": [-1.5]}))


def test_words_stay_words_and_mixed_columns_are_neutralised_by_cell() -> None:
    found = pd.DataFrame({"mixed": [-1, "=1", None, True]}, dtype=object)
    assert csv_bytes(found).decode().splitlines()[1:] == [
        f"-1,{MODEL_VERSION}",
        f"'=1,{MODEL_VERSION}",
        f",{MODEL_VERSION}",
        f"True,{MODEL_VERSION}",
    ]


def test_categories_and_strings_of_pandas_are_neutralised() -> None:
    found = pd.DataFrame({"a": pd.Series(["=1"], dtype="string"), "b": pd.Categorical(["=2"])})
    assert b"'=1,'=2" in csv_bytes(found)


def test_rows_that_break_over_lines_come_back_as_one() -> None:
    found = pd.DataFrame({"name": ['a "quoted"\nname, with commas', "ü"]})
    assert read(csv_bytes(found))["name"].tolist() == found["name"].tolist()


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
        max_leaves=10,
    )
)
def test_json_never_has_nan(value: Any) -> None:
    json.loads(json_text(value), parse_constant=pytest.fail)


def test_numbers_of_numpy_are_numbers_in_json() -> None:
    values = {
        "a": np.float64(math.nan),
        "b": np.float64(1.5),
        "c": np.int64(3),
        "d": np.array([1.0, math.inf]),
    }
    assert json.loads(json_text(values)) == {"a": None, "b": 1.5, "c": 3, "d": [1.0, None]}


def test_files_are_named_by_title_and_version() -> None:
    assert (
        file_name("TTFT by part: one request", "csv")
        == f"aisim-ttft-by-part-one-request-v{MODEL_VERSION}.csv"
    )
    assert file_name("../../<b>\u202e", "svg") == f"aisim-b-v{MODEL_VERSION}.svg"
    assert file_name("", "png") == f"aisim-aisim-v{MODEL_VERSION}.png"
    assert len(file_name("x" * 500, "png")) < 90
