"""A replay as a Chrome trace in JSON, which Perfetto opens: workers as tracks, requests as slices."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from aisim_model import MODEL_VERSION
from aisim_model.replay import ReplayResult
from aisim_model.replay.result import Column
from aisim_model.sweep.write import fresh
from aisim_model.units import US_PER_MS

# What a slice is of: its name, its worker, and the columns of its start and end.
SPLIT = (
    ("Prefill worker", "prefill_worker", "prefill_start_ms", "source_held_ms"),
    ("Handoff from prefill worker", "prefill_worker", "link_start_ms", "wire_end_ms"),
    ("Decode worker", "decode_worker", "transfer_end_ms", "last_token_ms"),
)
AGGREGATED = (("Worker", "worker", "start_ms", "last_token_ms"),)
TOLD = ("input_length", "output_length", "ttft_ms", "itl_ms")


def chrome_trace(results: Mapping[str, ReplayResult]) -> Iterator[str]:
    """Yield the pieces of a Chrome trace of replays.

    Each worker is a process; requests that it has at one time lie in lanes, a thread each. Times are in µs
    after the first arrival.

    Parameters
    ----------
    results : mapping of str to ReplayResult
        Replays by the name of their deployment.

    Examples
    --------
    >>> import numpy as np
    >>> from aisim_model.replay import ReplayConfig, replay
    >>> from aisim_model.passes import fixed
    >>> from aisim_model.traces import Trace
    >>> trace = Trace(np.array([0.0]), np.array([100]), np.array([2]))
    >>> found = replay(trace, ReplayConfig(aggregated_workers=1, prefill=fixed(5.0), decode=fixed(1.0)))
    >>> events = json.loads("".join(chrome_trace({"": found})))["traceEvents"]
    >>> [(event["ph"], event["name"], event.get("dur")) for event in events]
    [('M', 'process_name', None), ('X', 'request 1', 6000.0)]
    """
    yield f'{{"displayTimeUnit":"ms","otherData":{{"model_version":"{MODEL_VERSION}"}},"traceEvents":['
    comma = ""
    for event in _events(results):
        yield f"{comma}{json.dumps(event, separators=(',', ':'))}\n"
        comma = ","
    yield "]}\n"


def write_chrome_trace(path: Path, results: Mapping[str, ReplayResult]) -> None:
    """Write a Chrome trace to a file that is there whole or not at all.

    Raises
    ------
    InputError
        For a path that can't be written.
    """
    with fresh(path) as beside, beside.open("w", encoding="utf-8") as file:
        file.writelines(chrome_trace(results))


def _events(results: Mapping[str, ReplayResult]) -> Iterator[dict[str, Any]]:
    process = 0
    for deployment, result in results.items():
        for kind, worker, start, end in AGGREGATED if result.config.aggregated else SPLIT:
            workers = result.column(worker)
            for number in np.unique(workers[workers >= 0]):
                process += 1
                name = f"{deployment}: {kind} {number}" if deployment else f"{kind} {number}"
                yield {"ph": "M", "name": "process_name", "pid": process, "args": {"name": name}}
                yield from _slices(result, np.flatnonzero(workers == number), start, end, process)


def _slices(
    result: ReplayResult, rows: Column, start: str, end: str, process: int
) -> Iterator[dict[str, Any]]:
    begins, ends = result.column(start)[rows], result.column(end)[rows]
    ran = np.isfinite(begins) & np.isfinite(ends)  # the others were cancelled before
    rows, begins, ends = rows[ran], begins[ran], ends[ran]
    told = {name: result.column(name) for name in TOLD}
    free: list[int] = []
    busy: list[tuple[float, int]] = []
    for place in np.argsort(begins, kind="stable"):
        row, begin = int(rows[place]), float(begins[place])
        while busy and busy[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else len(busy) + 1
        heapq.heappush(busy, (float(ends[place]), lane))
        values = {name: column[row].item() for name, column in told.items()}
        yield {
            "ph": "X",
            "name": f"request {int(result.column('source_row')[row])}",
            "pid": process,
            "tid": lane,
            "ts": round(begin * US_PER_MS, 3),
            "dur": round((float(ends[place]) - begin) * US_PER_MS, 3),
            "args": {name: value for name, value in values.items() if value == value},  # no NaN in JSON
        }
