"""The five published runs, replayed from the trace that comes with the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.catalog.measurements import cloud_runs
from aisim_model.evidence import cloud_evidence
from aisim_model.evidence.cloud import (
    MEAN_ANSWER_TOKENS,
    MEAN_PROMPT_TOKENS,
    TOKEN_WEIGHTED_PROMPT_TOKENS,
    prefill_tokens_per_s,
)
from aisim_model.evidence.cloud_ttft import conversation, fifo_wait_ms, queued_mean_ttft_s, row_of
from aisim_model.replay.verdict import verdict
from aisim_model.scenario import Scenario, Workload
from aisim_model.scenario.traffic import Traffic
from aisim_model.traces import read_trace
from aisim_model.traffic.row_replay import replay_row
from aisim_model.traffic.scenario_replay import row_outcome

BY_ID = {row.id: row for row in cloud_evidence()}
RUNS = {run.id: run for run in cloud_runs()}


@pytest.mark.parametrize(("run_id", "measured_s"), [("nebius", 1510), ("aws-p5", 1703)])
def test_at_its_own_prefill_rate_a_queued_run_has_its_mean_ttft(run_id: str, measured_s: float) -> None:
    row = BY_ID[f"{run_id}-ttft"]
    assert row.reported == measured_s
    assert abs(row.relative_error("calibrated") or 1) < 0.05
    assert abs(row.relative_error("roofline") or 1) < 0.20
    assert not row.fitted


@pytest.mark.parametrize("run_id", ["gke-a4x", "nscale"])
def test_a_run_that_keeps_up_is_predicted_to(run_id: str) -> None:
    row = BY_ID[f"{run_id}-ttft"]
    assert row.calibrated is None  # its KV rate is what was offered, not what prefill can do
    assert row.roofline is not None
    assert row.roofline < row.reported < 10


def test_a_run_without_a_reported_ttft_has_no_row() -> None:
    assert "aks-ttft" not in BY_ID


@pytest.mark.parametrize("run_id", ["nebius", "aws-p5"])
def test_the_queued_runs_are_prefill_bound_with_idle_links(run_id: str) -> None:
    run = RUNS[run_id]
    row = row_of(run, prefill_tokens_per_s(run))
    found = verdict(replay_row(Workload(), row, conversation(), level="fifo"))
    assert found.bottleneck == "prefill"
    assert found.bottleneck == "prefill"
    assert found.carried is False
    assert not found.carried
    assert found.link_utilisation == pytest.approx(0.03, abs=0.005)


@pytest.mark.parametrize("run_id", RUNS)
@pytest.mark.parametrize("measured_rate", [False, True])
def test_the_queue_is_that_of_a_replay(run_id: str, measured_rate: bool) -> None:
    run = RUNS[run_id]
    rate = prefill_tokens_per_s(run) if measured_rate else None
    replayed = replay_row(Workload(), row_of(run, rate), conversation(), level="fifo").column("ttft_ms")
    # no hits in either; the replay also waits for the running decode step: some milliseconds of seconds
    assert queued_mean_ttft_s(run, rate) == pytest.approx(replayed.mean() / 1000, rel=0.005)


def test_each_of_two_workers_has_its_own_queue() -> None:
    run = RUNS["nebius"]
    rate = prefill_tokens_per_s(run)
    two = run.model_copy(update={"prefill_workers": 2, "decode_workers": 2})
    replayed = replay_row(Workload(), row_of(two, rate), conversation(), level="fifo").column("ttft_ms")
    assert queued_mean_ttft_s(two, rate) == pytest.approx(replayed.mean() / 1000, rel=0.005)


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 300)), min_size=1, max_size=50))
def test_a_queue_without_a_loop_is_the_queue_with_one(requests: list[tuple[int, int]]) -> None:
    arrivals, services = (np.array(column, dtype=float) for column in zip(*sorted(requests), strict=True))
    end, waits = 0.0, []
    for arrival, service in zip(arrivals, services, strict=True):
        waits.append(max(end - arrival, 0.0))
        end = max(end, arrival) + service
    assert fifo_wait_ms(arrivals, services).tolist() == waits


def test_what_is_offered_is_what_the_runs_that_keep_up_carry() -> None:
    fifo = Scenario().changed(traffic=Traffic(level="fifo"))  # offers a link the same as the engine level
    outcome = row_outcome(fifo, row_of(RUNS["gke-a4x"]), conversation())
    assert outcome.figures.verdict.offered_gb_s == pytest.approx(RUNS["gke-a4x"].kv_gb_s, rel=0.005)
    # without prefix hits: 4% more than it can do
    assert outcome.figures.verdict.offered_load["prefill"] == pytest.approx(1.04, abs=0.03)
    assert not row_outcome(fifo, row_of(RUNS["nebius"]), conversation()).figures.verdict.carried


def test_the_means_of_the_trace_are_its_own() -> None:
    prompts, answers = conversation().input_tokens.astype(float), conversation().output_tokens.astype(float)
    assert prompts.mean() == pytest.approx(MEAN_PROMPT_TOKENS, abs=0.005)
    assert answers.mean() == pytest.approx(MEAN_ANSWER_TOKENS, abs=0.005)
    assert (prompts**2).sum() / prompts.sum() == pytest.approx(TOKEN_WEIGHTED_PROMPT_TOKENS, abs=0.005)
    assert conversation().span_s == 3536.999


@pytest.mark.shared
def test_the_packed_lengths_are_those_of_the_published_trace(shared_dir: Path) -> None:
    published, _ = read_trace(shared_dir / "facts" / "traces" / "mooncake_conversation_trace.jsonl")
    for column in ("arrival_ms", "input_tokens", "output_tokens"):
        assert np.array_equal(getattr(conversation(), column), getattr(published, column)), column
