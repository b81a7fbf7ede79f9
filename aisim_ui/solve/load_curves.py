"""A split row beside the aggregated one of as many GPUs, over arrivals: the table behind the load curves."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Workload

POINTS = 40
NEARLY_FULL = 0.97


def over_arrivals(workload: Workload, rows: tuple[Deployment, ...]) -> pd.DataFrame:
    """Estimate TTFT and inter-token latency of rows over arrivals, each up to where it is nearly full.

    Parameters
    ----------
    workload : Workload
        What is asked.
    rows : tuple of Deployment
        The rows.
    """
    return pd.DataFrame([point for row in rows for point in _points(workload, row)], columns=COLUMNS)


COLUMNS = pd.Index(
    ["deployment_id", "deployment", "color", "arrivals_per_s", "ttft_ms", "itl_ms", "bottleneck"]
)


@lru_cache(maxsize=64)
def _points(workload: Workload, row: Deployment) -> tuple[tuple[object, ...], ...]:
    served = service(resolve(workload, row), workload.mean_output_tokens)
    share = under_load(served, 1.0).utilisation
    if not 0 < share < float("inf"):
        return ()
    rates = np.linspace(0.0, NEARLY_FULL / share, POINTS)
    loads = [under_load(served, float(rate)) for rate in rates]
    return tuple(
        (row.id, row.name, row.color, one.arrivals_per_s, one.ttft_ms, one.itl_ms, one.bottleneck)
        for one in loads
    )
