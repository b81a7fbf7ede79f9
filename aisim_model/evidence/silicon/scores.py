"""How far off each model is on measured operating points: errors in percent, by the rows that allow them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from aisim_model.evidence.silicon.operators import ask_operators
from aisim_model.evidence.silicon.rivals import Asked, Column, Predicted, roofline, simple_roofline
from aisim_model.evidence.silicon.rows import Silicon, SiliconRow

Rival = Callable[[Sequence[SiliconRow], Column], Asked]
Batch = Literal["decoding", "most"]
Mask = npt.NDArray[np.bool_]

RIVALS: Mapping[str, Rival] = MappingProxyType(
    {
        "roofline": lambda rows, sequences: Asked(roofline(rows, sequences), {}),
        "simple_roofline": lambda rows, sequences: Asked(simple_roofline(rows, sequences), {}),
        "aiconfigurator": ask_operators,
    }
)
QUANTITIES = MappingProxyType(
    {"tpot": "TPOT", "ttft_low": "TTFT at low load", "ttft": "TTFT, at most 512 in flight"}
)
MOST_IN_FLIGHT = 512.0  # beyond it, the mean TTFT is queueing more than anything else
WITHIN = 0.25


class Score(NamedTuple):
    """Errors of one quantity.

    Parameters
    ----------
    n : int
        Rows [-].
    mape, median : float or None
        Mean and median of the absolute relative errors [%]; None without a row.
    ratio : float or None
        Median of predicted over measured [-].
    within_25 : float or None
        Share of the rows within 25% [%].
    """

    n: int
    mape: float | None = None
    median: float | None = None
    ratio: float | None = None
    within_25: float | None = None


def score(predicted: Column, measured: Column) -> Score:
    """Score predictions; those that are NaN don't count.

    Parameters
    ----------
    predicted, measured : array of float64
        In the same unit, measured above 0.

    Examples
    --------
    >>> score(np.array([110.0, 100.0, 150.0, np.nan]), np.array([100.0, 100.0, 100.0, 100.0]))
    Score(n=3, mape=20.0, median=10.0, ratio=1.1, within_25=66.67)
    """
    known = np.isfinite(predicted)
    if not known.any():
        return Score(0)
    ratio = predicted[known] / measured[known]
    error = np.abs(ratio - 1.0)
    return Score(
        n=int(known.sum()),
        mape=_percent(error.mean()),
        median=_percent(np.median(error)),
        ratio=round(float(np.median(ratio)), 4),
        within_25=_percent((error <= WITHIN).mean()),
    )


def _percent(share: Any) -> float:
    return round(float(share) * 100.0, 2)


class Masks(NamedTuple):
    """Which rows count for what: TPOT, TTFT nearly idle, any TTFT of an aggregated worker."""

    tpot: Mask
    ttft_low: Mask
    ttft: Mask


def masks(rows: Sequence[SiliconRow]) -> Masks:
    """Return the rows that each quantity is scored on."""
    return Masks(
        tpot=np.array([row.use_tpot for row in rows], dtype=bool),
        ttft_low=np.array([row.use_ttft_low and row.aggregated for row in rows], dtype=bool),
        ttft=np.array([row.aggregated and row.concurrency <= MOST_IN_FLIGHT for row in rows], dtype=bool),
    )


def batches(rows: Sequence[SiliconRow], batch: Batch = "decoding") -> Column:
    """Return the sequences that a row's worker decodes: those that did, or the most that could [-]."""
    if batch == "most":
        return np.array([row.most_sequences for row in rows], dtype=np.float64)
    return np.array([row.decoding_sequences for row in rows], dtype=np.float64)


def scores(rows: Sequence[SiliconRow], predicted: Predicted) -> dict[str, Score]:
    """Score one model's predictions of the rows, quantity by quantity."""
    if not rows:
        return {name: Score(0) for name in Masks._fields}
    measured = Predicted(np.array([row.tpot_ms for row in rows]), np.array([row.ttft_ms for row in rows]))
    found = {}
    for name, mask in masks(rows)._asdict().items():
        of = "tpot_ms" if name == "tpot" else "ttft_ms"
        found[name] = score(getattr(predicted, of)[mask], getattr(measured, of)[mask])
    return found


def scorecard(
    silicon: Silicon, rivals: Mapping[str, Rival] = RIVALS, batch: Batch = "decoding"
) -> dict[str, Any]:
    """Put measured points beside the rivals.

    Parameters
    ----------
    silicon : Silicon
        Rows, and what was left out in reading.
    rivals : mapping of str to callable
        Models that predict rows.
    batch : {"decoding", "most"}
        Whether TPOT is asked at the batch that did decode, which the row's own times tell, or at the most
        that the worker could hold, which is known before a run.

    Returns
    -------
    dict
        ``{"rows", "rivals": {name: {"tpot", "ttft_low", "ttft"}}, "left_out": {reason: count}}``, each
        quantity with ``n``, ``mape``, ``median``, ``ratio`` and ``within_25``, in percent, the ratio apart.
        A row that is left out of one quantity may count for another.

    Examples
    --------
    >>> scorecard(Silicon((), {"precision int3 has no roofline": 2}), {})
    {'rows': 0, 'rivals': {}, 'left_out': {'precision int3 has no roofline': 2}}
    """
    rows = silicon.rows
    found, left_out = {}, {**silicon.left_out, **_not_scored(rows)}
    for name, rival in rivals.items():
        asked = (
            rival(rows, batches(rows, batch)) if rows else Asked(Predicted(np.array([]), np.array([])), {})
        )
        found[name] = {quantity: one._asdict() for quantity, one in scores(rows, asked.predicted).items()}
        left_out |= asked.left_out
    return {"rows": len(rows), "rivals": found, "left_out": left_out}


def _not_scored(rows: Sequence[SiliconRow]) -> dict[str, int]:
    """Count the rows that a quantity leaves out, by reason."""
    if not rows:
        return {}
    reasons = {
        "TPOT: the batch is not known well enough (use_tpot is 0)": [not row.use_tpot for row in rows],
        "TTFT: a split deployment, whose first token crosses a link": [not row.aggregated for row in rows],
        f"TTFT: more than {MOST_IN_FLIGHT:.0f} in flight": [
            row.aggregated and row.concurrency > MOST_IN_FLIGHT for row in rows
        ],
        "TTFT at low load: more than 4 requests a worker (use_ttft_low is 0)": [
            row.aggregated and not row.use_ttft_low for row in rows
        ],
    }
    return {reason: sum(which) for reason, which in reasons.items() if any(which)}
