"""`aisim replay`: the reference engine's tables, cases by hand, and what is written."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import aisim_model.traces
from aisim_model import MODEL_VERSION
from aisim_model.replay import ReplayConfig

Aisim = Callable[[str], Any]
Written = Callable[[list[tuple[float, int, int]]], Path]

EXAMPLE = Path(aisim_model.traces.__file__).parent / "data" / "mooncake_conversation_2000.jsonl.gz"
PERCENTILES = ["mean", "p50", "p75", "p90", "p95", "p99", "max"]
SPLIT = "--prefill-workers 4 --decode-workers 2 --bandwidth-gb-s 25 --kv-bytes-per-token 131072"
BY_HAND = (
    "--prefill-workers 1 --decode-workers 1 --bandwidth-gb-s 1 --kv-bytes-per-token 1e6 "
    "--prefill fixed:10 --decode-step-ms 5"
)
TABLES = {
    "replay_conversation_2000_full_prompt": SPLIT,
    "replay_conversation_2000_destination_missing_cached": (
        f"{SPLIT} --mode destination_missing --prefix-caching"
    ),
    "replay_conversation_2000_fixed_pass_aligned": f"{SPLIT} --prefill fixed:100 --decode-step-ms 20",
    "engine_conversation_2000_aggregated": "--aggregated-workers 8",
    "engine_conversation_2000_split_batched": (
        f"{SPLIT} --level engine --mode destination_missing --prefix-caching"
    ),
}


def read_csv(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.shared
@pytest.mark.parametrize("table", TABLES)
def test_every_row_is_the_reference_engines(
    table: str, aisim: Aisim, shared_dir: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    ran = aisim(f"replay {EXAMPLE} {TABLES[table]} --time-unit ms --out {out} --json")
    assert (ran.status, ran.err) == (0, "")
    expected, found = read_csv(shared_dir / "acceptance" / f"{table}.csv"), read_csv(out)
    assert len(found) == len(expected) == ran.json["rows"] == 2000
    # the engine leaves this one at 0 whatever was hit
    names = [name for name in expected[0] if name != "destination_reused_tokens"]
    assert set(names) <= set(found[0])
    for ours, theirs in zip(found, expected, strict=True):
        for name in names:
            assert float(ours[name]) == pytest.approx(float(theirs[name]), abs=1e-5, rel=0), (ours, name)


def test_three_requests_by_hand(aisim: Aisim, trace_file: Written, tmp_path: Path) -> None:
    trace, out = trace_file([(0, 128, 3), (1000, 256, 3), (2000, 64, 3)]), tmp_path / "out.csv"
    ran = aisim(f"replay {trace} {BY_HAND} --out {out} --json")
    # 10 ms prefill, 1 ms a token on the wire, 5 ms for the first step
    assert [float(row["ttft_ms"]) for row in read_csv(out)] == [143, 271, 79]
    assert ran.json["transfer_ms"] == pytest.approx(
        {"mean": 448 / 3, "p50": 128, "p75": 192, "p90": 230.4, "p95": 243.2, "p99": 253.44, "max": 256}
    )
    assert list(ran.json["ttft_ms"]) == list(ran.json["handoff_ms"]) == PERCENTILES
    assert ran.json["handoff_ms"] == ran.json["transfer_ms"]  # nothing waits
    assert (ran.json["rows"], ran.json["rows_left_out"], ran.json["span_s"]) == (3, 0, 2.0)
    assert ran.json["total_input_tokens"] == 448
    assert ran.json["offered_gb_s"] == pytest.approx(0.224)  # 448 MB in 2 s
    # 99% of 143, 271 and 79 ms; the slowest spends 256 of its 271 ms on the wire
    assert ran.json["verdict"] == (
        "Keeps up: 99% of requests have their first token within 268 ms; the slowest 1% spend 94% of their "
        "271 ms on the wire, so the link would hold it up first."
    )


def test_a_closed_loop_sends_the_next_as_one_ends(aisim: Aisim, trace_file: Written, tmp_path: Path) -> None:
    trace, out = trace_file([(0, 128, 3), (1, 256, 3), (2, 64, 3)]), tmp_path / "out.csv"
    ran = aisim(f"replay {trace} {BY_HAND} --concurrency 1 --out {out} --json")
    # each ends two steps of 5 ms after its first token at 10 + 1 a token + 5
    assert [float(row["arrival_ms"]) for row in read_csv(out)] == [0, 153, 434]
    assert [float(row["ttft_ms"]) for row in read_csv(out)] == [143, 271, 79]
    assert ran.json["carried"] is True
    refused = aisim(f"replay {trace} {BY_HAND} --concurrency 0")
    assert refused.status == 2
    assert "concurrency = 0: must be at least 1" in refused.err


def test_times_have_six_decimals_and_bare_names(aisim: Aisim, trace_file: Written, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    aisim(f"replay {trace_file([(0, 128, 3)])} {BY_HAND} --out {out}")
    head, line = out.read_text(encoding="utf-8").splitlines()
    assert head.startswith("row,")
    assert dict(zip(head.split(","), line.split(","), strict=True))["transfer_end_ms"] == "138.000000"


@pytest.mark.parametrize(
    ("contention", "ends"),
    [
        ("none", [128, 128, 128, 128]),
        ("fifo", [128, 256, 384, 512]),
        ("fair", [512, 512, 512, 512]),
    ],
)
def test_four_transfers_at_once_by_contention(
    contention: str, ends: list[float], aisim: Aisim, trace_file: Written, tmp_path: Path
) -> None:
    trace, out = trace_file([(0, 128, 1)] * 4), tmp_path / "out.csv"
    workers = "--prefill-workers 4 --decode-workers 4 --bandwidth-gb-s 1 --kv-bytes-per-token 1e6"
    ran = aisim(
        f"replay {trace} {workers} --prefill fixed:10 --contention {contention} --scope shared "
        f"--out {out} --json"
    )
    assert [float(row["wire_end_ms"]) - 10 for row in read_csv(out)] == ends
    # source held to activated counts the queue, the wire alone doesn't
    assert ran.json["handoff_ms"]["mean"] == sum(ends) / 4
    assert ran.json["transfer_ms"]["mean"] == (128 if contention == "fifo" else sum(ends) / 4)


def test_a_bandwidth_that_is_shared_fairly_at_every_moment(
    aisim: Aisim, trace_file: Written, tmp_path: Path
) -> None:
    trace, out = trace_file([(0, 100, 1), (50, 50, 1)]), tmp_path / "out.csv"
    workers = "--prefill-workers 2 --decode-workers 2 --bandwidth-gb-s 1 --kv-bytes-per-token 1e6"
    aisim(f"replay {trace} {workers} --prefill fixed:0 --contention fair --scope shared --out {out}")
    # alone until 50 ms, then half each: 50 MB are left of both
    assert [float(row["wire_end_ms"]) for row in read_csv(out)] == pytest.approx([150, 150])


def test_a_small_decode_pool_makes_the_second_prompt_wait(
    aisim: Aisim, trace_file: Written, tmp_path: Path
) -> None:
    trace, out = trace_file([(0, 64, 3), (0, 64, 3)]), tmp_path / "out.csv"
    aisim(f"replay {trace} {BY_HAND} --level engine --block-size 16 --pool-blocks 5 --out {out}")
    # room for one: 10 ms prefill, 64 ms transfer; the second is reserved at 89, after the first's three steps
    rows = read_csv(out)
    assert [float(row["transfer_end_ms"]) for row in rows] == [74, 153]
    assert [float(row["ttft_ms"]) for row in rows] == [79, 158]
    # and its prompt is computed once the first one's source is let go
    assert float(rows[1]["prefill_start_ms"]) == 74


def test_aggregated_workers_hand_nothing_over(aisim: Aisim, trace_file: Written) -> None:
    ran = aisim(f"replay {trace_file([(0, 8192, 1)])} --aggregated-workers 2 --json")
    assert ran.json["level"] == "engine"
    assert ran.json["ttft_ms"]["mean"] == 169.136918  # the reference polynomial at 8,192 tokens
    assert (ran.json["handoff_ms"], ran.json["transfer_ms"], ran.json["offered_gb_s"]) == (None, None, None)
    assert ran.json["span_s"] == 0


def test_a_million_workers_cost_no_more_than_the_requests_that_they_get(
    aisim: Aisim, trace_file: Written
) -> None:
    line = BY_HAND.replace("workers 1", "workers 1000000")
    ran = aisim(f"replay {trace_file([(0, 128, 3)] * 3)} {line} --json")
    assert ran.json["ttft_ms"]["max"] == 143  # a worker each


def test_a_rate_takes_its_tokens_and_a_chunk_its_pass(aisim: Aisim, trace_file: Written) -> None:
    trace = trace_file([(0, 300, 1)])
    line = BY_HAND.replace("--prefill fixed:10", "")
    at_rate = aisim(f"replay {trace} {line} --prefill rate:1000 --json").json
    assert at_rate["ttft_ms"]["mean"] == 300 + 300 + 5
    in_passes = aisim(f"replay {trace} {line} --prefill fixed:10 --prefill-chunk-tokens 100 --json").json
    assert in_passes["ttft_ms"]["mean"] == 3 * 10 + 300 + 5


def test_an_unknown_bandwidth_takes_no_time_and_says_so(aisim: Aisim, trace_file: Written) -> None:
    line = BY_HAND.replace("gb-s 1 ", "gb-s 0 ")
    ran = aisim(f"replay {trace_file([(0, 128, 3)])} {line} --json")
    assert ran.json["ttft_ms"]["mean"] == 15
    assert ran.json["notes"] == ["No delay is known at a bandwidth of 0: transfers take no time."]


def test_parquet_holds_exact_times(aisim: Aisim, trace_file: Written, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    aisim(f"replay {trace_file([(0, 1000, 1)])} {BY_HAND.replace('s 1 ', 's 3 ', 1)} --out {out}")
    table = parquet.read_table(out)
    assert table["transfer_ms"].to_pylist() == [1000.0]
    assert table["model_version"].to_pylist() == [MODEL_VERSION]


def test_lines_for_a_person_name_the_bottleneck(aisim: Aisim, trace_file: Written) -> None:
    ran = aisim(f"replay {trace_file([(0, 128, 3)])} {BY_HAND}")
    assert "1 requests" in ran.out
    assert "ttft_ms" in ran.out
    assert "Keeps up: 99% of requests have their first token within 143 ms" in ran.out
    assert "add" not in ran.out.splitlines()[-1]  # one request waits for nothing
    at_once = aisim(f"replay {trace_file([(0, 128, 3), (0, 128, 3)])} {BY_HAND} --contention fifo")
    assert "The link is the bottleneck: the slowest 1% spend " in at_once.out
    assert at_once.out.strip().endswith("; add bandwidth, or send fewer bytes.")


def test_columns_of_any_file_can_be_mapped(aisim: Aisim, tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("when,prompt,answer\n0,100,8\n1000,200,3\n", encoding="utf-8")
    roles = "arrival=when,input_tokens=prompt,output_tokens=answer"
    ran = aisim(f"replay {trace} {BY_HAND} --columns {roles} --time-unit ms --json")
    assert (ran.json["total_input_tokens"], ran.json["span_s"]) == (300, 1.0)


def test_defaults_in_the_help_are_those_of_a_replay(aisim: Aisim) -> None:
    text = " ".join(aisim("replay --help").out.split())
    for name in ("block_size", "prefill_chunk_tokens", "pool_blocks", "contention", "scope", "order"):
        default = ReplayConfig.model_fields[name].default
        option = text.partition(f"--{name.replace('_', '-')} ")[2].partition(" --")[0]
        assert str(default) in option, name


@pytest.mark.shared
def test_offered_load_of_the_whole_conversation_trace(aisim: Aisim, shared_dir: Path) -> None:
    trace = shared_dir / "facts" / "traces" / "mooncake_conversation_trace.jsonl"
    ran = aisim(
        f"replay {trace} --prefill-workers 64 --decode-workers 64 --bandwidth-gb-s 50 "
        "--kv-bytes-per-token 327680 --json"
    )
    assert ran.json["rows"] == 12_031
    assert math.isclose(ran.json["offered_gb_s"], 13.41, abs_tol=0.005)
