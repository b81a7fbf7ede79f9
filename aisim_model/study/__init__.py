"""Many deployments by many traces over any executor, into a folder that a run can be taken up in again.

Each part is a Parquet file of records, with its figures in the file's own metadata. Its name holds a hash of
all that it depends on, so that what is there needs no second replay, and a changed scenario or trace never
finds another one's part.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import parquet

from aisim_model import MODEL_VERSION
from aisim_model.errors import InputError
from aisim_model.scenario import Scenario
from aisim_model.study.part import FIGURES, Figures, Part, StudyTrace, part_bytes
from aisim_model.sweep.write import fresh
from aisim_model.traffic.scenario_replay import asked_rows

IN_FLIGHT = 8  # parts that are asked for at a time, so that memory stays bounded
SUMMARY = "summary.csv"

Progress = Callable[[int, int], None]


class Wanted(NamedTuple):
    """A part that is to be replayed.

    Parameters
    ----------
    place : int
        Its row in the summary.
    part : Part
        The part.
    file : Path
        Where it goes.
    """

    place: int
    part: Part
    file: Path


def parts_of(scenario: Scenario, traces: Sequence[StudyTrace]) -> Iterator[Part]:
    """Return the parts of a study, trace after trace.

    Raises
    ------
    InputError
        Where the scenario's traffic names a row that isn't there.
    """
    rows = asked_rows(scenario)
    for requests in traces:
        for row in rows:
            yield Part(scenario, row.id, requests)


def run_study(
    scenario: Scenario,
    traces: Sequence[StudyTrace],
    folder: Path,
    executor: Executor,
    progress: Progress = lambda done, parts: None,
    text: Callable[[str], str] = str,
    told: Callable[[Figures], Figures] = dict,
) -> list[Figures]:
    """Replay every trace on every deployment that isn't in the folder yet, and write a summary of all.

    Parameters
    ----------
    scenario : Scenario
        Deployments, model, and how transfers share links.
    traces : sequence of StudyTrace
        What is replayed on each.
    folder : Path
        Where parts are, one Parquet file each; it may hold some from a run that was interrupted. A part has
        its name once it is whole. `summary.csv` is written at the end.
    executor : Executor
        Where parts are replayed: threads, processes, or a dask cluster's.
    progress : callable
        Told how many parts of how many are done.
    text : callable
        How a cell of text is written in the summary.
    told : callable
        What becomes of a row of the summary before it is written, such as a verdict in words.

    Returns
    -------
    list of dict
        The rows of the summary, in the order of traces and deployments, whatever the order of work.

    Raises
    ------
    InputError
        Where the folder can't be written, or workers end before their parts are done; what is done stays.
    """
    parts = list(parts_of(scenario, traces))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        found, wanted = _known(parts, folder)
        progress(len(found), len(parts))
        for place, figures in _replayed(wanted, executor):
            found[place] = figures
            progress(len(found), len(parts))
    except (BrokenExecutor, CancelledError) as error:
        problem = f"lost a worker before its part was done ({error})"
        remedy = "Run it again: what is done is kept."
        raise InputError("workers", type(executor).__name__, problem, remedy) from None
    except OSError as error:
        problem = f"can't be written ({error.strerror or error})"
        raise InputError("out", str(folder), problem, "Choose a place with room to write to.") from None
    rows = [told(found[place]) for place in range(len(parts))]
    _write_summary(folder / SUMMARY, rows, text)
    return rows


def _known(parts: Sequence[Part], folder: Path) -> tuple[dict[int, Figures], list[Wanted]]:
    """Return the figures of parts that are in the folder or refused, and the parts to be replayed."""
    found: dict[int, Figures] = {}
    wanted = []
    for place, part in enumerate(parts):
        try:
            file = folder / part.file_name()
        except ValueError:  # the row is refused before any replay: its outcome says why
            found[place] = part_bytes(part)[0]
            continue
        figures = figures_in(file)
        if figures is None:
            wanted.append(Wanted(place, part, file))
        else:
            # a name may have changed since: it doesn't count in a replay
            found[place] = {**figures, **part.identity(), "file": file.name}
    return found, wanted


def figures_in(file: Path) -> Figures | None:
    """Return the figures of a part's file; None where there is no such file, or it isn't whole."""
    if not file.is_file():
        return None
    try:
        metadata = parquet.read_schema(file).metadata or {}
        return dict(json.loads(metadata[FIGURES]))
    except (pa.ArrowInvalid, KeyError, ValueError):
        return None


def _replayed(wanted: Iterable[Wanted], executor: Executor) -> Iterator[tuple[int, Figures]]:
    """Replay parts, few at a time, and write each as it comes."""
    waiting: dict[Future[tuple[Figures, bytes | None]], Wanted] = {}

    def taken(left: int) -> Iterator[tuple[int, Figures]]:
        while len(waiting) > left:
            for future in sorted(wait(waiting, return_when=FIRST_COMPLETED).done, key=_failed):
                place, _, file = waiting.pop(future)
                figures, content = future.result()
                if content is not None:
                    with fresh(file) as unfinished:
                        unfinished.write_bytes(content)
                    figures = {**figures, "file": file.name}
                yield place, figures

    try:
        for one in wanted:
            waiting[executor.submit(part_bytes, one.part)] = one
            yield from taken(IN_FLIGHT - 1)
        yield from taken(0)
    finally:
        for future in waiting:
            future.cancel()


def _failed(future: Future[Any]) -> bool:
    """Say whether a part failed: those that didn't are written first."""
    return future.cancelled() or future.exception() is not None


def _write_summary(path: Path, rows: Sequence[Figures], text: Callable[[str], str]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with fresh(path) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow([*names, "model_version"])
        for row in rows:
            cells = (row.get(name) for name in names)
            writer.writerow(
                [*(text(cell) if isinstance(cell, str) else cell for cell in cells), MODEL_VERSION]
            )
