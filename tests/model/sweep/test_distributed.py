"""Past one process: any executor makes the same files, also where a worker is killed in the middle."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pandas.testing import assert_frame_equal
from pyarrow import parquet

from aisim_model.errors import InputError
from aisim_model.scenario import Scenario
from aisim_model.sweep import Sweep, frame, swept
from aisim_model.sweep.distributed import dask_workers, part_bytes, write_parts
from aisim_model.sweep.table import pieces

PIECE = 20_000


@pytest.fixture
def sweep() -> Sweep:
    return swept(Scenario(), ["bandwidth_gb_s=1:400:log:400", "prompt_tokens=1:1000:lin:1000"])


@pytest.fixture
def on_one(sweep: Sweep, tmp_path: Path) -> dict[str, bytes]:
    with ThreadPoolExecutor(1) as executor:
        write_parts(sweep, tmp_path / "one.parquet", executor, piece_points=PIECE)
    return files(tmp_path / "one.parquet")


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def test_a_folder_of_parts_is_the_table(sweep: Sweep, on_one: dict[str, bytes], tmp_path: Path) -> None:
    assert len(on_one) == len(list(pieces(sweep, PIECE))) == 100
    found = parquet.read_table(tmp_path / "one.parquet").to_pandas()
    assert_frame_equal(found, frame(sweep), check_exact=True)


def test_a_worker_killed_in_the_middle_changes_no_byte(
    sweep: Sweep, on_one: dict[str, bytes], daemons: Any, tmp_path: Path
) -> None:
    told: list[int] = []

    def kill_one(points: int) -> None:
        told.append(points)
        if len(told) == 10:
            os.kill(daemons.workers[0].pid, signal.SIGKILL)

    folder = tmp_path / "two.parquet"
    with dask_workers(daemons.address) as executor:
        size = write_parts(sweep, folder, executor, kill_one, PIECE)
    assert daemons.workers[0].wait(10) == -signal.SIGKILL
    assert daemons.workers[1].poll() is None
    assert files(folder) == on_one
    assert size == sum(map(len, on_one.values()))
    assert told[-1] == sweep.points


def test_a_scheduler_without_workers_is_a_sentence(daemons: Any) -> None:
    for worker in daemons.workers:
        worker.kill()
        worker.wait()
    with pytest.raises(InputError, match="without workers"), dask_workers(daemons.address, 3.0):
        pass


def test_no_scheduler_is_a_sentence() -> None:
    pytest.importorskip("distributed", reason="dask is an extra: pip install 'aisim[dask]'")
    with pytest.raises(InputError, match="no dask scheduler that answers"), dask_workers("127.0.0.1:9", 1.0):
        pass


def test_without_dask_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'aisim\[dask\]'"), dask_workers("tcp://127.0.0.1:1"):
        pass


class Breaking(Executor):
    """Loses its workers at the third piece."""

    asked = 0

    def submit(self, fn, /, *args, **kwargs):
        self.asked += 1
        future: Future[bytes] = Future()
        if self.asked < 3:
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(BrokenExecutor("a process was killed"))
        return future


def test_lost_workers_leave_nothing_behind(sweep: Sweep, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a process was killed"):
        write_parts(sweep, tmp_path / "out.parquet", Breaking(), piece_points=PIECE)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_run_leaves_nothing_behind(sweep: Sweep, tmp_path: Path) -> None:
    def interrupt(points: int) -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as executor, pytest.raises(KeyboardInterrupt):
        write_parts(sweep, tmp_path / "out.parquet", executor, interrupt, PIECE)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_kept(sweep: Sweep, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    with ThreadPoolExecutor(1) as executor, pytest.raises(InputError, match="is there already"):
        write_parts(sweep, tmp_path, executor)
    assert (tmp_path / "kept").read_text() == "mine"


def test_a_worker_of_another_version_refuses(sweep: Sweep) -> None:
    with pytest.raises(InputError, match="same version everywhere"):
        part_bytes(sweep, next(pieces(sweep, PIECE)), "0.0.0")
