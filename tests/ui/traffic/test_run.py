"""Replays in a thread: they end, stop, queue at the gate, and what is kept has a bound."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

from aisim_model.replay import Progress, ReplayConfig, replay
from aisim_model.traces import Trace
from aisim_ui.traffic.outcome import ReplayOutcome
from aisim_ui.traffic.run import Job, Kept, Run

REQUESTS = 5
CONFIG = ReplayConfig(prefill_workers=1, decode_workers=1)


def outcome(requests: int = REQUESTS, progress: Progress | None = None) -> ReplayOutcome:
    trace = Trace(np.arange(float(requests)), np.full(requests, 8), np.full(requests, 2))
    return ReplayOutcome(replay(trace, CONFIG, progress))


def job(row_id: str, work: Callable[[Progress], ReplayOutcome | str] | None = None) -> Job:
    return Job(row_id, row_id, work or (lambda progress: outcome(progress=progress)))


def ended(run: Run) -> Run:
    run.wait(60)
    assert run.ended
    return run


def test_every_job_leaves_its_outcome() -> None:
    run = ended(Run(REQUESTS, [job("a"), job("b")], threading.Semaphore()).start())
    assert list(run.outcomes) == ["a", "b"]
    assert run.finished == run.total == 10
    assert not run.problems


def test_a_refused_job_leaves_a_sentence_and_the_others_go_on() -> None:
    run = Run(REQUESTS, [job("a", lambda progress: "no room"), job("b")], threading.Semaphore())
    ended(run.start())
    assert run.problems == {"a": "no room"}
    assert list(run.outcomes) == ["b"]


def test_memory_that_runs_out_is_a_sentence() -> None:
    def greedy(progress: Progress) -> ReplayOutcome:
        raise MemoryError

    run = ended(Run(REQUESTS, [job("a", greedy)], threading.Semaphore()).start())
    assert "memory" in run.problems["a"]


def test_a_stopped_run_keeps_what_was_finished_and_starts_nothing_more() -> None:
    reached, go_on = threading.Event(), threading.Event()

    def slow(progress: Progress) -> ReplayOutcome:
        reached.set()
        assert go_on.wait(60)
        return outcome(progress=progress)  # is stopped within

    run = Run(REQUESTS, [job("a"), job("b", slow), job("c")], threading.Semaphore()).start()
    assert reached.wait(60)
    run.stop()
    go_on.set()
    ended(run)
    assert run.stopped
    assert list(run.outcomes) == ["a"]


def test_a_run_waits_at_the_gate_for_another() -> None:
    gate = threading.Semaphore(0)
    run = Run(REQUESTS, [job("a")], gate).start()
    assert run.waiting
    assert not run.ended
    gate.release()
    assert list(ended(run).outcomes) == ["a"]


def test_the_oldest_outcomes_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aisim_ui.traffic.run.MOST_KEPT", 3)
    kept, one = Kept(), outcome()
    for key in "abcd":
        kept.add({key: one})
    assert list(kept.outcomes) == ["b", "c", "d"]
    kept.add({"b": one})  # used again, so not the oldest any more
    kept.add({"e": one})
    assert list(kept.outcomes) == ["d", "b", "e"]


def test_all_that_is_kept_has_a_bound_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aisim_ui.traffic.run.MOST_RECORDS", 12)
    kept = Kept()
    for key in "abc":
        kept.add({key: outcome()})
    assert list(kept.outcomes) == ["b", "c"]
    kept.add({"d": outcome(20)})  # more than all that may be kept: not even that
    assert not kept.outcomes
