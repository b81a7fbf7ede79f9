"""The traffic of a scenario as a trace: examples, rules, files and what is wrong with them."""

from __future__ import annotations

import hashlib

import pytest

from aisim_model.errors import InputError
from aisim_model.scenario.traffic import SyntheticRule, TraceFile, Traffic
from aisim_model.traces import BadRowsError
from aisim_ui.traffic.source import Loaded, Upload, columns_of, load

ROWS = b"arrived_at,num_prefill_tokens,num_decode_tokens\n0.5,100,8\n1,300,4\n2,0,4\n3,50,9\n"


def loaded(content: bytes, **choices: object) -> Loaded:
    upload = Upload.of("mine.csv", content)
    file = TraceFile.model_validate({"name": upload.name, "sha256": upload.sha256, **choices})
    return load(Traffic(source="file", file=file), upload)


def problem(found: Loaded) -> InputError:
    assert found.trace is None
    assert found.problem is not None
    return found.problem


def test_an_upload_loses_its_folders_and_has_its_hash() -> None:
    upload = Upload.of("../../etc/mine.csv", b"x")
    assert upload.name == "mine.csv"
    assert upload.sha256 == hashlib.sha256(b"x").hexdigest()


def test_faulty_rows_are_refused_until_they_are_left_out() -> None:
    refused = problem(loaded(ROWS))
    assert isinstance(refused, BadRowsError)
    assert refused.rows_at_fault == 1
    found = loaded(ROWS, skip_bad_rows=True)
    assert found.trace is not None
    assert (len(found.trace), found.rows_left_out) == (3, 1)


def test_a_unit_can_be_said_over_the_detected_one() -> None:
    found = loaded(ROWS, skip_bad_rows=True, time_unit="ms")
    assert found.trace is not None
    assert found.trace.arrival_ms.tolist() == [0.0, 0.5, 2.5]


def test_columns_can_be_mapped() -> None:
    content = b"when,prompt,answer\n0,5,6\n10,7,8\n"
    problem(loaded(content))
    assert columns_of("any", Upload.of("a.csv", content)) == ("when", "prompt", "answer")
    columns = [["arrival", "when"], ["input_tokens", "prompt"], ["output_tokens", "answer"]]
    found = loaded(content, columns=columns, time_unit="s")
    assert found.trace is not None
    assert found.trace.input_tokens.tolist() == [5, 7]


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n\x00\x00", b"\x00" * 100, b"a,b\n", b"{}"])
def test_what_is_no_trace_is_a_sentence(content: bytes) -> None:
    assert "mine.csv" in str(problem(loaded(content)))
    assert columns_of(hashlib.sha256(content).hexdigest(), Upload.of("a", content)) in ((), ("a", "b"))


def test_a_file_of_a_link_is_asked_for() -> None:
    file = TraceFile(name="mine.csv", sha256="ab" * 32, rows=4)
    traffic = Traffic(source="file", file=file)
    assert load(traffic, None).asked_for == file
    assert load(traffic, Upload.of("mine.csv", ROWS)).asked_for == file
    assert load(Traffic(source="file"), None).trace is None


def test_a_window_is_warned_of_and_a_rate_is_scaled() -> None:
    traffic = Traffic(example_id="azure_code", window_start_s=10.0, window_end_s=600.0, rate_factor=2.0)
    found = load(traffic, None)
    assert found.trace is not None
    assert found.trace.span_s <= 295.0
    assert "biased" in str(found.cut_warning)
    assert load(Traffic(example_id="azure_code", rate_factor=2.0), None).cut_warning is None


def test_a_window_without_requests_keeps_how_the_file_was_read() -> None:
    found = load(Traffic(example_id="azure_code", window_start_s=1e6), None)
    assert "window" in str(problem(found))
    assert found.report is not None


def test_lengths_are_drawn_from_an_example() -> None:
    rule = SyntheticRule(requests=40, prompt_length="trace", answer_length="trace")
    found = load(Traffic(source="synthetic", synthetic=rule, example_id="azure_code"), None)
    example = load(Traffic(example_id="azure_code"), None)
    assert found.trace is not None
    assert example.trace is not None
    assert set(found.trace.input_tokens.tolist()) <= set(example.trace.input_tokens.tolist())


@pytest.mark.parametrize(
    "traffic",
    [
        Traffic(example_id="no_such"),
        Traffic(source="synthetic", synthetic=SyntheticRule(prefix_groups=2, prefix_tokens=3)),
        Traffic(
            source="synthetic",
            synthetic=SyntheticRule(prompt_length="trace"),
            example_id="no_such",
        ),
    ],
    ids=["unknown example", "prefix without a block", "lengths of an unknown example"],
)
def test_what_can_not_be_made_is_a_sentence(traffic: Traffic) -> None:
    assert str(problem(load(traffic, None)))


def test_keys_are_equal_where_traces_are() -> None:
    first, second = load(Traffic(), None), load(Traffic(level="fifo"), None)
    assert first.key == second.key
    assert first.key != load(Traffic(rate_factor=2.0), None).key
