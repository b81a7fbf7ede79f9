"""The formulas of one scenario over a grid of fields, block by block.

Number fields of the formulas become arrays along axes of their own (an open mesh), so that what depends on
one field is worked out once a value and only the sums are full size. A field that changes what is looked up
(a GPU, a TP, a KV dtype) is gone through value by value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aisim_model.errors import InputError
from aisim_model.row.resolved import ROW_NUMBERS, ResolvedRow, resolve
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.sweep.axes import Axis, Range, check_size, read_axis
from aisim_model.sweep.blocks import Block, blocks, points_of
from aisim_model.sweep.changed import TOKENS, changed
from aisim_model.sweep.columns import COLUMNS, DTYPES, Columns, PerToken
from aisim_model.sweep.loaded import ASKED, LOADED

ARRAYS = frozenset({*TOKENS, "bandwidth_gb_s", "kv_bytes_per_token", "ttft_slo_ms", *ROW_NUMBERS})
CURVES = ("unique", "wire", "timed", "held_prefill", "held_decode")
MAX_LOOKUPS = 10_000


@dataclass(frozen=True)
class Sweep:
    """A scenario and the one, two or three fields of it that are varied, across its deployments.

    Parameters
    ----------
    scenario : Scenario
        Where every other field stands.
    axes : tuple of Listed or Range
        What is varied. Points come by deployment, then by fields that are looked up, then by the others, each
        in the order given; the last varies fastest.

    Raises
    ------
    InputError
        For no axis or more than three, a field twice, a value out of its field's range, or too many points.

    Examples
    --------
    >>> sweep = swept(Scenario(), ["bandwidth_gb_s=100,200", "prompt_tokens=1000:12000:lin:12"])
    >>> sweep.shape, sweep.points
    ((2, 12), 120)
    """

    scenario: Scenario
    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        names = [axis.field for axis in self.axes]
        if not 1 <= len(names) <= 3:
            raise InputError(
                "vary", names, "must be one, two or three fields", "Vary fewer, or at least one."
            )
        if len(set(names)) < len(names):
            raise InputError("vary", names, "names a field twice", "Vary each field once.")
        rows = len(self.scenario.deployments)
        check_size(self.axes, rows, 8 * (len(self.columns) + len(names)))
        if self.case_count > MAX_LOOKUPS:
            fields = ", ".join(axis.field for axis in self.looked_up)
            problem = f"makes {self.case_count:,} cases to look up one by one, where {MAX_LOOKUPS:,} is most"
            raise InputError("vary", fields, problem, "Ask for fewer values.")
        self._check_values()

    @cached_property
    def is_loaded(self) -> bool:
        """Whether more than one request is asked of a row, at any point."""
        varied = {axis.field for axis in self.axes}
        return self.scenario.workload.is_loaded or bool(varied & {"arrivals_per_s", "requests_in_flight"})

    @property
    def columns(self) -> tuple[str, ...]:
        """What is said of each point; of a load too where one is asked."""
        return (*COLUMNS, *LOADED) if self.is_loaded else COLUMNS

    @cached_property
    def looked_up(self) -> tuple[Axis, ...]:
        """Axes that are gone through value by value."""
        return tuple(axis for axis in self.axes if axis not in self.meshed)

    @cached_property
    def meshed(self) -> tuple[Axis, ...]:
        """Axes along which the formulas take arrays."""
        wanted = ARRAYS
        varied = {axis.field for axis in self.axes}
        searches_pool = any(
            row.pool_tokens is None and (row.decode_model == "polynomial" or "decode_model" in varied)
            for row in self.scenario.deployments
        )
        if self.is_loaded:
            wanted = wanted | set(ASKED)
        if searches_pool or self.is_loaded:  # the pool's tokens are searched for along one byte curve
            wanted = wanted - {"kv_bytes_per_token"}
        return tuple(axis for axis in self.axes if axis.field in wanted)

    @property
    def shape(self) -> tuple[int, ...]:
        """Values along each axis, in the order given."""
        return tuple(axis.size for axis in self.axes)

    @property
    def mesh(self) -> tuple[int, ...]:
        """Values along each axis that the formulas take as arrays."""
        return tuple(axis.size for axis in self.meshed)

    def open_mesh(self, block: Block) -> tuple[npt.NDArray[Any], ...]:
        """Return the values of a block, one array a meshed axis, along a dimension of its own."""
        parts = zip(self.meshed, block, strict=True)
        return np.ix_(*(axis.at(part.start, part.stop) for axis, part in parts))

    @property
    def points(self) -> int:
        """Points in all, over all deployments [-]."""
        return math.prod(self.shape) * len(self.scenario.deployments)

    @property
    def case_count(self) -> int:
        """Deployments times the values that are looked up for each [-]."""
        return math.prod(axis.size for axis in self.looked_up) * len(self.scenario.deployments)

    def case(self, position: int) -> Case:
        """Return a deployment with one value of each field that is looked up, by its place in the order."""
        looked_up: dict[str, Any] = {}
        for axis in reversed(self.looked_up):
            position, place = divmod(position, axis.size)
            looked_up[axis.field] = axis.at(place, place + 1)[0].item()
        return Case(self, self.scenario.deployments[position], looked_up)

    def cases(self) -> Iterator[Case]:
        """Go through deployments, and through the values that are looked up."""
        return map(self.case, range(self.case_count))

    def _check_values(self) -> None:
        """Refuse a value that its field doesn't take, or a deployment that can't be resolved with it."""
        longest = max((ends(axis)[1] for axis in self.axes if axis.field == "prompt_tokens"), default=None)
        for axis in self.meshed:
            for row, value in itertools.product(self.scenario.deployments, ends(axis)):
                values = {axis.field: value}
                if longest is not None and axis.field in TOKENS[1:]:
                    values["prompt_tokens"] = longest
                changed(self.scenario.workload, row, values)
        for case in self.cases():
            case.look_up()


@dataclass(frozen=True)
class Case:
    """A deployment, and one value of each field that is looked up.

    Parameters
    ----------
    sweep : Sweep
        Where it comes from.
    row : Deployment
        The deployment, as the scenario has it.
    looked_up : mapping
        Values by field.
    """

    sweep: Sweep
    row: Deployment
    looked_up: Mapping[str, Any]

    @cached_property
    def _resolved(self) -> tuple[Workload, ResolvedRow]:
        return self.look_up()

    def look_up(self) -> tuple[Workload, ResolvedRow]:
        """Resolve the row where every array has its first value, so that it counts as given by hand."""
        first = {axis.field: axis.at(0, 1)[0].item() for axis in self.sweep.meshed}
        workload, row = changed(self.sweep.scenario.workload, self.row, {**first, **self.looked_up})
        return workload, resolve(workload, row)

    def columns(self, mesh: Sequence[npt.NDArray[Any]]) -> Columns:
        """Model an open mesh: one array a meshed axis, along a dimension of its own."""
        workload, x = self._resolved
        slo: Any = workload.ttft_slo_ms
        asked: dict[str, Any] = {name: float(getattr(workload, name)) for name in ASKED}
        numbers: dict[str, Any] = {}
        for axis, values in zip(self.sweep.meshed, mesh, strict=True):
            floats = values.astype(np.float64)
            if axis.field in ASKED:
                asked[axis.field] = floats
                slo = asked["ttft_slo_ms"]
            elif axis.field == "kv_bytes_per_token":
                numbers |= dict.fromkeys(CURVES, PerToken(floats))
            else:
                numbers[axis.field] = floats
        if (longest := numbers.get("prompt_tokens")) is not None:  # cached is at most all of it
            numbers["prompt_tokens"] = prompt = workload.mean_tokens(longest)
            for name in TOKENS[1:]:
                cached = numbers.get(name, float(getattr(self.sweep.scenario.workload, name)))
                numbers[name] = np.minimum(cached, prompt)
        load = asked if self.sweep.is_loaded else None
        return Columns(replace(x, **numbers), slo, workload.mean_output_tokens, load)


def ends(axis: Axis) -> tuple[Any, ...]:
    """Return an axis's least, its largest, and where it has one its least value above 0."""
    if isinstance(axis, Range):
        return axis.low, axis.high
    return min(axis.values), max(axis.values), min((v for v in axis.values if v > 0), default=axis.values[0])


