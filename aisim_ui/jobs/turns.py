"""Turns at heavy work: as many at once as there is room for, first come, first served."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

POLL_S = 0.5


class Turns:
    """A queue of which each run takes a turn a job, so that a run of many jobs lets others in between.

    Parameters
    ----------
    at_once : int
        Jobs at work at a time [-].

    Examples
    --------
    >>> with Turns(1).turn(lambda: True) as mine:
    ...     mine
    True
    """

    def __init__(self, at_once: int) -> None:
        self.free, self._changed = at_once, threading.Condition()
        self._queue: deque[object] = deque()

    @property
    def waiting(self) -> int:
        """Those who wait for a turn [-]."""
        return len(self._queue)

    @contextmanager
    def turn(self, wanted: Callable[[], bool]) -> Iterator[bool]:
        """Wait for a turn and hold it; False where it was no longer wanted before it came."""
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
            while (mine := self.free > 0 and self._queue[0] is ticket) is False and wanted():
                self._changed.wait(POLL_S)
            self._queue.remove(ticket)
            self.free -= mine
            self._changed.notify_all()
        try:
            yield mine
        finally:
            with self._changed:
                self.free += mine
                self._changed.notify_all()
