"""Replays beside the pages: watched, stopped, each job in its turn, and none for a visitor who has gone.

No Streamlit here. Where they run, and how many at once, is said by `aisim_ui.jobs`.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aisim_model.replay import Progress
from aisim_model.replay.run import ReplayStoppedError
from aisim_ui import jobs as heavy
from aisim_ui.traffic.outcome import ReplayOutcome

MOST_KEPT = 12
MOST_RECORDS = 1_000_000  # of one run, and of all that a visit keeps: about 0.3 GB each
MOST_RECORDS_OF_ALL = 4_000_000  # that all visits of a server keep together
AWAY_S = 4.0  # a tab that is only loaded again is back sooner


@dataclass(frozen=True, eq=False)
class Job:
    """One deployment's replay: its row, a key of its outcome, and what makes that or a text why not."""

    row_id: str
    key: Hashable
    work: Callable[[Progress], Any]


class Run:
    """Replays of one trace on several deployments, one after the other.

    Parameters
    ----------
    requests : int
        Requests of the trace [-].
    jobs : sequence of Job
        On what.
    present : callable
        Whether its visitor is still connected; it stops soon after that is false.
    place : jobs.Place, optional
        Where it is done, and how many are at once; the server's own without one.
    """

    def __init__(
        self,
        requests: int,
        jobs: Sequence[Job],
        present: Callable[[], bool] = lambda: True,
        place: heavy.Place | None = None,
    ) -> None:
        self.requests, self.jobs = requests, tuple(jobs)
        self.outcomes: dict[Hashable, Any] = {}
        self.problems: dict[Hashable, str] = {}
        self.waiting = True
        self._present, self._seen_s = present, time.monotonic()
        self._place = place or heavy.place()
        self._stopped, self._current = False, Progress()
        self._done = 0
        self._thread = threading.Thread(target=self._work, daemon=True, name="replay")

    def start(self) -> Run:
        """Begin, and return at once."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ask for an end soon; what is finished stays."""
        self._stopped = True
        self._current.stop()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the end, at most so long [s]."""
        self._thread.join(seconds)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return not self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        """Whether it was asked to stop."""
        return self._stopped

    @property
    def now(self) -> Job:
        """The job that is worked on."""
        return self.jobs[min(self._done, len(self.jobs) - 1)]

    @property
    def finished(self) -> int:
        """Requests that are done, of all jobs [-]."""
        current = self._current.finished if self._done < len(self.jobs) else 0
        return self._done * self.requests + current

    @property
    def total(self) -> int:
        """Requests of all jobs [-]."""
        return len(self.jobs) * self.requests

    def _wanted(self) -> bool:
        now = time.monotonic()
        if self._present():
            self._seen_s = now
        elif now - self._seen_s > AWAY_S:
            self._stopped = True
        return not self._stopped

    def _work(self) -> None:
        for job in self.jobs:
            self.waiting = True
            with self._place.turns.turn(self._wanted) as mine:
                if not mine or self._stopped:
                    return
                self.waiting, self._current = False, Progress()
                try:
                    found = self._place.carry(job.work, self._current, self._wanted)
                except ReplayStoppedError:
                    self._stopped = True
                    return
            if isinstance(found, str):
                self.problems[job.key] = found
            else:
                self.outcomes[job.key] = found
            self._done += 1


_all_kept: weakref.WeakSet[Kept] = weakref.WeakSet()
_keeping = threading.Lock()


@dataclass(eq=False)
class Kept:
    """Outcomes that a visit keeps, the oldest forgotten first; those of all visits have a bound too."""

    outcomes: dict[Hashable, ReplayOutcome] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with _keeping:
            _all_kept.add(self)

    @property
    def records(self) -> int:
        """Records of all that is kept [-]."""
        return sum(map(len, self.outcomes.values()))

    def add(self, outcomes: Mapping[Hashable, ReplayOutcome]) -> None:
        """Take outcomes in, and forget what is too much: one's own, then of those who keep the most."""
        with _keeping:
            for key, result in outcomes.items():
                self.outcomes.pop(key, None)
                self.outcomes[key] = result
            while len(self.outcomes) > MOST_KEPT or self.records > MOST_RECORDS:
                self._forget()
            while sum(kept.records for kept in _all_kept) > MOST_RECORDS_OF_ALL:
                max(_all_kept, key=lambda kept: kept.records)._forget()

    def _forget(self) -> None:
        del self.outcomes[next(iter(self.outcomes))]

    def get(self, key: Hashable) -> ReplayOutcome | None:
        """Return an outcome, None where there is none."""
        return self.outcomes.get(key)
