"""JSON at any depth, Parquet, and files that leave arrivals or output lengths open, each worked by hand."""

from __future__ import annotations

import io
import json
import time
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.errors import InputError
from aisim_model.traces import read_trace, trace_columns
from aisim_model.traces.asked import Asked
from aisim_model.traces.json_list import list_as_lines


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def aiperf(start_ns: int, prompt: int, **changes: object) -> dict[str, object]:
    return {
        "metadata": {"request_start_ns": start_ns, "benchmark_phase": "profiling", "was_cancelled": False},
        "metrics": {
            "input_sequence_length": {"value": prompt, "unit": "tokens"},
            "output_sequence_length": {"value": 9, "unit": "tokens"},
        },
        "error": None,
    } | changes


def dynamo(received_ms: int, hashes: list[int], block: int = 64) -> dict[str, object]:
    replay = {"trace_block_size": block, "input_sequence_hashes": hashes}
    request = {"request_received_ms": received_ms, "input_tokens": 64 * len(hashes), "output_tokens": 9}
    return {"event_type": "request_end", "request": request | {"replay": replay}}


SPAN = {
    "startTimeUnixNano": "1759813207500000000",
    "attributes": [
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "100"}},
        {"key": "gen_ai.usage.output_tokens", "value": {"intValue": "9"}},
    ],
}
SPANS = [SPAN, {"startTimeUnixNano": "1759813207400000000", "name": "http"}]
SPANS += [SPAN | {"startTimeUnixNano": "1759813208000000000"}]

# format, contents, arrivals in ms, prompts
CASES = [
    # 1.5 s apart in ns since 1970, beyond what a float tells apart
    ("aiperf_records", lines(aiperf(1759813207532900363, 5), aiperf(1759813209032900363, 7)),
     [0, 1500], [5, 7]),
    ("dynamo_trace", lines({"event_type": "request_payload"}, dynamo(500, [0, 1]), dynamo(700, [0])),
     [0, 200], [128, 64]),
    (
        "guidellm_report",
        json.dumps(
            {"benchmarks": [{"requests": {"successful": [
                {"request_start_time": 1767225600.1, "request_end_time": 1.0, "prompt_tokens": 5,
                 "output_tokens": 9},
                {"request_start_time": 1767225601.6, "request_end_time": 1.0, "prompt_tokens": 7,
                 "output_tokens": 9}]}}]},
            indent=1,
        ).encode(),
        [0, 1500],
        [5, 7],
    ),
    (
        "openai_usage",
        lines(*({"created": 1767225600 + at, "usage": {"prompt_tokens": 5 + at, "completion_tokens": 9}}
                for at in (0, 2))),
        [0, 2000],
        [5, 7],
    ),
    (
        "vllm_bench",
        lines({"start_times": [5.25, 6.0], "input_lens": [5, 7], "output_lens": [9, 9], "itls": [[0.1], []],
               "errors": ["", ""]}),
        [0, 750],
        [5, 7],
    ),
    (
        "inference_perf",
        json.dumps([{"start_time": at, "end_time": at + 1, "info": {"input_tokens": 5, "output_tokens": 9}}
                    for at in (10.5, 11.0)]).encode(),
        [0, 500],
        [5, 5],
    ),
    ("otel_spans", lines({"resourceSpans": [{"scopeSpans": [{"spans": SPANS}]}]}), [0, 500], [100, 100]),
    (
        "langfuse",
        json.dumps([{"startTime": f"2026-03-01T12:00:0{at}.000Z", "usage": {"input": 5, "output": 9}}
                    for at in (0, 1)]).encode(),
        [0, 1000],
        [5, 5],
    ),
    # no format knows these: told by their names, case and underscores aside
    ("named", lines(*({"data": {"Start_Time_Ms": at, "Usage": {"promptTokens": 5, "Completion_Tokens": 9}}}
                      for at in (3, 53))), [0, 50], [5, 5]),
]  # fmt: skip


@pytest.mark.parametrize(("format_id", "contents", "arrivals", "prompts"), CASES)
def test_requests_are_found_at_any_depth(
    format_id: str, contents: bytes, arrivals: list[float], prompts: list[int]
) -> None:
    trace, report = read_trace(contents, "log.json")
    assert report.format_id == format_id
    assert trace.arrival_ms.tolist() == arrivals
    assert trace.input_tokens.tolist() == prompts
    assert set(trace.output_tokens.tolist()) == {9}


