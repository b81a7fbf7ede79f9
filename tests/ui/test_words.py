"""Numbers as words, and text from outside that stays text."""

from __future__ import annotations

import doctest
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_ui import words
from aisim_ui.words import (
    JOINER,
    bandwidth,
    escape_markdown,
    header_px,
    label,
    milliseconds,
    name_label,
    percent,
    short_label,
    significant,
    size,
)


def test_the_examples_run() -> None:
    found = doctest.testmod(words)
    assert found.attempted > 5
    assert found.failed == 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0 ms"),
        (0.00005, "0.05 µs"),
        (0.0999, "99.9 µs"),
        (0.1, "0.1 ms"),
        (999.4, "999 ms"),
        (1000.0, "1 s"),
        (-15.72, "-15.7 ms"),
        (math.inf, "never"),
        (math.nan, "no delay"),
    ],
)
def test_a_time_has_the_unit_that_fits(value: float, expected: str) -> None:
    assert milliseconds(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(9.996, "10"), (99.95, "100"), (0.00099951, "0.001"), (1_234_567.0, "1,230,000"), (-math.inf, "-∞")],
)
def test_rounding_up_to_another_digit_keeps_three(value: float, expected: str) -> None:
    assert significant(value) == expected


@given(st.floats(1e-9, 1e15))
def test_what_is_shown_is_within_its_digits(value: float) -> None:
    assert float(significant(value).replace(",", "")) == pytest.approx(value, rel=0.0051)


@pytest.mark.parametrize(("share", "expected"), [(1.0, "100%"), (0.5555, "56%"), (0.00099, "<0.1%")])
def test_a_share(share: float, expected: str) -> None:
    assert percent(share) == expected


def test_sizes_and_bandwidths_are_decimal() -> None:
    assert [size(value) for value in (0, 999, 1000, 2_684_354_560, 2**40)] == [
        "0 B",
        "999 B",
        "1 kB",
        "2.68 GB",
        "1.1 TB",
    ]
    assert bandwidth(12.5) == "12.5 GB/s (100 Gb/s)"
    assert bandwidth(-1) == "-1 GB/s"


def test_markup_is_shown_as_it_is() -> None:
    text = "<b> ![x](http://a.b/c) **d** `e` $f$ :red[g] :material/home: #h _i_ kv_bytes"
    shown = escape_markdown(text)
    for mark in ("<", "!", "[", "](", "**", "`", "$", ":", "#", " _", "_ "):
        assert mark not in shown.replace("\\" + mark[0], "").replace("\\]\\(", "")
    assert "kv_bytes" in shown
    assert shown.replace("\\", "").replace(JOINER, "") == text


@pytest.mark.parametrize("address", ["http://a.bc/d", "HTTPS://a.bc", "www.a.bc", "me@a.bc"])
def test_an_address_is_text_and_no_link(address: str) -> None:
    # a reader of Markdown makes a link of these even where each mark is escaped
    assert not re.search(r"https?://|www\.|\w@", escape_markdown(address).replace("\\", ""), re.IGNORECASE)


@pytest.mark.parametrize("sign", ["->", "<-", "<->", "--", ">=", "<=", "~="])
def test_a_typed_sign_stays_as_it_was_typed(sign: str) -> None:
    for text in (f"a {sign} b", f"{sign} b", f"a {sign}"):
        assert JOINER in escape_markdown(text)
    assert JOINER not in escape_markdown("--block-size 64, x->y")  # these stay, and can be copied


def test_a_long_name_takes_two_lines_at_most() -> None:
    assert name_label("W" * 60) == "W" * 28 + "<br>" + "W" * 27 + "…"
    assert name_label("a < b " * 10).count("<br>") == 1
    assert short_label("W" * 29) == "W" * 27 + "…"


@given(st.text())
def test_nothing_of_a_text_is_lost(text: str) -> None:
    shown = escape_markdown(text)
    plain, at = "", 0
    while at < len(shown):
        at += shown[at] == "\\"
        plain += shown[at]
        at += 1
    assert plain.replace(JOINER, "") == text.replace(JOINER, "")


def test_a_label_can_hold_no_tag() -> None:
    assert label('<a href="x">&') == '&lt;a href="x"&gt;&amp;'


def test_a_column_is_as_wide_as_its_header() -> None:
    assert header_px("GPUs") == 50  # 4 x 7.5 + 20
    assert header_px("Carries within SLOs [requests/s]") == 260  # 32 x 7.5 + 20
