"""The load at which a split row beats an aggregated one at equal GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from aisim_model.row.load import Load, Service, under_load
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.deployment import MOST_WORKERS
from aisim_model.solve.carried import last_true

STEPS = 64
NEAR_STEPS, NEAREST = 16, 1e-6  # as shares of the load that overloads a row
LIGHTEST = 1e-4  # of the load that overloads both: below it queues are empty and batches one

Measure = Literal["itl", "ttft"]


@dataclass(frozen=True)
class BreakEven:
    """Where a split row's estimated mean is below the aggregated one's.

    Parameters
    ----------
    answer : {"found", "always", "never"}
        ``always``: from the lightest load on. ``never``: at no load that either carries.
    from_per_s, until_per_s : float or None
        Arrivals from which it is, and up to which [requests/s]; None where it never is. A row that is
        overloaded loses to one that isn't.
    """

    answer: Literal["found", "always", "never"]
    from_per_s: float | None
    until_per_s: float | None


def aggregated_for(scenario: Scenario, row: Deployment) -> Deployment | None:
    """Return the aggregated row that a split one is to beat at equal GPUs.

    The baseline, else another aggregated row of the scenario with as many GPUs, else the split row itself
    with its GPUs as aggregated workers like those that prefill; None where these don't divide them, or they
    are more workers than a row may have.

    Examples
    --------
    >>> aggregated_for(Scenario(), Scenario().selected).name
    'Aggregated 2 x TP4'
    """
    baseline_first = sorted(scenario.deployments, key=lambda one: one.id != scenario.baseline_id)
    for other in baseline_first:
        if not other.split and other.gpus == row.gpus:
            return other
    side = row.side("prefill")
    workers, rest = divmod(row.gpus, side.gpus)
    if rest or workers > MOST_WORKERS:
        return None
    name = f"Aggregated {workers} x {side.shape}"
    return row.changed(kind="aggregated", prefill_workers=workers, name=name)


def break_even(split: Service, aggregated: Service, measure: Measure) -> BreakEven:
    """Find the loads at which a split row's mean ITL or TTFT beats an aggregated one's.

    Both rise with the load and may cross more than once: the first stretch is the answer. It is sought over
    steps of the load and close below where either row is overloaded, between which means run away.

    Parameters
    ----------
    split, aggregated : Service
        The two rows, from `aisim_model.row.load.service`.
    measure : {"itl", "ttft"}
        What is compared.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.row.load import service
    >>> example = Scenario()
    >>> rows = [service(resolve(example.workload, row), 340) for row in example.deployments[:2]]
    >>> break_even(rows[1], rows[0], "ttft").answer
    'never'
    """

    def wins(arrivals_per_s: float) -> bool:
        return ahead(_loads(split, aggregated, arrivals_per_s))

    def ahead(loads: tuple[Load, Load]) -> bool:
        ours, theirs = (_mean(load, measure) for load in loads)
        return ours < theirs

    rates, loads = _tried(split, aggregated)
    if not rates:  # neither fits its GPUs
        return BreakEven("never", None, None)
    most = rates[-1]
    won = [ahead(pair) for pair in loads]
    if True not in won:
        return BreakEven("never", None, None)
    first = won.index(True)
    last = won.index(False, first) if False in won[first:] else None
    until = most if last is None else last_true(wins, rates[last - 1], rates[last])
    if first == 0:
        return BreakEven("always", 0.0, until)
    starts = last_true(lambda rate: not wins(rate), rates[first - 1], rates[first])
    return BreakEven("found", starts, until)


def _loads(split: Service, aggregated: Service, arrivals_per_s: float) -> tuple[Load, Load]:
    return under_load(split, arrivals_per_s), under_load(aggregated, arrivals_per_s)


@lru_cache(maxsize=4)
def _tried(split: Service, aggregated: Service) -> tuple[tuple[float, ...], tuple[tuple[Load, Load], ...]]:
    """Return the arrivals to try first, rising, and both rows there; none where neither fits its GPUs."""
    ends = np.array([_overloads_at(split), _overloads_at(aggregated)])
    most = float(ends.max())
    if most == 0:
        return (), ()
    near = np.outer(ends, 1.0 - np.geomspace(NEAREST, 0.5, NEAR_STEPS)).ravel()
    rates = np.unique(np.concatenate([most * np.geomspace(LIGHTEST, 1.0, STEPS), near, ends]))
    tried = tuple(rates[rates >= most * LIGHTEST].tolist())
    return tried, tuple(_loads(split, aggregated, rate) for rate in tried)


def _mean(load: Load, measure: Measure) -> float:
    if load.overloaded:
        return float("inf")
    return float(load.itl_ms if measure == "itl" else load.ttft_ms)


def _overloads_at(served: Service) -> float:
    """Return the arrivals from which a row is overloaded [requests/s]."""
    share = under_load(served, 1.0).utilisation  # utilisation is proportional to the arrivals
    return 1.0 / share if share > 0 else 0.0
