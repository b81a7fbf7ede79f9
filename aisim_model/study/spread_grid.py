"""Measure how far the estimate's percentiles are from a replay at level ``engine``, and keep it as a table.

`python -m aisim_model.study.spread_grid` makes `row/data/spread.csv` anew, in a minute or two.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import product

import numpy as np

from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.spread import spread
from aisim_model.row.spread_error import TABLE, MeasuredSpread
from aisim_model.scenario import Deployment, Workload
from aisim_model.study.engine_grid import MODELS, ROWS
from aisim_model.traffic.equal_requests import equal_requests
from aisim_model.traffic.row_replay import replay_row

LENGTHS, SHARES = ((500, 50), (2000, 340), (8000, 100), (12_000, 340)), (0.3, 0.6, 0.85)
REQUESTS, SEED = 3000, 1


def measure_spread(
    workload: Workload, row: Deployment, share: float, requests: int = REQUESTS
) -> MeasuredSpread:
    """Replay equal requests that arrive at random, and compare percentiles with the estimate's.

    Parameters
    ----------
    workload, row : Workload, Deployment
        What is asked of what.
    share : float
        Of the load that the row carries [-].
    requests : int
        How many are replayed [-].

    Examples
    --------
    >>> found = measure_spread(Workload(prompt_tokens=8000, output_tokens=100), ROWS[0], 0.3, requests=500)
    >>> 0.8 < found.ttft_p90_ratio < 1.25
    True
    """
    served = service(resolve(workload, row), workload.output_tokens)
    trace = equal_requests(workload, share * served.most_per_s, requests, SEED)
    replayed = replay_row(workload, row, trace, level="engine", contention="fifo")
    found = spread(served, under_load(served, trace.requests_per_s()))
    ttft_ms, itl_ms = replayed.column("ttft_ms"), replayed.column("itl_ms")
    ratios = [
        round(float(estimated(at) / np.quantile(times, at)), 3)
        for estimated, times in ((found.ttft_at, ttft_ms), (found.itl_at, itl_ms))
        for at in (0.5, 0.9, 0.99)
    ]
    limits = float(np.quantile(ttft_ms, 0.9)), float(np.quantile(itl_ms, 0.9))
    both = float(((ttft_ms <= limits[0]) & (itl_ms <= limits[1])).mean())
    both_less = round(float(found.both_within(*limits)) - both, 3)
    of_row = workload.model_id, row.kind, row.name, share, workload.prompt_tokens, workload.output_tokens
    return MeasuredSpread._make((*of_row, *ratios, both_less))


def measured_grid() -> Iterator[MeasuredSpread]:
    """Measure every model, row, length and share of the grid."""
    for model, row, (prompt, output), share in product(MODELS, ROWS, LENGTHS, SHARES):
        yield measure_spread(Workload(model_id=model, prompt_tokens=prompt, output_tokens=output), row, share)


def main() -> None:
    """Write the table."""
    with TABLE.open("w", encoding="utf-8", newline="") as sink:
        writer = csv.DictWriter(sink, MeasuredSpread._fields, lineterminator="\n")
        writer.writeheader()
        for measured in measured_grid():
            writer.writerow(measured._asdict())


if __name__ == "__main__":
    main()
