"""Work in a process: its result, its refusals, its bounds on time and memory, and its end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from aisim_model.errors import InputError
from aisim_model.replay import Progress
from aisim_model.replay.run import ReplayStoppedError
from aisim_model.scenario import Scenario
from aisim_model.traces import Trace
from aisim_ui.jobs.carry import Processes
from aisim_ui.traffic.outcome import ReplayOutcome, replayed
from tests.ui.jobs.works import refuse, sleep, take

pytestmark = pytest.mark.skipif(os.name != "posix", reason="work stays in threads there")


TRACE = Trace(np.arange(50) * 50.0, np.full(50, 2000), np.full(50, 50))


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    found = Processes(most_s=60.0, most_mb=1500)
    yield found
    found.close()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def pid_of(processes: Processes) -> int:
    return processes._idle[-1].process.pid


def test_a_replay_in_a_process_is_the_replay(processes: Processes) -> None:
    scenario, progress = Scenario(), Progress()
    work = partial(replayed, scenario, scenario.deployments[1], TRACE, 3)
    there = processes(work, progress, lambda: True)
    here = work(Progress())
    assert isinstance(there, ReplayOutcome)
    assert isinstance(here, ReplayOutcome)
    assert there.rows_left_out == 3
    for name, values in here.result.columns.items():
        np.testing.assert_array_equal(there.result.columns[name], values)
    # what is refused comes back as it was raised, and the process is kept for the next
    before = pid_of(processes)
    with pytest.raises(InputError, match="is empty"):
        processes(refuse, progress, lambda: True)
    assert pid_of(processes) == before


def test_a_process_has_bounds_on_time_and_memory_and_ends_when_unwanted(processes: Processes) -> None:
    endless, progress = partial(sleep, 60.0), Progress()
    processes(partial(sleep, 0.0), progress, lambda: True)
    first = pid_of(processes)
    began = time.monotonic()
    with pytest.raises(ReplayStoppedError):
        processes(endless, progress, lambda: time.monotonic() < began + 0.8)
    assert gone(first)
    assert progress.finished == 7  # told while it was at work
    assert "no memory left" in processes(partial(take, 2_000_000_000), progress, lambda: True)
    hasty = Processes(most_s=0.3, most_mb=1500)
    assert "takes longer than the 0 s" in hasty(endless, progress, lambda: True)
    processes(partial(sleep, 0.0), progress, lambda: True)
    # one that is killed from outside is a sentence too, and the next gets another
    killed = pid_of(processes)
    os.kill(killed, signal.SIGKILL)
    processes._idle[-1].process.wait()
    assert processes(partial(sleep, 0.0), progress, lambda: True) is None
    assert pid_of(processes) != killed
