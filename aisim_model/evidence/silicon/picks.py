"""Configurations picked by a model of a pass, and how far each stays behind the best measured one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aisim_model.evidence.silicon.rivals import Predicted
from aisim_model.evidence.silicon.rows import SiliconRow

TPOT_LIMITS_MS = (20.0, 50.0, 100.0)
LEAST_CONFIGURATIONS = 4


class Picked(NamedTuple):
    """How a model picks within a limit of TPOT.

    Parameters
    ----------
    limit_ms : float
        Most TPOT [ms].
    n : int
        Groups of one model, GPU, precision and lengths in which it picks and any configuration meets it [-].
    median, worst : float or None
        Share of the best configuration's output tokens a second and GPU that it misses [%]; None without one.
    """

    limit_ms: float
    n: int
    median: float | None = None
    worst: float | None = None


def output_per_gpu(row: SiliconRow, ttft_ms: float, tpot_ms: float) -> float:
    """Return output tokens a second and GPU of a closed loop, by Little's law [tokens/s].

    Examples
    --------
    Four in flight, each 100 tokens in 1,000 ms, on two GPUs: 4 x 100 / 1 s / 2.

    >>> from aisim_model.evidence.silicon.committed import committed
    >>> row = committed().silicon.rows[0]._replace(concurrency=4.0, output_tokens=100.0, gpus=2.0)
    >>> output_per_gpu(row, 10.0, 10.0)
    200.0
    """
    latency_ms = ttft_ms + (row.output_tokens - 1.0) * tpot_ms
    return row.concurrency * row.output_tokens / latency_ms * 1000.0 / row.gpus


def picks(rows: Sequence[SiliconRow], predicted: Predicted) -> tuple[Picked, ...]:
    """Rank configurations by a model in every group that has enough of them, and see what they did.

    A configuration counts by its best point within the limit. Where a model says no TTFT, as of split
    deployments, a token's time stands for it.
    """
    groups: dict[tuple[object, ...], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, row in enumerate(rows):
        worker = row.worker
        key = (worker.model_id, worker.gpu_id, worker.precision, row.prompt_tokens, row.output_tokens)
        groups[key][row.config].append(place)
    large = [group for group in groups.values() if len(group) >= LEAST_CONFIGURATIONS]
    return tuple(_within(rows, predicted, large, limit_ms) for limit_ms in TPOT_LIMITS_MS)


def _within(
    rows: Sequence[SiliconRow], predicted: Predicted, groups: list[dict[str, list[int]]], limit_ms: float
) -> Picked:
    missed = []
    for group in groups:
        said = {config: _best(rows, places, limit_ms, predicted) for config, places in group.items()}
        did = {config: _best(rows, places, limit_ms) for config, places in group.items()}
        if max(did.values()) > 0.0 and max(said.values()) > 0.0:
            chosen = max(said, key=lambda config: said[config])
            missed.append(100.0 * (1.0 - did[chosen] / max(did.values())))
    if not missed:
        return Picked(limit_ms, 0)
    return Picked(limit_ms, len(missed), round(float(np.median(missed)), 1), round(max(missed), 1))


def _best(
    rows: Sequence[SiliconRow], places: Sequence[int], limit_ms: float, predicted: Predicted | None = None
) -> float:
    """Return the most output of a configuration within a limit, as measured or as predicted; 0 where none."""
    best = 0.0
    for place in places:
        row = rows[place]
        ttft_ms, tpot_ms = row.ttft_ms, row.tpot_ms
        if predicted is not None:
            ttft_ms, tpot_ms = float(predicted.ttft_ms[place]), float(predicted.tpot_ms[place])
            ttft_ms = tpot_ms if np.isnan(ttft_ms) else ttft_ms
        if tpot_ms <= limit_ms:
            best = max(best, output_per_gpu(row, ttft_ms, tpot_ms))
    return best
