"""Work done for a visitor, watched from outside: in a thread, or in a process with bounds of its own.

A process leaves the interpreter's lock to the pages, is killed where its visitor stops it or has gone,
and gives its memory back.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from types import MappingProxyType
from typing import Any

from aisim_model.replay import Progress
from aisim_model.replay.run import ReplayStoppedError

POLL_S = 0.2
NO_MEMORY = "the server has no memory left for it; take a shorter window."


def _table(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


# tables of a replay are kept from being written to; they travel as what is in them
ForkingPickler.register(MappingProxyType, lambda table: (_table, (dict(table),)))

Work = Callable[[Progress], Any]
Carry = Callable[[Work, Progress, Callable[[], bool]], Any]


def in_thread(work: Work, progress: Progress, wanted: Callable[[], bool]) -> Any:
    """Do work in a thread, and ask it to stop once it is no longer wanted.

    Returns
    -------
    object
        What the work returns; a text says why there is nothing.

    Raises
    ------
    ReplayStoppedError
        Where it was stopped.
    """
    going: Future[Any] = Future()

    def done() -> None:
        try:
            going.set_result(work(progress))
        except BaseException as error:
            going.set_exception(error)

    # a daemon: a process that ends waits for nobody's replay
    threading.Thread(target=done, daemon=True).start()
    while wait([going], POLL_S).not_done:
        if not wanted():
            progress.stop()
    try:
        return going.result()
    except MemoryError:
        return NO_MEMORY


class Worker:
    """A Python process that does one piece of work after another."""

    def __init__(self, most_mb: int) -> None:
        ours, theirs = Pipe()
        self.connection: Connection = ours
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "aisim_ui.jobs.worker", str(theirs.fileno()), str(most_mb)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C ends the server, and its end ends this
            )

    def end(self) -> None:
        """End it at once, whatever it does."""
        self.connection.close()
        self.process.kill()
        self.process.wait()


class Processes:
    """Processes that are kept for the next piece of work, each with bounds on time and memory.

    Parameters
    ----------
    most_s : float
        Longest time of a piece of work [s].
    most_mb : int
        Most memory of a process [MB].
    """

    def __init__(self, most_s: float, most_mb: int) -> None:
        self.most_s, self.most_mb = most_s, most_mb
        self._idle: list[Worker] = []
        self._lock = threading.Lock()

    def __call__(self, work: Work, progress: Progress, wanted: Callable[[], bool]) -> Any:
        """Do work in a process, as `in_thread` does; it is killed once it isn't wanted or takes too long."""
        worker, whole = self._take(), False
        try:
            worker.connection.send(work)
            found = self._followed(worker.connection, progress, wanted)
            whole = True
        except TimeoutError:
            return f"it takes longer than the {self.most_s:,.0f} s it is given; take a shorter window."
        except (EOFError, OSError):  # killed from outside, as a system does that has no memory left
            return NO_MEMORY
        finally:
            self._give_back(worker, whole)
        if isinstance(found, BaseException):
            raise found
        return found

    def _followed(self, connection: Connection, progress: Progress, wanted: Callable[[], bool]) -> Any:
        give_up = time.monotonic() + self.most_s
        while True:
            if connection.poll(POLL_S):
                ended, told = connection.recv()
                if ended:
                    return told
                progress.control[1] = told
            if not wanted():
                raise ReplayStoppedError
            if time.monotonic() > give_up:
                raise TimeoutError

    def _take(self) -> Worker:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.process.poll() is None:
                    return worker
                worker.end()
        return Worker(self.most_mb)

    def _give_back(self, worker: Worker, whole: bool) -> None:
        if not whole:
            worker.end()
            return
        with self._lock:
            self._idle.append(worker)

    def close(self) -> None:
        """End those that are idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()
