"""`aisim solve`: right answers by hand for each question, as JSON and in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aisim = Callable[[str], Any]
EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
BUDGET = f"{EXAMPLES}/handoff-budget.yaml"


def test_bandwidth_of_a_budget(aisim: Aisim) -> None:
    # 2,684,354,560 B in 20 ms; 3 NICs of 50 GB/s
    row = aisim(f"solve {BUDGET} --for bandwidth --json").json[0]
    assert row["needed_gb_s"] == pytest.approx(134.217728, rel=1e-12)
    assert (row["answer"], row["has_gb_s"], row["enough"], row["links"]) == ("found", 50.0, False, 3)
    assert (row["target"], row["target_ms"], row["fit_problem"]) == ("handoff", 20.0, None)


def test_a_budget_on_the_command_line_comes_first(aisim: Aisim) -> None:
    row = aisim(f"solve {BUDGET} --for bandwidth --handoff-budget-ms 40 --json").json[0]
    assert row["needed_gb_s"] == pytest.approx(134.217728 / 2, rel=1e-12)


def test_the_slo_is_the_target_where_there_is_no_budget(aisim: Aisim, five_ways: Path) -> None:
    row = aisim(f"solve {five_ways} --for bandwidth --json").json[1]
    assert (row["target"], row["target_ms"], row["enough"]) == ("ttft", 2000.0, True)


def test_longest_prompt(aisim: Aisim) -> None:
    row = aisim(f"solve {BUDGET} --for prompt --json").json[0]
    assert (row["answer"], row["prompt_tokens"]) == ("found", 3051)
    assert row["time_ms"] == pytest.approx(19.9950336, rel=1e-12)
    assert row["one_more_ms"] == pytest.approx(3052 * 327_680 / 50e9 * 1e3, rel=1e-12)


def test_share_that_decode_must_hold(aisim: Aisim) -> None:
    blocks, exact = aisim(f"solve {BUDGET} --for cached-share --json").json
    assert (exact["cached_tokens"], exact["prompt_tokens"]) == (5141, 8192)
    assert exact["cached_share"] == pytest.approx(5141 / 8192, rel=1e-12)
    assert exact["timing_mode"] == "destination_missing"
    assert blocks["cached_tokens"] == 5152  # 322 blocks of 16


def test_break_even_names_what_is_compared(aisim: Aisim, five_ways: Path) -> None:
    aggregated, split, *_ = aisim(f"solve {five_ways} --for break-even --json").json
    assert aggregated["answer"] == "not comparable"
    assert split["compared_to"] == "Aggregated 2 x TP4"
    assert (split["itl_answer"], split["ttft_answer"]) == ("always", "never")
    assert split["ttft_from_requests_per_s"] is None


def test_workers(aisim: Aisim) -> None:
    aggregated, two_two, three_one = aisim(f"solve {EXAMPLES}/sixteen-gpus.json --for workers --json").json
    assert aggregated["answer"] == "not comparable"
    assert (two_two["prefill_workers"], two_two["decode_workers"]) == (3, 1)
    assert two_two["requests_per_s"] > two_two["now_requests_per_s"] > 0
    assert three_one["requests_per_s"] == three_one["now_requests_per_s"] == two_two["requests_per_s"]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "bandwidth",
            "a handoff of 20 ms needs 134 GB/s (1,070 Gb/s), 3 NICs of its kind; "
            "it has 50 GB/s (400 Gb/s): too little.",
        ),
        ("prompt", "up to 3,051 tokens are within a handoff of 20 ms (19.995 ms; one more is over)."),
        ("cached-share", "5,141 of 8,192 tokens (63%) must be at the decode worker for a handoff of 20 ms"),
        ("break-even", "against Aggregated 2 x TP4, ahead on inter-token latency at every load"),
        ("workers", "as it is: 1 prefill to 1 decode workers carry most, "),
    ],
)
def test_a_person_reads_a_sentence_a_row(aisim: Aisim, question: str, sentence: str) -> None:
    lines = aisim(f"solve {BUDGET} --for {question}").out.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith(f"Only what decode lacks: {sentence}")


def test_a_row_that_doesnt_fit_is_solved_and_said(aisim: Aisim, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        "workload: {model_id: llama-3.1-70b, prompt_tokens: 8192}\n"
        "deployments: [{name: One, prefill_tp: 1, decode_tp: 1}]\n"
    )
    (row,) = aisim(f"solve {file} --for bandwidth --handoff-budget-ms 20 --json").json
    assert row["needed_gb_s"] == pytest.approx(134.217728, rel=1e-12)
    assert "weights need" in row["fit_problem"]
    said = aisim(f"solve {file} --for bandwidth --handoff-budget-ms 20").out
    assert said.startswith("One: doesn't fit its GPUs: weights need")


def test_the_longest_prompt_is_said_with_what_memory_holds(aisim: Aisim, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        "workload: {prompt_tokens: 30000, output_tokens: 100}\n"
        "deployments: [{name: Small, pool_tokens: 20000}, {name: Nothing, prefill_tp: 1, gpu: l40s}]\n"
    )
    small, none = aisim(f"solve {file} --for prompt --json").json
    assert (small["fits_prompt_tokens"], none["fits_prompt_tokens"]) == (19_900, 0)
    assert small["prompt_tokens"] > 19_900
    said = aisim(f"solve {file} --for prompt").out.splitlines()
    assert said[0].endswith("; its memory ends at 19,900.")
    assert said[1].startswith("Nothing: no prompt fits its GPUs: weights need")


def test_never_and_always_are_answers(aisim: Aisim, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        "workload: {prompt_tokens: 100}\n"
        "deployments:\n- {name: Slow, orchestration_ms: 30}\n- {name: Together, kind: aggregated}\n"
    )
    slow, together = aisim(f"solve {file} --for bandwidth --handoff-budget-ms 20 --json").json
    assert (slow["answer"], slow["needed_gb_s"]) == ("never", None)
    assert (together["answer"], together["needed_gb_s"]) == ("always", 0.0)
    slow, together = aisim(f"solve {file} --for prompt --handoff-budget-ms 20 --json").json
    assert (slow["answer"], slow["prompt_tokens"]) == ("never", 0)
    assert (together["answer"], together["prompt_tokens"]) == ("always", 10_000_000)
    slow, together = aisim(f"solve {file} --for cached-share --handoff-budget-ms 20 --json").json
    assert (slow["answer"], slow["cached_tokens"]) == ("never", None)
    assert (together["answer"], together["cached_tokens"]) == ("always", 0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--for bandwidth --handoff-budget-ms 0", "handoff_budget_ms = 0.0: must be above 0"),
        ("--for bandwidth --handoff-budget-ms nan", "handoff_budget_ms = nan: must be above 0"),
        ("--for nics", "'nics' is not one of 'bandwidth'"),
        ("", "--for"),
    ],
)
def test_wrong_options_are_a_sentence(aisim: Aisim, options: str, sentence: str) -> None:
    ran = aisim(f"solve {BUDGET} {options}")
    assert ran.status == 2
    assert sentence in ran.err