def swept(scenario: Scenario, vary: Sequence[str]) -> Sweep:
    """Read what is varied and return the sweep.

    Parameters
    ----------
    scenario : Scenario
        Where every other field stands.
    vary : sequence of str
        One to three of ``FIELD=LOW:HIGH:log|lin:N`` or ``FIELD=a,b,c``.

    Raises
    ------
    InputError
        As `Sweep` and `read_axis`.

    Examples
    --------
    >>> swept(Scenario(), ["prompt_tokens=128:131072:log:200"]).points
    1000
    """
    return Sweep(scenario, tuple(read_axis(text) for text in vary))


def values(
    sweep: Sweep, names: Sequence[str], progress: Callable[[int], None] = lambda points: None
) -> dict[str, npt.NDArray[Any]]:
    """Work out some columns of a sweep as arrays.

    Parameters
    ----------
    sweep : Sweep
        What to work out; all of it is held in memory.
    names : sequence of str
        Among `COLUMNS`.
    progress : callable
        Told how many points are worked out, after each block.

    Returns
    -------
    dict
        For each name an array of a dimension for the deployments, and one for each field in the order given.

    Examples
    --------
    >>> sweep = swept(Scenario(), ["bandwidth_gb_s=100,200"])
    >>> values(sweep, ["handoff_ms"])["handoff_ms"][1].round(2)
    array([31.46, 15.73])
    """
    order = (*sweep.looked_up, *sweep.meshed)
    shape = (len(sweep.scenario.deployments), *(axis.size for axis in order))
    found: dict[str, npt.NDArray[Any]] = {
        name: np.empty(shape, dtype=DTYPES.get(name, np.float64)) for name in names
    }
    flat = {name: array.reshape(-1, *sweep.mesh) for name, array in found.items()}
    points = 0
    for position, case in enumerate(sweep.cases()):
        for block in blocks(sweep.mesh):
            columns = case.columns(sweep.open_mesh(block))
            for name in names:
                flat[name][position][block] = columns.values(name)
            progress(points := points + points_of(block))
    as_given = [0, *(1 + order.index(axis) for axis in sweep.axes)]
    return {name: array.transpose(as_given) for name, array in found.items()}
