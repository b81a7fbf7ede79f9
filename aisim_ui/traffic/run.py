"""Replays in a thread of their own: watched, stopped, and never two sessions' worth of waiting for one.

No Streamlit here. The compiled loops let other threads run; how many run at once on a server is its gate's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aisim_model.replay import Progress
from aisim_model.replay.run import ReplayStoppedError
from aisim_ui.traffic.outcome import ReplayOutcome

MOST_KEPT = 12
MOST_RECORDS = 1_000_000  # of one run, and of all that a visit keeps: about 0.3 GB each


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
    gate : threading.Semaphore
        How many runs the server lets work at once.
    """

    def __init__(self, requests: int, jobs: Sequence[Job], gate: threading.Semaphore) -> None:
        self.requests, self.jobs = requests, tuple(jobs)
        self.outcomes: dict[Hashable, Any] = {}
        self.problems: dict[Hashable, str] = {}
        self.waiting = True
        self._gate, self._stopped, self._current = gate, False, Progress()
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

    def _work(self) -> None:
        with self._gate:
            self.waiting = False
            for job in self.jobs:
                if self._stopped:
                    return
                self._current = Progress()
                if self._stopped:  # asked in between
                    return
                try:
                    found = job.work(self._current)
                except ReplayStoppedError:
                    return
                except MemoryError:
                    found = "the server has no memory left for it; take a shorter window."
                if isinstance(found, str):
                    self.problems[job.key] = found
                else:
                    self.outcomes[job.key] = found
                self._done += 1


@dataclass
class Kept:
    """Outcomes that a visit keeps, the oldest forgotten first."""

    outcomes: dict[Hashable, ReplayOutcome] = field(default_factory=dict)

    def add(self, outcomes: Mapping[Hashable, ReplayOutcome]) -> None:
        """Take outcomes in, and forget what is too much."""
        for key, result in outcomes.items():
            self.outcomes.pop(key, None)
            self.outcomes[key] = result
        while len(self.outcomes) > MOST_KEPT or sum(map(len, self.outcomes.values())) > MOST_RECORDS:
            del self.outcomes[next(iter(self.outcomes))]

    def get(self, key: Hashable) -> ReplayOutcome | None:
        """Return an outcome, None where there is none."""
        return self.outcomes.get(key)
