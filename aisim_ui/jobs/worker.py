"""A process that does what it is told by its server, under bounds of its own, until that server ends."""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
from multiprocessing.connection import Connection

import aisim_ui.traffic.outcome  # noqa: F401 - what nearly all work needs, loaded before it comes
from aisim_model.replay import Progress
from aisim_ui.jobs.carry import NO_MEMORY

TELL_S = 0.3
NICER = 10  # pages of visitors go first


def bound(most_mb: int) -> None:
    """Let this process take so much memory [MB] and no more, and give way to others."""
    os.nice(NICER)
    with contextlib.suppress(ImportError, ValueError):  # where the system has no such bound
        import resource

        most = most_mb * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def serve(connection: Connection) -> None:
    """Do one piece of work after another."""
    while True:
        try:
            work = connection.recv()
        except EOFError:
            return
        progress, ended = Progress(), threading.Event()

        def tell(progress: Progress = progress, ended: threading.Event = ended) -> None:
            while not ended.wait(TELL_S):
                try:
                    connection.send((False, progress.finished))
                except OSError:  # the server has gone
                    os._exit(1)

        telling = threading.Thread(target=tell, daemon=True)
        telling.start()
        found: object
        try:
            found = work(progress)
        except MemoryError:
            found = NO_MEMORY
        except Exception as error:
            found = error
        ended.set()
        telling.join()
        try:
            connection.send((True, found))
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            connection.send((True, error))
        del found, work


if __name__ == "__main__":
    bound(int(sys.argv[2]))
    serve(Connection(int(sys.argv[1])))
