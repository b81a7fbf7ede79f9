"""A measured run beside its replay: how far off, where, and which part is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from aisim_model.replay import ReplayResult
from aisim_model.traces.measured import MeasuredRun
from aisim_model.traces.trace import Floats

Metric = Literal["ttft_ms", "itl_ms", "e2e_ms"]
METRICS: tuple[Metric, ...] = ("ttft_ms", "itl_ms", "e2e_ms")
PERCENTILES = (50, 90, 99)
PARTS = 4  # of the requests, by prompt length and by time
SMALL = 0.1  # of the measured median: too little to speak of
ALIKE = 0.25  # spread of differences over their mean that still is one fixed cost


@dataclass(frozen=True)
class Off:
    """How far one metric is off.

    Parameters
    ----------
    metric : str
        ``ttft_ms``, ``itl_ms`` or ``e2e_ms``.
    measured, predicted : tuple of float
        At the percentiles 50, 90 and 99 [ms].
    by_prompt, by_time : tuple of tuple of float
        Of a quarter of the requests each: mean prompt [tokens] or mean arrival [ms], then measured less
        predicted at the median [ms].
    shape : {"none", "fixed", "per_token", "grows", "mixed"}
        What the difference is: none to speak of; the same at all lengths, a fixed cost; rising with the
        prompt, a cost of each token; growing over time, a queue; or none of these.
    """

    metric: Metric
    measured: tuple[float, ...]
    predicted: tuple[float, ...]
    by_prompt: tuple[tuple[float, float], ...]
    by_time: tuple[tuple[float, float], ...]
    shape: Literal["none", "fixed", "per_token", "grows", "mixed"]

    @property
    def difference_ms(self) -> float:
        """Measured less predicted at the median [ms]."""
        return self.measured[0] - self.predicted[0]


def predicted_times(result: ReplayResult) -> dict[Metric, Floats]:
    """Return the times of each request of a replay [ms]."""
    last = result.column("last_token_ms") - result.column("arrival_ms")
    return {"ttft_ms": result.column("ttft_ms"), "itl_ms": result.column("itl_ms"), "e2e_ms": last}


def compare_run(run: MeasuredRun, result: ReplayResult) -> tuple[Off, ...]:
    """Return how far each measured metric is off, for those that were measured.

    Parameters
    ----------
    run : MeasuredRun
        The run.
    result : ReplayResult
        The replay of its trace, request by request the same.

    Examples
    --------
    >>> from aisim_model.passes import fixed
    >>> from aisim_model.replay import ReplayConfig, replay
    >>> from aisim_model.traces import Trace
    >>> trace = Trace(np.arange(8) * 1000.0, np.arange(1, 9) * 100, np.full(8, 1))
    >>> nothing = np.full(8, np.nan)
    >>> run = MeasuredRun(trace, np.full(8, 230.0), nothing, np.full(8, 230.0))
    >>> result = replay(trace, ReplayConfig(aggregated_workers=1, prefill=fixed(50.0)))
    >>> off = compare_run(run, result)[0]
    >>> off.metric, off.difference_ms, off.shape
    ('ttft_ms', 180.0, 'fixed')
    """
    predicted = predicted_times(result)
    found = []
    for metric in METRICS:
        measured = getattr(run, metric)
        both = np.isfinite(measured) & np.isfinite(predicted[metric])
        if both.any():
            found.append(_off(metric, run, measured, predicted[metric], both))
    return tuple(found)


def _off(metric: Metric, run: MeasuredRun, measured: Floats, predicted: Floats, both: Floats) -> Off:
    measured, predicted = measured[both], predicted[both]
    difference = measured - predicted
    prompts, arrival = run.trace.input_tokens[both].astype(np.float64), run.trace.arrival_ms[both]
    by_prompt, by_time = _quarters(prompts, difference), _quarters(arrival, difference)
    said, replayed = (
        tuple(float(value) for value in np.percentile(values, PERCENTILES))
        for values in (measured, predicted)
    )
    shape = _shape(difference, prompts, by_prompt, by_time, float(np.median(measured)))
    return Off(metric, said, replayed, by_prompt, by_time, shape)


def _quarters(over: Floats, difference: Floats) -> tuple[tuple[float, float], ...]:
    parts = np.array_split(np.argsort(over, kind="stable"), min(PARTS, over.size))
    return tuple((float(over[part].mean()), float(np.median(difference[part]))) for part in parts)


def _shape(
    difference: Floats,
    prompts: Floats,
    by_prompt: tuple[tuple[float, float], ...],
    by_time: tuple[tuple[float, float], ...],
    median_ms: float,
) -> Literal["none", "fixed", "per_token", "grows", "mixed"]:
    middle = float(np.median(difference))
    spread = max(off for _, off in by_prompt) - min(off for _, off in by_prompt)
    drift = by_time[-1][1] - by_time[0][1]
    if max(abs(middle), spread, abs(drift)) <= SMALL * median_ms:
        return "none"
    if spread <= 2.0 * ALIKE * abs(middle) and abs(drift) <= 2.0 * ALIKE * abs(middle):
        return "fixed"
    if abs(drift) > spread:
        return "grows"
    if np.ptp(prompts) > 0.0 and abs(np.corrcoef(prompts, difference)[0, 1]) > 0.8:
        return "per_token"
    return "mixed"