def test_hash_ids_of_nested_rows_have_the_block_size_that_rows_say() -> None:
    trace, _ = read_trace(lines(dynamo(500, [0, 1]), dynamo(700, [0])))
    assert (trace.block_tokens, trace.hash_ids.tolist()) == (64, [0, 1, 0])
    with pytest.raises(InputError, match="trace_block_size = 'mixed': differs between rows: 64, 128"):
        read_trace(lines(dynamo(500, [0, 1]), dynamo(700, [0], block=128)))


def test_requests_that_failed_are_left_out_and_a_log_of_failures_is_refused() -> None:
    failed = aiperf(1759813208000000000, 6, error={"code": 500})
    cancelled = aiperf(1759813208000000000, 6)
    cancelled["metadata"] = {"request_start_ns": 1759813208000000000, "was_cancelled": True}
    trace, report = read_trace(lines(aiperf(1759813207000000000, 5), failed, cancelled))
    assert trace.input_tokens.tolist() == [5]
    assert "2 requests that failed or was cancelled left out." in report.notes
    with pytest.raises(InputError, match="holds failures only: 2 requests"):
        read_trace(lines(failed, failed))


def test_dotted_names_may_be_mapped_and_are_offered() -> None:
    contents = lines({"a": {"when_ms": 5, "n": 7}, "out": 2}, {"a": {"when_ms": 9, "n": 8}, "out": 3})
    assert trace_columns(contents) == ("a.when_ms", "a.n", "out")
    columns = {"arrival": "A.WhenMs", "input_tokens": "a.n", "output_tokens": "out"}
    trace, report = read_trace(contents, columns=columns)
    assert (report.format_id, trace.arrival_ms.tolist()) == ("mapped", [0, 4])
    with pytest.raises(
        InputError, match=r"columns = 'a.x': is no column of upload; it has a.when_ms, a.n, out"
    ):
        read_trace(contents, columns=columns | {"input_tokens": "a.x"})


def test_a_faulty_nested_row_is_named_by_line_and_column() -> None:
    good = {"created": 1767225600, "usage": {"prompt_tokens": 5, "completion_tokens": 9}}
    bad = {"created": 1767225601, "usage": {"prompt_tokens": -5, "completion_tokens": 9}}
    with pytest.raises(InputError, match=r"line 2, column usage.prompt_tokens, '-5': must be 1 or more"):
        read_trace(lines(good, bad))


def test_parquet_is_read_as_a_table_would_be() -> None:
    usage = pa.array([{"prompt_tokens": 5}, {"prompt_tokens": 7}])
    table = pa.table({"arrival_ms": [10.0, 60.0], "usage": usage, "output_tokens": [9, 9],
                      "hash_ids": [[1, 2], [1]]})  # fmt: skip
    packed = io.BytesIO()
    pa.parquet.write_table(table, packed)
    trace, report = read_trace(packed.getvalue(), "t.parquet")
    assert (report.encoding, trace.arrival_ms.tolist()) == ("parquet", [0, 50])
    assert trace.input_tokens.tolist() == [5, 7]
    assert trace.hash_ids.tolist() == [1, 1]  # 5 tokens fill one block of any size
    assert trace_columns(packed.getvalue()) == (
        "arrival_ms",
        "usage.prompt_tokens",
        "output_tokens",
        "hash_ids",
    )


LENGTHS = lines({"input_length": 512, "output_length": 64}, {"input_length": 700, "output_length": 80})


def test_what_a_file_leaves_open_is_asked_for_and_said() -> None:
    with pytest.raises(InputError, match="arrivals = 'missing': no column holds arrival times"):
        read_trace(LENGTHS)
    trace, report = read_trace(LENGTHS, asked=Asked("rate", 4.0))
    assert trace.arrival_ms.tolist() == [0, 250]
    assert "Arrivals as asked: 4 a second, evenly spaced." in report.notes
    table = b"arrival_ms,prompt_tokens\n0,5\n20,7\n"
    with pytest.raises(InputError, match="output_tokens = 'missing'"):
        read_trace(table)
    trace, report = read_trace(table, asked=Asked(output_tokens=30))
    assert (trace.output_tokens.tolist(), trace.arrival_ms.tolist()) == ([30, 30], [0, 20])
    for bad in ({"arrivals": "rate"}, {"output_tokens": 0}):
        with pytest.raises(InputError):
            Asked(**bad)  # type: ignore[arg-type]


