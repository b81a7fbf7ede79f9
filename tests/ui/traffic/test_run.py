"""Replays beside the pages: they end, stop, take turns, die with their visitor; what is kept has a bound."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable

import numpy as np
import pytest

from aisim_model.replay import Progress, ReplayConfig, replay
from aisim_model.replay.run import ReplayStoppedError
from aisim_model.traces import Trace
from aisim_ui.jobs import Place
from aisim_ui.jobs.carry import in_thread
from aisim_ui.jobs.turns import Turns
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
    run = ended(Run(REQUESTS, [job("a"), job("b")]).start())
    assert list(run.outcomes) == ["a", "b"]
    assert run.finished == run.total == 10
    assert not run.problems


def test_a_refused_job_leaves_a_sentence_and_the_others_go_on() -> None:
    run = Run(REQUESTS, [job("a", lambda progress: "no room"), job("b")])
    ended(run.start())
    assert run.problems == {"a": "no room"}
    assert list(run.outcomes) == ["b"]


def test_memory_that_runs_out_is_a_sentence() -> None:
    def greedy(progress: Progress) -> ReplayOutcome:
        raise MemoryError

    run = ended(Run(REQUESTS, [job("a", greedy)]).start())
    assert "memory" in run.problems["a"]


def test_a_stopped_run_keeps_what_was_finished_and_starts_nothing_more() -> None:
    reached, go_on = threading.Event(), threading.Event()

    def slow(progress: Progress) -> ReplayOutcome:
        reached.set()
        assert go_on.wait(60)
        return outcome(progress=progress)  # is stopped within

    run = Run(REQUESTS, [job("a"), job("b", slow), job("c")]).start()
    assert reached.wait(60)
    run.stop()
    go_on.set()
    ended(run)
    assert run.stopped
    assert list(run.outcomes) == ["a"]


def test_a_run_of_many_jobs_lets_another_in_between() -> None:
    place, order = Place(Turns(1), in_thread), list[str]()
    reached, go_on = threading.Event(), threading.Event()

    def first(progress: Progress) -> str:
        reached.set()
        assert go_on.wait(60)
        return order.append("a1") or "done"

    def then(name: str) -> Callable[[Progress], str]:
        return lambda progress: order.append(name) or "done"

    many = Run(
        REQUESTS, [job("a1", first), job("a2", then("a2")), job("a3", then("a3"))], place=place
    ).start()
    assert reached.wait(60)
    other = Run(REQUESTS, [job("b1", then("b1"))], place=place).start()
    while not place.turns.waiting:
        time.sleep(0.01)
    assert other.waiting
    go_on.set()
    ended(many), ended(other)
    assert order == ["a1", "b1", "a2", "a3"]


def test_a_run_ends_soon_after_its_visitor_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aisim_ui.traffic.run.AWAY_S", 0.3)
    there = True

    def endless(progress: Progress) -> ReplayOutcome:
        while not progress.control[0]:
            time.sleep(0.01)
        raise ReplayStoppedError

    run = Run(REQUESTS, [job("a", endless), job("b")], lambda: there).start()
    time.sleep(0.5)
    assert not run.ended  # as long as the visitor is there
    there = False
    run.wait(5)
    assert run.ended
    assert not run.outcomes


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


def test_all_visits_together_keep_no_more_than_their_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aisim_ui.traffic.run.MOST_RECORDS_OF_ALL", 22)
    monkeypatch.setattr("aisim_ui.traffic.run._all_kept", weakref.WeakSet())
    greedy, modest = Kept(), Kept()
    for key in "abc":
        greedy.add({key: outcome()})
    modest.add({"m": outcome()})
    assert len(greedy.outcomes) == 3  # 20 records of 22
    modest.add({"n": outcome()})  # 25: who keeps the most gives the oldest
    assert list(greedy.outcomes) == ["b", "c"]
    assert list(modest.outcomes) == ["m", "n"]
