"""A dask scheduler and two worker processes, to be killed."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

PATIENCE_S = 60.0


class Daemons:
    """A dask scheduler and two worker processes on the loopback address."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack, self._folder = stack, folder
        place = folder / "scheduler.log"
        self.scheduler = self._start(
            "scheduler", place, "--host", "127.0.0.1", "--port", "0", "--no-dashboard"
        )
        self.address = _wait_for(place, r"(tcp://127\.0\.0\.1:\d+)")
        self.workers = [self._worker(number) for number in range(2)]

    def _worker(self, number: int) -> subprocess.Popen[bytes]:
        options = ("--no-nanny", "--no-dashboard", "--nthreads", "1", "--host", "127.0.0.1")
        place = self._folder / f"worker-{number}.log"
        started = self._start("worker", place, self.address, *options, "--local-directory", str(self._folder))
        _wait_for(place, "Registered to")
        return started

    def _start(self, role: str, log: Path, *options: str) -> subprocess.Popen[bytes]:
        out = self._stack.enter_context(log.open("wb"))
        process = subprocess.Popen([sys.executable, "-m", "dask", role, *options], stdout=out, stderr=out)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


def _wait_for(log: Path, pattern: str) -> str:
    """Wait until a log has a line, and return what matched."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if found := re.search(pattern, log.read_text()):
            return found[0]
        time.sleep(0.05)
    raise TimeoutError(f"{log.name} has no {pattern}: {log.read_text()[-2000:]}")


@pytest.fixture
def daemons(tmp_path: Path) -> Iterator[Daemons]:
    """Start a scheduler and two workers, and kill what is left of them at the end."""
    pytest.importorskip("distributed", reason="dask is an extra: pip install 'aisim[dask]'")
    folder = tmp_path / "dask"
    folder.mkdir()
    with ExitStack() as stack:
        yield Daemons(stack, folder)
