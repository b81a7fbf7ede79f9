"""What moves a row's TTFT, remembered: a rerun that changes another row doesn't ask again."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from aisim_model.compare.sensitivity import tornado
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Workload


@lru_cache(maxsize=64)
def moved_inputs(workload: Workload, row: Deployment) -> pd.DataFrame:
    """Return the table of `aisim_model.compare.sensitivity.tornado` for a row; callers leave it as it is."""
    return tornado(resolve(workload, row))