def test_times_of_spreadsheets_and_grouping_of_lakhs() -> None:
    # a hundredth of a day is 864 s
    days = b"time,prompt_tokens,completion_tokens\n46082.5,100,5\n46082.501,200,5\n46082.51,300,5\n"
    trace, report = read_trace(days)
    assert (report.time_unit, trace.arrival_ms.tolist()) == ("days", [0, 86_400, 864_000])
    lakhs = b'arrival_ms;prompt_tokens;completion_tokens\n0;"1,02,400";5\n1000;"1,00,000";5\n'
    assert read_trace(lakhs)[0].input_tokens.tolist() == [102_400, 100_000]
    with pytest.raises(InputError, match=r"time_unit = 'unknown'.*from 0 to 0.4, less than 1"):
        read_trace(b"time,prompt_tokens,completion_tokens\n0,1,1\n0.2,1,1\n0.4,1,1\n")
    _, report = read_trace(b"arrival_ms,prompt_tokens,completion_tokens\n7,1,1\n7,1,1\n")
    assert any(note.startswith("All 2 requests arrive at the same time") for note in report.notes)


@given(st.lists(st.dictionaries(st.text(), st.text() | st.lists(st.text()) | st.integers(), min_size=1)))
def test_a_list_becomes_a_line_for_each_item(rows: list[dict[str, object]]) -> None:
    for indent in (None, 1):
        text = json.dumps(rows, indent=indent, ensure_ascii=False).encode()
        assert [json.loads(line) for line in list_as_lines(text).split(b"\n") if line.strip()] == rows


def test_large_lists_and_archives_of_many_members_are_quick() -> None:
    row = b'{"timestamp": %d, "input_length": 5, "output_length": 7}'
    text = b"[" + b",\n".join(row % at for at in range(100_000)) + b"]"  # 6 MB: a tenth of what took 24 s
    start = time.process_time()
    assert len(read_trace(text)[0]) == 100_000
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for at in range(3_000):
            archive.writestr(str(at), "")
    with pytest.raises(InputError, match="3,000 files"):
        read_trace(packed.getvalue())
    assert time.process_time() - start < 2.0


def test_times_of_two_clocks_are_refused_by_line() -> None:
    # a clock since boot and one since 1970 are 56 years apart
    times = ("353399.5", "353400", "1767225600", "1767225601")
    table = "start_time_s,prompt_tokens,output_tokens\n" + "".join(f"{at},1,1\n" for at in times)
    with pytest.raises(
        InputError, match="'start_time_s': is of two clocks: from line 4 on times are 56 years"
    ):
        read_trace(table.encode())


@pytest.mark.shared
def test_reported_files(shared_dir: Path) -> None:
    folder = shared_dir / "facts" / "reported_inputs"

    def found(name: str, asked: Asked | None = None) -> list[list[float]]:
        trace, _ = read_trace(folder / name, asked=asked or Asked())
        return [trace.arrival_ms.tolist(), trace.input_tokens.tolist(), trace.output_tokens.tolist()]

    assert found("C30_client_export_nested.jsonl") == [[0, 1000, 1500], [550, 620, 700], [9, 12, 20]]
    assert found("C31_request_trace_v1.jsonl") == [[0, 8000], [128, 256], [8, 16]]
    assert found("C32_benchmarks_nested.json") == [[0, 1500], [256, 300], [128, 120]]
    assert found("C35_usage_nested.jsonl") == [[0, 2000], [512, 700], [64, 80]]
    assert found("C36_parallel_arrays.json") == [[0, 750, 1400], [6000, 5990, 6010], [500, 480, 500]]
    assert found("C38_camel_case.csv") == [[0, 1000], [512, 600], [64, 64]]
    assert found("C39_no_output.jsonl", Asked(output_tokens=9))[2] == [9, 9]
    assert np.allclose(found("C40_spreadsheet_days.csv")[0], [0, 86_400, 172_800, 864_000])
    assert found("C42_indian_grouping.csv")[1] == [102_400, 100_000]
    assert found("C43_lengths_only.jsonl", Asked("at_once"))[0] == [0, 0, 0]
