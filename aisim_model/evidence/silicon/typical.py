"""How far the roofline's TPOT was off on silicon, for a model, a GPU and a batch like these."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from aisim_model.evidence.silicon.committed import committed

FEWEST, FACTOR = 5, 2.0  # rows that say anything, and batches that are alike
Among = Literal["this model, GPU and batch", "this model and GPU", "this GPU", "this model", "all"]


class TypicalError(NamedTuple):
    """Median error of TPOT, of rows whose configuration the fit never saw.

    Parameters
    ----------
    error : float
        Median of the absolute relative error [-].
    rows : int
        How many rows [-].
    among : str
        What they have in common with what is asked.
    """

    error: float
    rows: int
    among: Among


@lru_cache(maxsize=256)
def typical_error(model_id: str, gpu_id: str, batch: float) -> TypicalError:
    """Return how far off TPOT was on the nearest rows of which there are five.

    Parameters
    ----------
    model_id, gpu_id : str
        Of the catalogue.
    batch : float
        Sequences that a worker decodes [-]; within twice and half counts as the same.

    Examples
    --------
    >>> found = typical_error("deepseek-r1", "b200", 20.0)
    >>> found.among, found.rows > 5, found.error < 0.5
    ('this model, GPU and batch', True, True)
    >>> typical_error("no-such-model", "no-such-gpu", 1.0).among
    'all'
    """
    rows, predicted = committed().silicon.rows, committed().predicted["unseen"].tpot_ms
    measured = np.array([row.tpot_ms for row in rows])
    known = np.array([row.use_tpot for row in rows]) & np.isfinite(predicted)
    model = np.array([row.worker.model_id == model_id for row in rows])
    gpu = np.array([row.worker.gpu_id == gpu_id for row in rows])
    times = np.array([row.decoding_sequences for row in rows]) / max(batch, 1.0)
    alike = (times <= FACTOR) & (times >= 1.0 / FACTOR)
    ways: tuple[tuple[Among, np.ndarray[tuple[int], np.dtype[np.bool_]]], ...] = (
        ("this model, GPU and batch", model & gpu & alike),
        ("this model and GPU", model & gpu),
        ("this GPU", gpu),
        ("this model", model),
        ("all", np.ones_like(model)),
    )
    among, here = next((name, mask & known) for name, mask in ways if (mask & known).sum() >= FEWEST)
    return TypicalError(
        float(np.median(np.abs(predicted[here] / measured[here] - 1.0))), int(here.sum()), among
    )
