"""Real traces and the right answers to them, where the folder of facts lies beside the project."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from aisim_model.errors import InputError
from aisim_model.handoff import transfer_delay_ms
from aisim_model.traces import example_trace, read_trace

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def traces_dir(shared_dir: Path) -> Path:
    return shared_dir / "facts" / "traces"


def test_delays_of_every_request_as_the_oracle_has_them(shared_dir: Path, traces_dir: Path) -> None:
    oracle = csv.DictReader(io.StringIO((shared_dir / "facts" / "traces_oracle.csv").read_text()))
    for right in oracle:
        trace, report = read_trace(traces_dir / right["file"])
        assert len(trace) == int(right["rows"])
        assert report.rows_left_out == int(right["zero_input_rows"])
        assert trace.span_s == float(right["span_s"])
        assert trace.total_input_tokens == int(right["total_input_tokens"])
        per_token, bandwidth = float(right["kv_bytes_per_token"]), float(right["bandwidth_GB_s"])
        delays = transfer_delay_ms(
            trace.input_tokens.astype(np.float64),
            np.float64(per_token),
            np.float64(0.0),
            np.float64(bandwidth),
        )
        for percentile in (50, 95, 99):
            assert np.percentile(delays, percentile) == pytest.approx(
                float(right[f"delay_ms_p{percentile}"]), abs=6e-5
            )
        assert delays.max() == pytest.approx(float(right["delay_ms_max"]), abs=6e-5)
        assert delays.mean() == pytest.approx(float(right["delay_ms_mean"]), abs=6e-5)
        assert trace.total_input_tokens * per_token / 1e9 == pytest.approx(
            float(right["total_KV_GB"]), abs=6e-4
        )
        offered = trace.offered_gb_s(per_token)
        assert offered == pytest.approx(float(right["mean_offered_GB_s"]), abs=6e-5)


def test_vidur_and_azure_give_the_same_to_the_bit(traces_dir: Path) -> None:
    azure, _ = read_trace(traces_dir / "AzureLLMInferenceTrace_code_2023.csv")
    vidur, _ = read_trace(traces_dir / "vidur_splitwise_code.csv")
    for column in ("arrival_ms", "input_tokens", "output_tokens"):
        assert np.array_equal(getattr(azure, column), getattr(vidur, column))


def test_every_block_of_the_mooncake_trace_has_its_id(traces_dir: Path) -> None:
    trace, report = read_trace(traces_dir / "mooncake_conversation_trace.jsonl")
    assert trace.block_tokens == 512
    assert "Blocks of 512 tokens as documented: 12,031 of 12,031 rows fit." in report.notes
    assert trace.hash_ids.size == int(np.ceil(trace.input_tokens / 512).sum())


def test_the_shipped_slice_is_the_head_of_the_whole(traces_dir: Path) -> None:
    whole, _ = read_trace(traces_dir / "mooncake_conversation_trace.jsonl")
    head, _ = example_trace("mooncake_conversation")
    expected = whole.head(2000)
    for column in ("arrival_ms", "input_tokens", "output_tokens", "hash_ids", "hash_offsets"):
        assert np.array_equal(getattr(head, column), getattr(expected, column))


@pytest.mark.parametrize(
    ("file", "format_id", "span_s", "input_tokens"),
    [
        # 44,083 + 578 + 1,816 + 1,489 + 43,540 + 499; the last turn at 614 + 6,573.6 + 28,878.1 ms
        ("aiperf_inference_day_2026_slice.jsonl", "aiperf_sessions", 36.0657, 92005),
        ("aiperf_precise_schedule.jsonl", "mooncake", 5.0, 2800),
        ("aiperf_production_trace.jsonl", "aiperf", 1.5, 7680),
        ("BurstGPT_3_head4.csv", "burstgpt_sessions", 144.0, 3656),
        ("guidellm_mooncake_seconds.jsonl", "guidellm", 0.4, 45),
        ("llmservingsim_example_trace.jsonl", "llmservingsim", 0.980043269, 120),
        ("qwen_bailian_examples.jsonl", "bailian", 1.386, 921),
        ("splitwise-sim_test_trace.csv", "splitwise", 3.0, 8192),
        ("edge/absolute_unix_ms.csv", "named", 1.007, 129100),
        ("edge/azure_2024_tz.csv", "azure", 20.0, 900),
        ("edge/azure_semicolon_bom_excel_de.csv", "azure", 13.025088, 11540),
        ("edge/azure_utf16le.csv", "azure", 13.025088, 11540),
        ("edge/azure_utf8_bom.csv", "azure", 13.025088, 11540),
        ("edge/blank_lines_crlf.jsonl", "aiperf", 0.005, 30),
        ("edge/formula_injection.csv", "named", 1.0, 300),
        ("edge/thousands_dot_decimal_comma.csv", "named", 2.5, 138230),
        ("edge/unsorted.jsonl", "aiperf", 5.999, 21308),
    ],
)
def test_slices_and_odd_files_are_read(
    traces_dir: Path, file: str, format_id: str, span_s: float, input_tokens: int
) -> None:
    trace, report = read_trace(traces_dir / file)
    assert (report.format_id, trace.span_s, trace.total_input_tokens) == (format_id, span_s, input_tokens)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("duplicate_header_names.csv", "input_length stands there twice"),
        ("header_only.csv", "has a header and no rows"),
        ("no_timestamp.csv", "no column holds arrival times"),
        ("truncated_last_line.jsonl", "line 2, .* is not JSON"),
    ],
)
def test_faulty_files_are_refused(traces_dir: Path, file: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_trace(traces_dir / "edge" / file)


def test_no_file_of_the_facts_does_worse_than_a_sentence(traces_dir: Path) -> None:
    files = [path for path in traces_dir.rglob("*") if path.is_file()]
    assert len(files) >= 24
    for path in files:
        refused = False
        try:
            read_trace(path)
        except InputError:
            refused = True
        assert not refused or path.parent.name == "edge", path.name
