"""`aisim replay`: what is refused is a sentence, faulty rows by their line, and a stop is one too."""

from __future__ import annotations

import csv
import signal
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import main_thread
from typing import Any

import pytest
import typer

from aisim_cli.replay import _stoppable
from aisim_model.replay import Progress

Aisim = Callable[[str], Any]
Written = Callable[[list[tuple[float, int, int]]], Path]

BY_HAND = (
    "--prefill-workers 1 --decode-workers 1 --bandwidth-gb-s 1 --kv-bytes-per-token 1e6 "
    "--prefill fixed:10 --decode-step-ms 5"
)


def test_faulty_rows_are_refused_by_line_or_left_out_and_counted(aisim: Aisim, tmp_path: Path) -> None:
    trace, out = tmp_path / "t.csv", tmp_path / "out.csv"
    trace.write_text("arrived_at,num_prefill_tokens,num_decode_tokens\n0,100,8\n1,0,3\n2,50,3\n", "utf-8")
    refused = aisim(f"replay {trace} {BY_HAND}")
    assert (refused.status, refused.out) == (2, "")
    assert "line 3, column num_prefill_tokens" in refused.err
    ran = aisim(f"replay {trace} {BY_HAND} --skip-bad-rows --out {out} --json")
    assert (ran.status, ran.json["rows"], ran.json["rows_left_out"]) == (0, 2, 1)
    assert [row["rows_left_out"] for row in csv.DictReader(out.read_text("utf-8").splitlines())] == ["1", "1"]


def test_a_number_that_reads_two_ways_is_asked_about_and_may_be_told(aisim: Aisim, tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("timestamp_s;input_length;output_length\n0;12.035;5\n2;7;5\n", "utf-8")
    refused = aisim(f"replay {trace} {BY_HAND}")
    assert (refused.status, refused.out) == (2, "")
    assert "line 2, column input_length, '12.035' may be 12,035 or 12.035" in refused.err
    ran = aisim(f"replay {trace} {BY_HAND} --decimal , --json")
    assert (ran.status, ran.json["total_input_tokens"], ran.json["span_s"]) == (0, 12_042, 2.0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (f"{BY_HAND} --bandwidth-gb-s inf", "bandwidth_gb_s = inf"),
        (f"{BY_HAND} --bandwidth-gb-s nan", "bandwidth_gb_s = nan"),
        (f"{BY_HAND} --bandwidth-gb-s -1", "bandwidth_gb_s = -1.0"),
        (f"{BY_HAND} --kv-bytes-per-token -1", "kv_bytes_per_token = -1.0"),
        (f"{BY_HAND} --prefill-workers 0", "prefill_workers = 0"),
        (f"{BY_HAND} --prefill-workers 1000001", "prefill_workers = 1000001"),
        (f"{BY_HAND} --aggregated-workers 2", "aggregated_workers = 2: stands instead of"),
        (f"{BY_HAND} --block-size 0", "block_size = 0"),
        (f"{BY_HAND} --pool-blocks 0", "pool_blocks = 0"),
        (f"{BY_HAND} --prefill-chunk-tokens 0", "prefill_chunk_tokens = 0"),
        (f"{BY_HAND} --prefill guess", "prefill = 'guess': must be polynomial, fixed:MS or rate:TOK_S"),
        (f"{BY_HAND} --prefill fixed:", "prefill = 'fixed:'"),
        (f"{BY_HAND} --prefill fixed:-1", "prefill = 'fixed:-1'"),
        (f"{BY_HAND} --prefill fixed:inf", "prefill = 'fixed:inf'"),
        (f"{BY_HAND} --prefill rate:0", "prefill = 'rate:0'"),
        (f"{BY_HAND} --prefill rate:1e-300", "prefill = 'rate:1e-300'"),
        (f"{BY_HAND} --prefill fixed:1e300", "prefill = 'fixed:1e300'"),
        (f"{BY_HAND} --decode-step-ms nan", "decode_step_ms = nan"),
        (
            f"{BY_HAND} --bandwidth-gb-s 1e-300 --kv-bytes-per-token 1e18",
            "makes a transfer of 128 tokens take",
        ),
        (f"{BY_HAND} --out nowhere/table.csv", "is in a folder that isn't there"),
        (f"{BY_HAND} --decode-step-ms -1", "decode_step_ms = -1.0"),
        (f"{BY_HAND} --decode-step-ms inf", "decode_step_ms = inf"),
        (f"{BY_HAND} --contention some", "contention = 'some'"),
        (f"{BY_HAND} --out table.xlsx", "out = 'table.xlsx': must end in .csv or .parquet"),
        (f"{BY_HAND} --columns when=arrival", "columns = 'when=arrival'"),
        ("--prefill-workers 1", "both are needed for a split deployment"),
        ("--prefill-workers 1 --decode-workers 1", "bandwidth_gb_s = None: is needed"),
        ("--prefill-workers 1 --decode-workers 1 --bandwidth-gb-s 1", "kv_bytes_per_token = None"),
        ("--aggregated-workers 1 --level fifo", "level = 'fifo'"),
        ("", "both are needed"),
    ],
)
def test_an_option_that_is_refused_is_a_sentence(
    options: str, said: str, aisim: Aisim, trace_file: Written
) -> None:
    ran = aisim(f"replay {trace_file([(0, 128, 3)])} {options}")
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + bytes(100), b"{}"])
def test_a_file_that_is_no_trace_is_a_sentence(content: bytes, aisim: Aisim, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(content)
    ran = aisim(f"replay {tmp_path / 't'} {BY_HAND}")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("aisim: trace = 't'")


def test_a_prompt_beyond_what_is_replayed_is_a_sentence(aisim: Aisim, trace_file: Written) -> None:
    ran = aisim(f"replay {trace_file([(0, 10**15, 3)])} {BY_HAND}")
    assert ran.status == 2
    assert "1000000000000000" in ran.err.replace(",", "")


def test_ctrl_c_stops_a_replay_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    stopped, main = [], main_thread().ident or 0

    def waited_for() -> bool:
        calls = traceback.walk_stack(sys._current_frames()[main])
        return any(frame.f_code is Future.result.__code__ for frame, _ in calls)

    def work(progress: Progress) -> None:
        while not waited_for():
            time.sleep(0.01)
        signal.pthread_kill(main, signal.SIGINT)  # where a terminal's goes
        end = time.monotonic() + 20
        while not progress.control[0] and time.monotonic() < end:  # compiled code looks at it now and then
            time.sleep(0.01)
        stopped.append(bool(progress.control[0]))

    with pytest.raises(typer.Exit) as left:
        _stoppable(work)
    assert left.value.exit_code == 130
    assert stopped == [True]
    assert "stopped; nothing was written" in capsys.readouterr().err
