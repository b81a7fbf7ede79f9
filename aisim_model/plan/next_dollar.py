"""What to buy next: each single change of a layout, and the requests within the targets that it adds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import ValidationError

from aisim_model.compare.outcome import Outcome, outcome
from aisim_model.errors import InputError
from aisim_model.scenario import Deployment, Workload

Name = Literal["worker", "prefill_worker", "decode_worker", "nics", "fp8_kv", "pass_budget", "prefix_routing"]
BOUGHT: tuple[Name, ...] = ("worker", "prefill_worker", "decode_worker", "nics")
WORTH = 0.01  # of the load that is carried: what adds less isn't worth it


@dataclass(frozen=True)
class Change:
    """A change of one thing.

    Parameters
    ----------
    name : str
        What is changed: a worker more (of an aggregated, or of either side of a split row), twice the NICs,
        fp8 KV, a pass budget twice as large, or prompts routed to the prefill worker that holds their prefix.
    row : Deployment
        The layout with it.
    carries_per_s, gained_per_s : float
        Most load within the targets, and what of it is gained [requests/s].
    usd_per_hour : float
        What it costs; 0 of a setting, NaN where no price is known, as of a NIC [USD/h].
    worth : bool
        Whether it adds at least a hundredth of what is carried, or of the load where that is 0. Where no
        change brings a load within the targets: whether one request alone misses them by a hundredth less.
    nearer : float
        How much less one request alone misses the targets, as shares of them, added up [-].
    """

    name: Name
    row: Deployment
    carries_per_s: float
    gained_per_s: float
    usd_per_hour: float
    worth: bool
    nearer: float = 0.0

    @property
    def bought(self) -> bool:
        """Whether money is spent on it."""
        return self.name in BOUGHT

    @property
    def per_usd(self) -> float:
        """Requests that a dollar adds; infinite of a setting, NaN where no price is known [1/USD]."""
        if not self.bought:
            return math.inf
        return self.gained_per_s * 3600.0 / self.usd_per_hour


def next_changes(workload: Workload, row: Deployment) -> tuple[Change, ...]:
    """Return the changes of a layout: what is worth it first, settings that cost nothing ahead.

    Parameters
    ----------
    workload : Workload
        What is asked.
    row : Deployment
        The layout.

    Examples
    --------
    The worked example on 8 H200 is short of prefill:

    >>> [one.name for one in next_changes(Workload(), Deployment(id="a", name="a")) if one.worth]
    ['prefill_worker']
    """
    base = outcome(workload, row)
    tried = (_change(base, workload, name, asked, changed) for name, asked, changed in _tried(workload, row))
    found = [one for one in tried if one is not None]
    if not any((base.most_per_s, *(one.carries_per_s for one in found))):
        found = [replace(one, worth=one.nearer >= WORTH * _missed(base, workload)) for one in found]
        return tuple(sorted(found, key=lambda one: (not one.worth, -one.nearer)))
    return tuple(sorted(found, key=_order))


def _missed(one: Outcome, workload: Workload) -> float:
    """Return by how much one request alone misses the targets, as shares of them [-]."""
    times = (float(one.parts.ttft_ms), workload.ttft_slo_ms), (one.itl_ms, workload.itl_slo_ms)
    missed = sum(max(time_ms / slo_ms - 1.0, 0.0) for time_ms, slo_ms in times)
    return math.inf if math.isnan(missed) or one.memory.problem else missed


def first_bought(changes: tuple[Change, ...]) -> Change | None:
    """Return what to buy first; None where nothing that is bought is worth it."""
    return next((one for one in changes if one.bought and one.worth), None)


def _order(one: Change) -> tuple[bool, bool, bool, float]:
    unpriced = math.isnan(one.per_usd)
    return (
        not one.worth,
        one.bought,
        unpriced,
        -one.gained_per_s if unpriced or not one.bought else -one.per_usd,
    )


def _tried(workload: Workload, row: Deployment) -> Iterator[tuple[Name, Workload, dict[str, Any]]]:
    more = {"prefill_workers": row.prefill_workers + 1}
    if not row.split:
        yield "worker", workload, more
    else:
        yield "prefill_worker", workload, more
        yield "decode_worker", workload, {"decode_workers": row.decode_workers + 1}
        own = {} if row.bandwidth_gb_s is None else {"bandwidth_gb_s": 2.0 * row.bandwidth_gb_s}
        yield "nics", workload, {"nics_per_gpu": 2.0 * row.nics_per_gpu} | own
    if row.kv_dtype != "fp8" and row.kv_bytes_per_token is None and workload.kv_bytes_per_token is None:
        yield "fp8_kv", workload, {"kv_dtype": "fp8"}
    yield "pass_budget", workload, {"chunk_tokens": 2 * row.pass_tokens}
    if (held := workload.decode_cached_tokens) > workload.prefill_cached_tokens:
        yield "prefix_routing", workload.changed(prefill_cached_tokens=held), {}


def _change(
    base: Outcome, workload: Workload, name: Name, asked: Workload, changed: dict[str, Any]
) -> Change | None:
    try:
        found = outcome(asked, base.row.changed(**changed))
    except (InputError, ValidationError):  # out of range, or a model that can't be kept so
        return None
    gained = found.most_per_s - base.most_per_s
    costs = found.cost.usd_per_hour - base.cost.usd_per_hour
    if name == "nics":
        costs = math.nan
    least = WORTH * (base.most_per_s or workload.arrivals_per_s)
    nearer = _missed(base, workload) - _missed(found, workload)
    nearer = nearer if math.isfinite(nearer) else 0.0
    return Change(name, found.row, found.most_per_s, gained, costs, gained > 0.0 and gained >= least, nearer)
