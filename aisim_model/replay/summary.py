"""Mean and percentiles of a column, by linear interpolation."""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, ConfigDict

from aisim_model.replay.compiled import Floats

QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99)


class Summary(BaseModel):
    """Mean, percentiles and largest of some values.

    Parameters
    ----------
    mean, p50, p75, p90, p95, p99, max : float
        In the unit of the values; percentiles by linear interpolation.
    """

    model_config = ConfigDict(frozen=True)

    mean: float
    p50: float
    p75: float
    p90: float
    p95: float
    p99: float
    max: float


def finite(values: Floats) -> Floats:
    """Return the values that are there, without NaN.

    Examples
    --------
    >>> import numpy as np
    >>> finite(np.array([1.0, np.nan]))
    array([1.])
    """
    return values[np.isfinite(values)]


def summary(values: Floats) -> Summary | None:
    """Summarise what is there of a column; None where nothing is.

    Parameters
    ----------
    values : array of float64
        Values of any unit, NaN where there is none.

    Returns
    -------
    Summary or None
        Mean, percentiles, largest.

    Examples
    --------
    >>> import numpy as np
    >>> summary(np.array([1.0, 2.0, 4.0])).p75
    3.0
    """
    known = finite(values)
    if known.size == 0:
        return None
    p50, p75, p90, p95, p99 = np.quantile(known, QUANTILES).tolist()
    return Summary(
        mean=float(known.mean()), p50=p50, p75=p75, p90=p90, p95=p95, p99=p99, max=float(known.max())
    )
