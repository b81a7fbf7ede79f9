"""`aisim replay` on logs: measured times beside the replay's, a Perfetto trace, and what is left open."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Ran

LOG = "arrival_ms,prompt_tokens,output_tokens,ttft_ms\n" + "".join(
    f"{1000 * i},100,1,230\n" for i in range(8)
)


def command(*words: object) -> str:
    return " ".join(["replay", *map(str, words), "--aggregated-workers 1 --prefill fixed:50"])


def test_measured_times_and_perfetto(tmp_path: Path, aisim: Callable[[str], Ran]) -> None:
    log, trace = tmp_path / "log.csv", tmp_path / "trace.json"
    log.write_text(LOG)
    said = aisim(command(log, "--measured --perfetto", trace)).out
    # every prompt takes 50 ms in the replay and 230 ms in the log
    assert "Measured TTFT is 180 ms above at all lengths: a fixed cost that the row doesn't have." in said
    assert sum(event["ph"] == "X" for event in json.loads(trace.read_text())["traceEvents"]) == 8
    assert aisim(command(log, "--measured --json")).json["measured"][0]["by_prompt"][0] == [100.0, 180.0]


def test_what_a_file_leaves_open_is_an_option(tmp_path: Path, aisim: Callable[[str], Ran]) -> None:
    lengths = tmp_path / "lengths.jsonl"
    lengths.write_text('{"input_length": 5}\n{"input_length": 7}\n')
    refused = aisim(command(lengths))
    assert refused.status == 2
    assert "--rate, --concurrency or --at-once" in refused.err
    assert "--output-tokens" in aisim(command(lengths, "--rate 2")).err
    said = aisim(command(lengths, "--concurrency 1 --output-tokens 4")).out
    assert "Arrivals as asked: a closed loop." in said
