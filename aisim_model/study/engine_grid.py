"""Measure how far the estimate under load is from a replay at level ``engine``, and keep it as a table.

`python -m aisim_model.study.engine_grid` makes `row/data/engine_level.csv` anew, in some ten minutes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import product

import numpy as np

from aisim_model.row.engine_error import TABLE, Measured
from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Workload
from aisim_model.traffic.equal_requests import equal_requests
from aisim_model.traffic.row_replay import replay_row

MODELS = ("qwen3-32b", "gpt-oss-120b")
ROWS = (
    Deployment(id="a", name="1 + 1"),
    Deployment(id="a", name="3 + 1", prefill_workers=3),
    Deployment(id="a", name="2", kind="aggregated", prefill_workers=2),
)
PROMPTS, OUTPUTS, SHARES = (500, 2000, 8000, 32_000), (50, 340, 1000), (0.3, 0.6, 0.85)
REQUESTS, SEED = 10_000, 1


def measure(workload: Workload, row: Deployment, share: float, requests: int = REQUESTS) -> Measured:
    """Replay equal requests that arrive at random, and compare their means with the estimate.

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
    >>> found = measure(Workload(prompt_tokens=8000, output_tokens=50), ROWS[2], 0.3, requests=1000)
    >>> 0.9 < found.ttft_ratio < 1.1
    True
    """
    served = service(resolve(workload, row), workload.output_tokens)
    trace = equal_requests(workload, share * served.most_per_s, requests, SEED)
    found = replay_row(workload, row, trace, level="engine", contention="fifo")
    rate = trace.requests_per_s()
    assert rate is not None  # they don't arrive at once
    load = under_load(served, rate)
    ttft_ms, itl_ms = (float(np.nanmean(found.column(name))) for name in ("ttft_ms", "itl_ms"))
    return Measured(
        model_id=workload.model_id,
        experts=served.x.spec.total_parameters != served.x.spec.active_parameters,
        kind=row.kind,
        workers=row.name,
        share=share,
        prompt_tokens=workload.prompt_tokens,
        output_tokens=workload.output_tokens,
        ttft_ratio=round(load.ttft_ms / ttft_ms, 3),
        itl_ratio=round(load.itl_ms / itl_ms, 3),
    )


def measured_grid() -> Iterator[Measured]:
    """Measure every row, prompt, output and share of the grid."""
    for model, row, prompt, output, share in product(MODELS, ROWS, PROMPTS, OUTPUTS, SHARES):
        workload = Workload(model_id=model, prompt_tokens=prompt, output_tokens=output)
        yield measure(workload, row, share)


def main() -> None:
    """Write the table."""
    TABLE.parent.mkdir(exist_ok=True)
    with TABLE.open("w", encoding="utf-8", newline="") as sink:
        writer = csv.DictWriter(sink, Measured._fields, lineterminator="\n")
        writer.writeheader()
        for measured in measured_grid():
            writer.writerow(measured._asdict())


if __name__ == "__main__":
    main()
