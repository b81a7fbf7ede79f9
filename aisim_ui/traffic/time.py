"""What a replay's prefill, links and decode were doing over time, and how many requests waited for each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from aisim_model.replay import ReplayResult
from aisim_model.replay.offered import links

Floats = npt.NDArray[np.float64]
BINS = 80


def over_time(result: ReplayResult, bins: int = BINS) -> pd.DataFrame:
    """Average use and queues over equal spans of time.

    Returns
    -------
    DataFrame
        `time_s`, the middle of a span; `prefill_busy`, `link_busy` and `decode_busy`, shares of the time that
        their workers or links had something to do; `waiting_for_prefill`, `waiting_for_room`,
        `waiting_for_link` and `on_the_wire`, mean numbers of requests. A link that transfers don't share can
        be used above 1: more is sent at once than it carries.
    """
    columns, config = result.columns, result.config
    edges = np.linspace(0.0, max(result.end_ms, 1e-6), bins + 1)
    found = {"time_s": (edges[:-1] + edges[1:]) / 2 / 1000.0}
    if config.aggregated:
        worker, start = columns["worker"], columns["start_ms"]
        found["prefill_busy"] = _busy(
            start, columns["last_token_ms"], worker, config.aggregated_workers, edges
        )
        found["waiting_for_prefill"] = active(columns["arrival_ms"], start, edges)
        return pd.DataFrame(found)
    start, held = columns["prefill_start_ms"], columns["source_held_ms"]
    granted, sent = columns["destination_reserved_ms"], columns["link_start_ms"]
    source, destination = columns["prefill_worker"], columns["decode_worker"]
    arrived = columns["arrival_ms"]
    first = config.order == "source_first"
    found["prefill_busy"] = _busy(start, held, source, config.prefill_workers, edges)
    wire_end = columns["wire_end_ms"]
    if config.contention == "none":
        found["link_busy"] = active(sent, wire_end, edges) / links(result)
    else:
        group = {"source": source, "destination": destination}.get(config.scope, np.zeros_like(source))
        found["link_busy"] = _busy(sent, wire_end, group, links(result), edges)
    activated, last = columns["transfer_end_ms"], columns["last_token_ms"]
    found["decode_busy"] = _busy(activated, last, destination, config.decode_workers, edges)
    found["waiting_for_prefill"] = active(arrived if first else granted, start, edges)
    found["waiting_for_room"] = active(held if first else arrived, granted, edges)
    found["waiting_for_link"] = active(sent - columns["link_queue_ms"], sent, edges)
    found["on_the_wire"] = active(sent, wire_end, edges)
    return pd.DataFrame(found)


def active(start: Floats, end: Floats, edges: Floats) -> Floats:
    """Return the mean number of intervals that are open in each span between edges.

    Examples
    --------
    >>> active(np.array([0.0, 1.0]), np.array([2.0, 2.0]), np.array([0.0, 2.0, 4.0]))
    array([1.5, 0. ])
    """
    known = np.isfinite(start) & np.isfinite(end)
    passed = _time_since(start[known], edges) - _time_since(end[known], edges)
    mean: Floats = np.maximum(np.diff(passed) / np.diff(edges), 0.0)
    return mean


def _time_since(moments: Floats, edges: Floats) -> Floats:
    """Sum of the time that has passed at each edge since those moments that lie before it."""
    ordered = np.sort(moments)
    before = np.searchsorted(ordered, edges)
    sums = np.append(0.0, ordered.cumsum())
    return np.asarray(before * edges - sums[before], dtype=np.float64)


def _busy(
    start: Floats, end: Floats, server: npt.NDArray[np.int64], servers: int | None, edges: Floats
) -> Floats:
    """Return the share of time that servers had at least one interval open."""
    merged = merged_intervals(start, end, server)
    return active(*merged, edges) / max(servers or 1, 1)


def merged_intervals(start: Floats, end: Floats, server: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Join the intervals of each server that overlap or touch.

    Examples
    --------
    >>> starts, ends = np.array([0.0, 1.0, 5.0, 0.0]), np.array([2.0, 3.0, 6.0, 4.0])
    >>> merged_intervals(starts, ends, np.array([0, 0, 0, 1]))
    (array([0., 5., 0.]), array([3., 6., 4.]))
    """
    known = np.isfinite(start) & np.isfinite(end)
    start, end, server = start[known], end[known], server[known]
    if not start.size:
        return start, end
    order = np.lexsort((start, server))
    start, end, server = start[order], end[order], server[order]
    # servers far enough apart that one running maximum serves them all
    apart = server * (float(end.max()) + 1.0)
    reached = np.maximum.accumulate(end + apart)
    opens = np.append(True, start[1:] + apart[1:] > reached[:-1])
    heads = np.flatnonzero(opens)
    tails = np.append(heads[1:], start.size) - 1
    return start[heads], reached[tails] - apart[tails]
