"""What is varied: ranges and lists, and what is refused before any work."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.errors import InputError
from aisim_model.sweep import Listed, Range, fields, read_axis
from aisim_model.sweep.axes import RATIOS, READABLE, check_size, field_kind


def test_log_range_is_numpys_geomspace() -> None:
    axis = read_axis("bandwidth_gb_s=1:400:log:200")
    np.testing.assert_array_equal(axis.at(0, axis.size), np.geomspace(1, 400, 200))


@given(
    st.floats(1e-6, 1e5),
    st.floats(1.001, 1e6),
    st.integers(READABLE + 1, 3 * READABLE),
    st.integers(0, 3 * READABLE),
    st.integers(0, 3 * RATIOS),
)
def test_any_slice_of_a_long_log_range_is_geomspace_to_the_last_digits(
    low: float, ratio: float, count: int, start: int, length: int
) -> None:
    high = low * ratio
    axis = Range("bandwidth_gb_s", low, high, "log", count)
    found = axis.at(0, count)
    np.testing.assert_allclose(found, np.geomspace(low, high, count), rtol=1e-14, atol=0)
    assert (found[0], found[-1]) == (low, high)
    # a slice is the same to the bit, wherever it is cut
    np.testing.assert_array_equal(axis.at(start, start + length), found[start : start + length])


def test_ten_million_values_of_a_log_range_are_geomspace_to_the_last_digits() -> None:
    found = read_axis("bandwidth_gb_s=1:400:log:10000000").at(0, 10_000_000)
    np.testing.assert_allclose(found, np.geomspace(1, 400, 10_000_000), rtol=1e-14, atol=0)
    assert (np.diff(found) > 0).all()


def test_linear_range_is_numpys_linspace() -> None:
    axis = read_axis("alpha_ms=0:0.7:lin:8")
    np.testing.assert_array_equal(axis.at(0, axis.size), np.linspace(0, 0.7, 8))


def test_whole_numbers_are_rounded_and_come_once() -> None:
    # 10^(0, 1/4, 1/2, 3/4, 1) = 1, 1.78, 3.16, 5.62, 10
    assert read_axis("prompt_tokens=1:10:log:5").at(0, 5).tolist() == [1, 2, 3, 6, 10]
    # 1, 1.26, 1.58, 2 round to 1, 1, 2, 2
    assert read_axis("prompt_tokens=1:2:log:2").size == 2
    assert Range("prompt_tokens", 1, 4, "log", 4).at(0, 4).tolist() == [1, 2, 3, 4]
    assert Range("prompt_tokens", 1, 100, "log", 60).size < 60


@given(st.integers(0, 500), st.integers(0, 500), st.sampled_from(["lin", "log"]))
def test_a_slice_has_the_values_of_the_whole(start: int, length: int, scale: str) -> None:
    axis = read_axis(f"bandwidth_gb_s=0.1:3200:{scale}:700")
    whole = axis.at(0, axis.size)
    np.testing.assert_array_equal(axis.at(start, start + length), whole[start : start + length])


@given(st.floats(1e-6, 1e5), st.floats(1.001, 1e6), st.integers(2, 300), st.sampled_from(["lin", "log"]))
def test_both_ends_are_exact_and_values_rise(low: float, ratio: float, count: int, scale: str) -> None:
    values = read_axis(f"bandwidth_gb_s={low!r}:{low * ratio!r}:{scale}:{count}").at(0, count)
    assert (values[0], values[-1]) == (low, low * ratio)
    assert (np.diff(values) > 0).all()


def test_a_hundred_million_values_take_no_memory() -> None:
    axis = read_axis("bandwidth_gb_s=1:400:log:100000000")
    assert axis.size == 100_000_000
    assert axis.at(99_999_999, 100_000_000).tolist() == [400.0]


def test_lists_keep_their_order_and_kind() -> None:
    assert read_axis("prefill_tp=8,1,4").at(0, 3).tolist() == [8, 1, 4]
    assert read_axis("kv_dtype = bf16 , fp8") == Listed("kv_dtype", ("bf16", "fp8"))
    assert read_axis("prompt_tokens=1e5,131_072").at(0, 2).tolist() == [100_000, 131_072]
    assert read_axis("bandwidth_gb_s=-1,0,2.5").at(0, 3).tolist() == [-1.0, 0.0, 2.5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("PROMPT_TOKENS=1,2", ("PROMPT_TOKENS", "Did you mean prompt_tokens")),
        ("bandwith_gb_s=1,2", ("bandwith_gb_s", "no field of a scenario", "Did you mean bandwidth_gb_s")),
        ("tokens=1,2", ("no field", "prompt_tokens")),
        ("zzz=1", ("no field", "prompt_tokens", "bandwidth_gb_s")),
        ("name=a,b", ("name", "can't be varied")),
        ("bandwidth_gb_s", ("names no values", "FIELD=LOW:HIGH:log:N")),
        ("bandwidth_gb_s=", ("bandwidth_gb_s", "is empty")),
        ("bandwidth_gb_s=1,,2", ("empty value",)),
        ("bandwidth_gb_s=400:1:log:10", ("backwards", "bandwidth_gb_s=1:400:log:10")),
        ("bandwidth_gb_s=0:4:log:3", ("logarithm", "above 0")),
        ("bandwidth_gb_s=-1:4:log:3", ("logarithm", "above 0")),
        ("bandwidth_gb_s=1:4:lin:0", ("empty range", "at least 2")),
        ("bandwidth_gb_s=1:4:lin:1", ("empty range", "bandwidth_gb_s=1")),
        ("bandwidth_gb_s=4:4:lin:3", ("empty range",)),
        ("bandwidth_gb_s=1:4:lin:-5", ("empty range",)),
        ("bandwidth_gb_s=1:4:lin:2.5", ("number of values", "2.5", "whole number")),
        ("bandwidth_gb_s=1:4:linear:3", ("linear", "Did you mean lin")),
        ("bandwidth_gb_s=1:4:Log:3", ("'Log'", "Did you mean log")),
        ("bandwidth_gb_s=1:4:3", ("3 parts", "4")),
        ("bandwidth_gb_s=one,2", ("'one'", "a number")),
        ("bandwidth_gb_s=nan,2", ("'nan'", "a number")),
        ("bandwidth_gb_s=1:inf:lin:2", ("'inf'", "a number")),
        ("prompt_tokens=1.5,2", ("'1.5'", "whole number")),
        ("prompt_tokens=8,8", ("8", "more than once")),
    ],
)
def test_refusals_name_the_field_the_value_and_what_to_do(text: str, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as refused:
        read_axis(text)
    for word in words:
        assert word in str(refused.value)


def test_a_million_million_points_are_refused_with_their_size() -> None:
    axes = [read_axis(f"{field}=1:1000000:lin:1000000") for field in ("bandwidth_gb_s", "prompt_tokens")]
    with pytest.raises(InputError, match=r"1,000,000,000,000 points .* about 100 TB"):
        check_size(axes, 1, 100)


def test_more_whole_numbers_than_there_are() -> None:
    with pytest.raises(InputError, match=r"prompt_tokens = 50: is more values than the 10 whole numbers"):
        check_size([read_axis("prompt_tokens=1:10:lin:50")], 1, 100)
    with pytest.raises(InputError, match=r"10,000,000 whole numbers"):
        check_size([read_axis("kv_bytes_per_token=1:1000000000:lin:20000000")], 1, 100)


def test_every_field_of_a_scenario_has_a_kind() -> None:
    assert {field_kind(field) for field in fields()} == {"whole", "number", "choice"}
    assert field_kind("kv_bytes_per_token") == "whole"  # also where it may be left open
