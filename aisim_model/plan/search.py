"""The search: every layout worked out, the best ranked, the frontier, and what fits at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass

from aisim_model.compare.outcome import Outcome, outcome
from aisim_model.plan.evaluate import Block, Misfit, blocks, estimated, layout
from aisim_model.plan.frontier import Points, best, joined, points
from aisim_model.plan.ordering import Key, keyed
from aisim_model.plan.space import Space
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.scenario.planning import Objective
from aisim_model.scenario.workload import MOST_ARRIVALS_PER_S

KEPT = 10
SHARES = 16  # that a search is cut into where it is shared
Found = tuple[Key, int, Deployment]
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Candidate:
    """A layout, and what the estimate says of it.

    Parameters
    ----------
    outcome : Outcome
        All that the model says of it, at the load that is asked for; where none is, at the most that it
        carries within the targets.
    arrivals_per_s : float
        That load [requests/s].
    """

    outcome: Outcome
    arrivals_per_s: float

    @property
    def row(self) -> Deployment:
        """The layout as a row."""
        return self.outcome.row

    @property
    def meets(self) -> bool:
        """Whether all targets are met."""
        return bool(self.outcome.reached.meets)

    @property
    def headroom(self) -> float:
        """How much more it carries within the targets than the load, as a share of that [-]."""
        return self.outcome.most_per_s / self.arrivals_per_s - 1.0 if self.arrivals_per_s else 0.0


@dataclass(frozen=True)
class FrontierPoint:
    """A layout at a load that no other of its kind beats both for its users and for its GPUs.

    Parameters
    ----------
    row : Deployment
        The layout.
    tokens_per_s_user, tokens_per_s_gpu : float
        Output tokens of a request, and of a GPU [tokens/s].
    arrivals_per_s : float
        The load [requests/s].
    """

    row: Deployment
    tokens_per_s_user: float
    tokens_per_s_gpu: float
    arrivals_per_s: float


@dataclass(frozen=True)
class Plan:
    """What came of a search.

    Parameters
    ----------
    scenario : Scenario
        What was asked.
    gpus : int
        GPUs at most [-].
    objective : {"cost", "goodput", "gpus"}
        What the first is first by.
    searched, fit, met : int
        Layouts in all, those that fit their GPUs, and those that meet the targets [-].
    ranked : tuple of Candidate
        The best, first first; where none meets the targets the nearest misses.
    other : Candidate or None
        The best of the other kind than the first, split or aggregated; None where none fits.
    frontier : tuple of FrontierPoint
        Of aggregated and of split layouts, each on its own.
    misfit : Misfit or None
        What lacks the least memory, where nothing fits.
    """

    scenario: Scenario
    gpus: int
    objective: Objective
    searched: int
    fit: int
    met: int
    ranked: tuple[Candidate, ...]
    other: Candidate | None
    frontier: tuple[FrontierPoint, ...]
    misfit: Misfit | None

    @property
    def best(self) -> Candidate | None:
        """The first, where it meets the targets."""
        return self.ranked[0] if self.ranked and self.ranked[0].meets else None


def recommend(
    space: Space,
    objective: Objective = "cost",
    kept: int = KEPT,
    progress: Progress = lambda done: None,
    executor: Executor | None = None,
) -> Plan:
    """Work every layout out and rank them.

    Layouts that meet the targets come first: by the price of a million output tokens of requests within
    both service levels (``cost``), by the most load within the targets (``goodput``), or by GPUs, then
    price (``gpus``). Those that miss come by how much. Without arrivals the load is the most that a layout
    carries within the targets. Of equals the first in the order of the search is first.

    Parameters
    ----------
    space : Space
        What is searched.
    objective : {"cost", "goodput", "gpus"}
        What counts.
    kept : int
        Layouts that are told of [-].
    progress : callable
        Told how many layouts are done.
    executor : Executor, optional
        What the work is shared over, such as dask's workers; the answer is the same.

    Examples
    --------
    >>> from aisim_model.plan.space import space_of
    >>> locks = {"weight_format": "bf16", "kv_dtype": "bf16", "prefill_tp": 4, "decode_workers": 1}
    >>> found = recommend(space_of(Scenario(), 8, locks=locks))
    >>> found.searched, found.fit, found.best.row.name
    (24, 24, 'Split 1 x TP4 + 1 x TP2')
    """
    if executor is None:
        return _part(space, objective, kept, progress=progress).plan(space)
    parts = [executor.submit(_part, space, objective, kept, share, SHARES) for share in range(SHARES)]
    merged = Merged(space.scenario.workload, objective, kept)
    for part in parts:
        merged.join(part.result())
        progress(merged.fit)
    return merged.plan(space)


def _part(
    space: Space,
    objective: Objective,
    kept: int,
    share: int = 0,
    shares: int = 1,
    progress: Progress = lambda done: None,
) -> Merged:
    """Work out one of so many shares of a search."""
    merged = Merged(space.scenario.workload, objective, kept)
    for one in blocks(space, share, shares):
        if isinstance(one, Misfit):
            merged.doesnt_fit(one)
        else:
            merged.add(one)
            progress(merged.fit)
    return merged


class Merged:
    """The best of the blocks so far, each kind of layout apart."""

    def __init__(self, workload: Workload, objective: Objective, kept: int) -> None:
        self._workload, self._objective, self._kept = workload, objective, kept
        self._best: dict[str, list[Found]] = {"split": [], "aggregated": []}
        self._frontier: dict[str, tuple[Points, dict[int, Deployment]]] = {}
        self._misfit: Misfit | None = None
        self.fit = self._met = 0

    def join(self, other: Merged) -> None:
        """Take in what came of other blocks."""
        self.fit += other.fit
        self._met += other._met
        if other._misfit is not None:
            self.doesnt_fit(other._misfit)
        for kind, found in other._best.items():
            self._keep(kind, found)
        for kind, (points_there, rows) in other._frontier.items():
            self._extend(kind, points_there, rows)

    def _keep(self, kind: str, new: list[Found]) -> None:
        """Keep the best of each layout, and of these the best."""
        least: dict[object, Found] = {}
        for one in sorted([*self._best[kind], *new], key=lambda one: one[:2]):
            least.setdefault(layout(one[2]), one)
        self._best[kind] = list(least.values())[: self._kept]

    def doesnt_fit(self, one: Misfit) -> None:
        """Take in a setting that doesn't fit."""
        if self._misfit is None or one.lacks_gb < self._misfit.lacks_gb:
            self._misfit = one

    def add(self, block: Block) -> None:
        """Take in a block of layouts."""
        here = estimated(block)
        self.fit += len(block)
        self._met += int(here.meets.sum())
        known = [key for key, _, _ in self._best[block.kind]]
        told = keyed(block, here, self._objective, self._kept, known)
        self._keep(block.kind, [(key, int(block.order[place]), block.row(place)) for key, place in told])
        new = points(block.served, block.most_per_s, block.gpus, block.order, self._workload)
        at = {int(order): place for place, order in enumerate(block.order)}
        self._extend(block.kind, new, {order: block.row(at[order]) for order in map(int, new.order)})

    def _extend(self, kind: str, new: Points, rows: dict[int, Deployment]) -> None:
        """Take points into the frontier, and the rows of those that are on it."""
        if kind in self._frontier:
            earlier, known = self._frontier[kind]
            new, rows = best(joined([earlier, new])), {**known, **rows}
        self._frontier[kind] = new, {order: rows[order] for order in map(int, new.order)}

    def plan(self, space: Space) -> Plan:
        """Return what came of all blocks."""
        ranked = sorted((one for found in self._best.values() for one in found), key=lambda one: one[:2])
        first = ranked[0][2].kind if ranked else ""
        other = next((row for _, _, row in ranked if row.kind != first), None)
        return Plan(
            scenario=space.scenario,
            gpus=space.gpus,
            objective=self._objective,
            searched=space.count,
            fit=self.fit,
            met=self._met,
            ranked=tuple(candidate(self._workload, row) for _, _, row in ranked[: self._kept]),
            other=None if other is None else candidate(self._workload, other),
            frontier=tuple(self._points()),
            misfit=None if self.fit else self._misfit,
        )

    def _points(self) -> Iterator[FrontierPoint]:
        for found, rows in self._frontier.values():
            for user, gpu, rate, order in zip(*vars(found).values(), strict=True):
                yield FrontierPoint(named(rows[int(order)]), float(user), float(gpu), float(rate))


def candidate(workload: Workload, row: Deployment) -> Candidate:
    """Return a layout with all that the model says of it, as every page says it.

    Examples
    --------
    >>> found = candidate(Workload(), Deployment(id="a", name="a"))
    >>> round(found.arrivals_per_s, 2), found.meets
    (1.44, True)
    """
    found = outcome(workload, named(row))
    if workload.is_loaded or not found.most_per_s > 0.0:
        return Candidate(found, float(found.load.arrivals_per_s))
    most_per_s = min(found.most_per_s, MOST_ARRIVALS_PER_S)
    return Candidate(outcome(workload.changed(arrivals_per_s=most_per_s), found.row), most_per_s)


def named(row: Deployment) -> Deployment:
    """Return a layout under a name that says it.

    Examples
    --------
    >>> named(Deployment(id="a", name="a", prefill_workers=2)).name
    'Split 2 x TP4 + 1 x TP4'
    """
    name = f"{row.prefill_workers} x TP{row.prefill_tp}"
    if row.split:
        name += f" + {row.decode_workers} x TP{row.decode_tp}"
    return row.model_copy(update={"name": f"{row.kind.capitalize()} {name}"})
