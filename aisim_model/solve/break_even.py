"""The load at which a split row beats an aggregated one at equal GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from aisim_model.planning.load import Load, Service, under_load
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.deployment import MOST_WORKERS
from aisim_model.solve.carried import last_true

STEPS = 32
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
    with its GPUs as aggregated workers of its prefill TP; None where that TP doesn't divide them, or they are
    more workers than a row may have.

    Examples
    --------
    >>> aggregated_for(Scenario(), Scenario().selected).name
    'Aggregated 2 x TP4'
    """
    baseline_first = sorted(scenario.deployments, key=lambda one: one.id != scenario.baseline_id)
    for other in baseline_first:
        if not other.split and other.gpus == row.gpus:
            return other
    workers, rest = divmod(row.gpus, row.prefill_tp)
    if rest or workers > MOST_WORKERS:
        return None
    name = f"Aggregated {workers} x TP{row.prefill_tp}"
    return row.changed(kind="aggregated", prefill_workers=workers, name=name)


def break_even(split: Service, aggregated: Service, measure: Measure) -> BreakEven:
    """Find the loads at which a split row's mean ITL or TTFT beats an aggregated one's.

    Both rise with the load and may cross more than once: the first stretch is the answer.

    Parameters
    ----------
    split, aggregated : Service
        The two rows, from `aisim_model.planning.load.service`.
    measure : {"itl", "ttft"}
        What is compared.

    Examples
    --------
    >>> from aisim_model.inputs import resolve
    >>> from aisim_model.planning.load import service
    >>> example = Scenario()
    >>> rows = [service(resolve(example.workload, row), 340) for row in example.deployments[:2]]
    >>> break_even(rows[1], rows[0], "ttft").answer
    'never'
    """

    def wins(arrivals_per_s: float) -> bool:
        at = (under_load(served, arrivals_per_s) for served in (split, aggregated))
        ours, theirs = (_mean(load, measure) for load in at)
        return ours < theirs

    most = max(_overloads_at(split), _overloads_at(aggregated))
    if most == 0:  # neither fits its GPUs
        return BreakEven("never", None, None)
    rates = most * np.geomspace(LIGHTEST, 1.0, STEPS)
    won = [wins(rate) for rate in rates]
    if True not in won:
        return BreakEven("never", None, None)
    first = won.index(True)
    last = won.index(False, first) if False in won[first:] else None
    until = float(most) if last is None else last_true(wins, float(rates[last - 1]), float(rates[last]))
    if first == 0:
        return BreakEven("always", 0.0, until)
    starts = last_true(lambda rate: not wins(rate), float(rates[first - 1]), float(rates[first]))
    return BreakEven("found", starts, until)


def _mean(load: Load, measure: Measure) -> float:
    if load.overloaded:
        return float("inf")
    return load.itl_ms if measure == "itl" else load.ttft_ms


def _overloads_at(served: Service) -> float:
    """Return the arrivals from which a row is overloaded [requests/s]."""
    share = under_load(served, 1.0).utilisation  # utilisation is proportional to the arrivals
    return 1.0 / share if share > 0 else 0.0
