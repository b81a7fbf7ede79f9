"""What holds for any bytes and any traffic."""

from __future__ import annotations

import contextlib
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.errors import InputError
from aisim_model.traces import Trace, example_trace, read_trace
from aisim_model.traces.blocks import block_size, ids_of_rows

CELLS = st.one_of(
    st.integers(-5, 20_000).map(str),
    st.floats(allow_nan=True).map(str),
    st.sampled_from(
        ["", "1.000", "12.035", "0,5", "2023-11-16 18:17:03.97", "2023-11-16T18:17:03Z", "NaN", "x"]
    ),
    st.text(max_size=6),
)
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.integers(0, 5000), st.floats(), st.text(max_size=5)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=5,
)
KEYS = st.sampled_from(
    ["timestamp", "input_length", "output_length", "hash_ids", "session_id", "delay", "requests", "chat_id"]
)


def trace_or_sentence(contents: bytes, skip: bool) -> None:
    with contextlib.suppress(InputError):
        trace, report = read_trace(contents, "any", skip_bad_rows=skip)
        assert len(trace) == report.rows
        assert trace.input_tokens.min() >= 1
        assert math.isfinite(trace.span_ms)


@given(st.binary(max_size=400), st.booleans())
def test_any_bytes_give_a_trace_or_a_sentence(contents: bytes, skip: bool) -> None:
    trace_or_sentence(contents, skip)


@given(
    st.binary(max_size=60), st.sampled_from([b"\x1f\x8b\x08\x00", b"PK\x03\x04", b"\xff\xfe", b"[", b'{"a":'])
)
def test_any_bytes_after_a_known_beginning(contents: bytes, beginning: bytes) -> None:
    trace_or_sentence(beginning + contents, skip=True)


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t"]),
    st.booleans(),
)
def test_any_cells_under_a_header(rows: list[list[str]], delimiter: str, skip: bool) -> None:
    header = delimiter.join(("timestamp", "input_length", "output_length"))
    body = "\n".join(delimiter.join(row) for row in rows)
    trace_or_sentence(f"{header}\n{body}\n".encode(errors="replace"), skip)


@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=8), min_size=1, max_size=5), st.booleans())
def test_any_values_under_known_keys(rows: list[dict[str, object]], skip: bool) -> None:
    trace_or_sentence("\n".join(json.dumps(row) for row in rows).encode(), skip)


@given(
    st.lists(
        st.tuples(st.integers(0, 10**9), st.integers(1, 10_000), st.integers(0, 500)), min_size=1, max_size=30
    )
)
def test_json_lines_and_a_table_of_the_same_rows_agree(rows: list[tuple[int, int, int]]) -> None:
    names = ("timestamp", "input_length", "output_length")
    lines = "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows)
    table = "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)])
    by_lines, _ = read_trace(lines.encode(), "any", time_unit="ms")
    by_table, _ = read_trace(table.encode(), "any", time_unit="ms")
    for column in ("arrival_ms", "input_tokens", "output_tokens", "source_rows"):
        assert np.array_equal(getattr(by_lines, column), getattr(by_table, column))
    order = sorted(range(len(rows)), key=lambda row: rows[row][0])
    assert by_table.source_rows.tolist() == [row + 1 for row in order]
    assert by_table.span_ms == max(row[0] for row in rows) - min(row[0] for row in rows)


@given(
    st.sampled_from([16, 32, 64, 128, 256, 512, 1024]),
    st.lists(st.integers(1, 200_000), min_size=40, max_size=60),
)
def test_the_block_size_is_told_from_lengths(size: int, lengths: list[int]) -> None:
    inputs = np.array(lengths)
    told, _ = block_size(inputs, -(-inputs // size), documented=512)
    assert np.array_equal(-(-inputs // told), -(-inputs // size))


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=8), st.data())
def test_ids_follow_their_rows(ids: list[list[int]], data: st.DataObject) -> None:
    offsets = np.append(0, np.cumsum([len(row) for row in ids])).astype(np.int64)
    flat = np.array([item for row in ids for item in row], dtype=np.int64)
    rows = data.draw(st.lists(st.integers(0, len(ids) - 1), min_size=1, max_size=10))
    taken, taken_offsets = ids_of_rows(flat, offsets, np.array(rows))
    got = [taken[a:b].tolist() for a, b in itertools.pairwise(taken_offsets)]
    assert got == [ids[row] for row in rows]


@pytest.fixture(scope="module")
def azure() -> Trace:
    return example_trace("azure_code")[0]


@given(factor=st.floats(1e-3, 1e3))
def test_a_scaled_rate_scales_the_load_and_keeps_the_prompts(azure: Trace, factor: float) -> None:
    scaled = azure.scaled_rate(factor)
    assert scaled.total_input_tokens == azure.total_input_tokens
    before, after = azure.offered_gb_s(327_680), scaled.offered_gb_s(327_680)
    assert before is not None
    assert after == pytest.approx(before * factor)


@given(edges=st.lists(st.floats(0.0, 3_435_949.0), min_size=1, max_size=4, unique=True))
def test_windows_that_tile_a_trace_hold_every_request_once(azure: Trace, edges: list[float]) -> None:
    bounds = sorted({0.0, *edges, 3_435_949.0})
    kept = 0
    for start_ms, end_ms in itertools.pairwise(bounds):
        with contextlib.suppress(InputError):  # a window without arrivals
            kept += len(azure.window(start_ms, end_ms))
    assert kept == len(azure)
