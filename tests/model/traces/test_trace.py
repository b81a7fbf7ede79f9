"""The table of requests: what it refuses, and its slices, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from aisim_model.errors import InputError
from aisim_model.traces import Trace, slice_warning


def three_requests() -> Trace:
    return Trace(
        arrival_ms=np.array([0.0, 500.0, 900.0]),
        input_tokens=np.array([1000, 20, 600]),
        output_tokens=np.array([5, 6, 7]),
        hash_ids=np.array([7, 8, 7, 9, 10]),
        hash_offsets=np.array([0, 2, 3, 5]),
        block_tokens=512,
        name="three",
    )


def test_totals_and_offered_load_of_three_requests() -> None:
    trace = three_requests()
    assert (trace.span_ms, trace.span_s, len(trace)) == (900.0, 0.9, 3)
    assert (trace.total_input_tokens, trace.total_output_tokens) == (1620, 18)
    # 1,620 tokens of 1 MB and 3 states of 60 MB are 1.8 GB in 0.9 s
    assert trace.offered_gb_s(1e6, state_bytes=60e6) == pytest.approx(2.0)


def test_requests_that_arrive_at_once_have_no_rate() -> None:
    trace = Trace(np.zeros(3), np.array([1, 2, 3]), np.array([1, 1, 1]))
    assert trace.requests_per_s() is None
    assert trace.offered_gb_s(1e6) is None


def test_window_moves_arrivals_and_keeps_ids_and_rows() -> None:
    part = three_requests().window(500.0, 900.1)
    assert part.arrival_ms.tolist() == [0.0, 400.0]
    assert [part.hash_ids_of(i).tolist() for i in range(2)] == [[7], [9, 10]]
    assert part.source_rows.tolist() == [2, 3]


def test_window_end_is_left_out() -> None:
    assert len(three_requests().window(0.0, 500.0)) == 1


def test_window_without_arrivals_is_refused() -> None:
    with pytest.raises(InputError, match="has no arrivals; the trace runs from 0 to 900 ms"):
        three_requests().window(100.0, 200.0)


def test_copies_share_no_blocks_unless_asked() -> None:
    trace = three_requests()
    own, shared = trace.repeated(2), trace.repeated(2, same_prefixes=True)
    # mean gap 450 ms: the second copy starts at 900 + 450
    assert own.arrival_ms.tolist() == [0.0, 500.0, 900.0, 1350.0, 1850.0, 2250.0]
    assert set(own.hash_ids[:5]).isdisjoint(own.hash_ids[5:])
    assert own.hash_ids[5] == own.hash_ids[7]  # both 7 in the file
    assert shared.hash_ids.tolist() == trace.hash_ids.tolist() * 2
    assert own.hash_offsets.tolist() == [0, 2, 3, 5, 7, 8, 10]


def test_copies_at_a_higher_rate_keep_about_the_span() -> None:
    assert three_requests().repeated(10, rate_factor=10.0).span_ms == pytest.approx(900.0, rel=0.5)


def test_counts_below_one_and_windows_that_end_before_they_start_are_refused() -> None:
    with pytest.raises(InputError, match="requests = 0"):
        three_requests().head(0)
    with pytest.raises(InputError, match="copies = 0"):
        three_requests().repeated(0)
    with pytest.raises(InputError, match="must start before it ends"):
        three_requests().window(5.0, 5.0)


def test_a_trace_without_ids_stays_without_when_cut_or_repeated() -> None:
    plain = Trace(np.array([0.0, 5.0]), np.array([1, 2]), np.array([1, 1]))
    assert not plain.repeated(2).head(3).has_hash_ids
    assert plain.hash_ids_of(0).size == 0
    empty_ids = Trace(
        plain.arrival_ms, plain.input_tokens, plain.output_tokens, hash_offsets=np.zeros(3), block_tokens=16
    )
    assert empty_ids.repeated(2).hash_ids.size == 0


def test_a_whole_trace_needs_no_warning_and_a_head_does() -> None:
    trace = three_requests()
    assert slice_warning(trace, trace.head(99)) is None
    assert "all at once requests/s against 3.33" in str(slice_warning(trace, trace.head(1)))


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf"), 1e-320])
def test_impossible_rate_factors_are_refused(factor: float) -> None:
    with pytest.raises(InputError, match="rate_factor"):
        three_requests().scaled_rate(factor)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"arrival_ms": np.array([0.0, 2.0, 1.0])}, "arrival_ms"),
        ({"arrival_ms": np.array([1.0, 2.0, 3.0])}, "arrival_ms"),
        ({"arrival_ms": np.array([0.0, 2.0, np.nan])}, "arrival_ms"),
        ({"arrival_ms": np.array([])}, "source_rows|trace"),
        ({"input_tokens": np.array([1, 2])}, "input_tokens"),
        ({"input_tokens": np.array([1, 0, 2])}, "input_tokens"),
        ({"output_tokens": np.array([1, -1, 2])}, "output_tokens"),
        ({"hash_offsets": np.array([0, 2, 3, 4])}, "hash_offsets"),
        ({"hash_offsets": np.array([0, 4, 3, 5])}, "hash_offsets"),
        ({"hash_offsets": np.array([], dtype=np.int64)}, "hash_offsets"),
        ({"block_tokens": None}, "block_tokens"),
    ],
)
def test_a_column_that_breaks_the_contract_is_named(change: dict[str, object], named: str) -> None:
    columns = {name: getattr(three_requests(), name) for name in Trace.__dataclass_fields__}
    with pytest.raises(InputError, match=named):
        Trace(**(columns | change))


def test_columns_cannot_be_changed_in_place() -> None:
    with pytest.raises(ValueError, match="read-only"):
        three_requests().arrival_ms[0] = 5.0
