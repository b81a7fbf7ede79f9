"""Printed tables, which traces and measured transfers are read from alike."""

# ruff: noqa: E501 (tables as they are printed)
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.traces import read_trace
from aisim_model.traces.text_tables import as_separated

ROWS = [(0.0, 128, 8), (1.5, 256, 16)]


@pytest.mark.parametrize(
    "text",
    [
        "# arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,128,8\n1.5,256,16\n",
        "#arrived_at   num_prefill_tokens   num_decode_tokens\n0.0   128   8\n1.5   256   16\n",
        "arrived_at   num_prefill_tokens   num_decode_tokens\n--------------------\n0.0   128   8\n1.5   256   16\n",
        "| arrived_at | num_prefill_tokens | num_decode_tokens |\n|---|--:|---|\n| 0.0 | 128 | 8 |\n| 1.5 | 256 | 16 |\n",
        "# a trace of two requests\n# made today\narrived_at,num_prefill_tokens,num_decode_tokens\n0.0,128,8\n1.5,256,16\n",
    ],
)
def test_a_trace_printed_as_a_table(text: str) -> None:
    trace, _report = read_trace(text.encode())
    found = zip(trace.arrival_ms, trace.input_tokens, trace.output_tokens, strict=True)
    assert list(found) == [(at * 1000, prompt, output) for at, prompt, output in ROWS]


def test_lines_keep_their_numbers() -> None:
    text = "# title\n# Size   us\n# remark: x\n1   2\n\n3   4\n"
    assert as_separated(text).splitlines() == ["", "Size\tus", "", "1\t2", "", "3\t4"]


@pytest.mark.parametrize(
    "text", ["", "\n", "a,b\n1,2\n", "# only a remark\n", "1 2\n3 4\n", '{"a": 1}\n', "a b c\n", "#\n1,2\n"]
)
def test_what_is_no_printed_table_stays_as_it_is(text: str) -> None:
    assert as_separated(text) == text


@given(text=st.text(alphabet="#|,;\t ab()1.2\n-=", max_size=200))
def test_any_text_keeps_its_lines_or_is_left_alone(text: str) -> None:
    found = as_separated(text)
    assert found == text or len(found.splitlines()) == len(text.splitlines())
