"""From the records of replays to the small tables that the Traffic page draws and hands on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from aisim_model.compare.columns import SLOWEST, columns_of
from aisim_model.replay import ReplayResult
from aisim_model.replay.summary import finite, summary
from aisim_model.ttft_parts import PART_NAMES

QUANTITIES = {"ttft_ms": "TTFT", "handoff_ms": "Handoff"}
CURVE_SHARES = np.unique(
    np.concatenate([np.linspace(0.0, 0.9, 31), np.linspace(0.9, 0.99, 10), [0.995, 0.998, 0.999, 1.0]])
)
BANDS = (
    (0.0, 0.1, "fastest 10%"),
    (0.1, 0.25, "10 to 25%"),
    (0.25, 0.5, "25 to 50%"),
    (0.5, 0.75, "50 to 75%"),
    (0.75, 0.9, "75 to 90%"),
    (0.9, 0.95, "90 to 95%"),
    (0.95, 0.99, "95 to 99%"),
    (0.99, 1.0, "slowest 1%"),
)


def percentiles(result: ReplayResult) -> pd.DataFrame:
    """Lay out mean, p50 to p99 and the largest of TTFT and, of a split deployment, of the handoff [ms]."""
    found = {
        label: summary(result.columns[column])
        for column, label in QUANTITIES.items()
        if column in result.columns
    }
    return pd.DataFrame(
        [
            {"quantity": label, **{f"{name}_ms": value for name, value in known.model_dump().items()}}
            for label, known in found.items()
            if known is not None
        ]
    )


def cumulative(result: ReplayResult, column: str) -> pd.DataFrame:
    """Say what share of the requests has at most so many milliseconds; empty where none has any."""
    values = finite(result.columns[column]) if column in result.columns else np.empty(0)
    shares = CURVE_SHARES if values.size else np.empty(0)
    return pd.DataFrame(
        {"share": shares, "milliseconds": np.quantile(values, shares) if values.size else values}
    )


def waits_by_percentile(result: ReplayResult) -> pd.DataFrame:
    """Average each part of the TTFT over bands of requests, from the fastest to the slowest 1% [ms].

    A band that holds no request is left out; the last one always holds at least the slowest.
    """
    ttft = result.columns["ttft_ms"]
    known = np.flatnonzero(np.isfinite(ttft))
    ranked = known[np.argsort(ttft[known], kind="stable")]
    rows = []
    for low, high, label in BANDS:
        first, last = round(low * ranked.size), round(high * ranked.size)
        if high == 1.0:
            first = min(first, ranked.size - 1)
        elif label != BANDS[0][2] and last == ranked.size:
            last -= 1  # the slowest one is in the last band alone
        band = ranked[max(first, 0) : last]
        if band.size:
            means = {part: float(result.columns[part][band].mean()) for part in PART_NAMES}
            rows.append({"band": label, "requests": band.size, **means, "ttft_ms": float(ttft[band].mean())})
    return pd.DataFrame(rows)


def slowest(result: ReplayResult, most: int = 20) -> pd.DataFrame:
    """List the requests of the highest TTFT, with every part of it and where they ran."""
    ttft = result.columns["ttft_ms"]
    known = np.flatnonzero(np.isfinite(ttft))
    worst = known[np.argsort(-ttft[known], kind="stable")[:most]]
    return pd.DataFrame(
        {column.name: result.columns[column.name][worst] for column in columns_of(SLOWEST, result.columns)}
    )


def gantt(result: ReplayResult, moment_ms: float, most: int = 20) -> pd.DataFrame:
    """Lay out the requests that were being worked on nearest to a moment, a row a part with start and end.

    Parameters
    ----------
    result : ReplayResult
        A finished replay.
    moment_ms : float
        When [ms after the first arrival].
    most : int
        Requests at most [-].
    """
    columns = result.columns
    start, first = _prefill_start(result), columns["first_token_ms"]
    known = np.flatnonzero(np.isfinite(first))
    distance = np.maximum(np.maximum(start[known] - moment_ms, moment_ms - first[known]), 0.0)
    middle = np.abs((start[known] + first[known]) / 2 - moment_ms)
    chosen = np.sort(known[np.lexsort((middle, distance))[:most]])
    rows = []
    for request in chosen.tolist():
        at = float(columns["arrival_ms"][request])
        for part in _order(result):
            spent = float(columns[part][request])
            if spent > 0.0:
                rows.append(
                    {
                        "request": request,
                        "part": part,
                        "start_ms": at,
                        "end_ms": at + spent,
                        "input_length": int(columns["input_length"][request]),
                        "ttft_ms": float(columns["ttft_ms"][request]),
                    }
                )
                at += spent
    return pd.DataFrame(rows, columns=["request", "part", "start_ms", "end_ms", "input_length", "ttft_ms"])


def _prefill_start(result: ReplayResult) -> np.ndarray:
    return result.columns["start_ms" if result.config.aggregated else "prefill_start_ms"]


def _order(result: ReplayResult) -> tuple[str, ...]:
    """Parts in the order in which they pass: some engines reserve room before they prefill."""
    if result.config.order == "source_first" or result.config.aggregated:
        return PART_NAMES
    return ("reservation_ms", *(part for part in PART_NAMES if part != "reservation_ms"))
