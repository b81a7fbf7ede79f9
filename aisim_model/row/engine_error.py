"""How far the estimate under load may be from engines that batch passes, as measured over a grid.

The estimate meets a replay at level ``fifo``. At level ``engine`` prompts that wait share passes, which read
the weights once, and steps vary with their batch; `data/engine_level.csv` has the ratio of the two means for
rows, prompts, outputs and loads, made by `aisim_model.study.engine_grid`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).parent / "data" / "engine_level.csv"


class Measured(NamedTuple):
    """One cell of the grid.

    Parameters
    ----------
    model_id, kind, workers : str
        The model, ``split`` or ``aggregated``, and its workers.
    experts : bool
        Whether the model is a mixture of experts.
    share : float
        Load over what the row carries [-].
    prompt_tokens, output_tokens : int
        Of every request [-].
    ttft_ratio, itl_ratio : float
        Estimated mean over replayed mean [-].
    """

    model_id: str
    experts: bool
    kind: str
    workers: str
    share: float
    prompt_tokens: int
    output_tokens: int
    ttft_ratio: float
    itl_ratio: float


@dataclass(frozen=True)
class EngineError:
    """Range of the estimate over the replay at level ``engine`` [-]; 1 is no difference.

    Parameters
    ----------
    ttft_low, ttft_high : float
        Of mean TTFT.
    itl_low, itl_high : float
        Of mean ITL.
    """

    ttft_low: float
    ttft_high: float
    itl_low: float
    itl_high: float


@lru_cache(maxsize=1)
def measured() -> tuple[Measured, ...]:
    """Read the table."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return tuple(
            Measured(
                row["model_id"],
                row["experts"] == "True",
                row["kind"],
                row["workers"],
                float(row["share"]),
                int(row["prompt_tokens"]),
                int(row["output_tokens"]),
                float(row["ttft_ratio"]),
                float(row["itl_ratio"]),
            )
            for row in csv.DictReader(lines)
        )


def engine_error(kind: str, share: float, experts: bool | None = None) -> EngineError | None:
    """Return how far the estimate of a row may be off at level ``engine``.

    Parameters
    ----------
    kind : {"split", "aggregated"}
        Of the row.
    share : float
        Its load over what it carries, `Load.utilisation` [-].
    experts : bool, optional
        Whether its model is a mixture of experts, whose short prompts are bound by memory and gain the most
        from passes that they share; all models where left open.

    Returns
    -------
    EngineError or None
        At the least load of the grid that is no lower; None above the highest, where nothing was measured.

    Examples
    --------
    >>> found = engine_error("split", 0.2)
    >>> 0.9 < found.ttft_low < found.ttft_high < 1.1
    True
    >>> engine_error("split", 0.95) is None
    True
    """
    shares = sorted({one.share for one in measured() if one.share >= share})
    if not shares:
        return None
    cells = [
        one
        for one in measured()
        if one.kind == kind and one.share == shares[0] and experts in (None, one.experts)
    ]
    ttft, itl = [one.ttft_ratio for one in cells], [one.itl_ratio for one in cells]
    return EngineError(min(ttft), max(ttft), min(itl), max(itl))
