"""How far the estimate's percentiles may be from engines that batch passes, as measured over a grid.

`data/spread.csv` has the ratio of the estimate to a replay at level ``engine``, made by
`aisim_model.study.spread_grid`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).parent / "data" / "spread.csv"


class MeasuredSpread(NamedTuple):
    """One cell of the grid.

    Parameters
    ----------
    model_id, kind, workers : str
        The model, ``split`` or ``aggregated``, and its workers.
    share : float
        Load over what the row carries [-].
    prompt_tokens, output_tokens : int
        Of every request [-].
    ttft_p50_ratio, ttft_p90_ratio, ttft_p99_ratio, itl_p50_ratio, itl_p90_ratio, itl_p99_ratio : float
        Estimated over replayed [-].
    both_less : float
        Estimated share within the replay's p90 of TTFT and of ITL at once, less the replayed one [-].
    """

    model_id: str
    kind: str
    workers: str
    share: float
    prompt_tokens: int
    output_tokens: int
    ttft_p50_ratio: float
    ttft_p90_ratio: float
    ttft_p99_ratio: float
    itl_p50_ratio: float
    itl_p90_ratio: float
    itl_p99_ratio: float
    both_less: float


@dataclass(frozen=True)
class SpreadError:
    """Range of the estimate's p99 over the replay's [-]; 1 is no difference.

    Parameters
    ----------
    ttft_low, ttft_high : float
        Of p99 TTFT.
    itl_low, itl_high : float
        Of p99 ITL.
    """

    ttft_low: float
    ttft_high: float
    itl_low: float
    itl_high: float


@lru_cache(maxsize=1)
def measured_spread() -> tuple[MeasuredSpread, ...]:
    """Read the table.

    Examples
    --------
    >>> {one.kind for one in measured_spread()} == {"split", "aggregated"}
    True
    """
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return tuple(_cell(list(row.values())) for row in csv.DictReader(lines))


def _cell(row: list[str]) -> MeasuredSpread:
    model_id, kind, workers, share, prompt, output, *ratios = row
    numbers = [float(ratio) for ratio in ratios]
    return MeasuredSpread(model_id, kind, workers, float(share), int(prompt), int(output), *numbers)


def spread_error(kind: str, share: float) -> SpreadError | None:
    """Return how far the estimate of p99 may be off at level ``engine``.

    Parameters
    ----------
    kind : {"split", "aggregated"}
        Of the row.
    share : float
        Its load over what it carries, `Load.utilisation` [-].

    Returns
    -------
    SpreadError or None
        At the least load of the grid that is no lower; None above the highest, where nothing was measured.

    Examples
    --------
    >>> spread_error("split", 0.95) is None
    True
    """
    shares = sorted({one.share for one in measured_spread() if one.share >= share})
    if not shares:
        return None
    cells = [one for one in measured_spread() if one.kind == kind and one.share == shares[0]]
    ttft, itl = [one.ttft_p99_ratio for one in cells], [one.itl_p99_ratio for one in cells]
    return SpreadError(min(ttft), max(ttft), min(itl), max(itl))
