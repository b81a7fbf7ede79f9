"""What is searched: every way to cut some GPUs into workers, and every setting of theirs that may matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from aisim_model import catalog
from aisim_model.errors import InputError, sentences
from aisim_model.handoff import TransferTimingMode
from aisim_model.models.spec import ModelSpec
from aisim_model.models.weights.formats import StoredWeights
from aisim_model.models.weights.stored import weight_bytes, weights_in
from aisim_model.passes.speeds import arithmetic
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.deployment import MOST_WORKERS
from aisim_model.scenario.older_names import OLDER_WEIGHTS, weight_format_of
from aisim_model.scenario.sides import SideName, Sides

MOST_CANDIDATES = 2_000_000
KV_DTYPES, WEIGHTS = ("bf16", "fp8"), ("fp8", "nvfp4")  # beside the row's own
BUDGETS = (2048, 4096, 8192, 16_384)
MORE_SEQUENCES = 4  # times the row's own limit
WORKERS = ("prefill_workers", "decode_workers")
OF_SPLIT_ROWS = ("decode_tp", "decode_workers", "timing_mode")  # don't count in an aggregated row
# in the order of trying: of equals the first is taken
SETTINGS = (
    "gpu",
    "kv_dtype",
    "weight_format",
    "max_sequences",
    "chunk_tokens",
    "timing_mode",
    "kind",
    "prefill_tp",
    "decode_tp",
)
SEARCHED = (*SETTINGS, *WORKERS)
NAMES = ("id", "name", "color")
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Space:
    """What is searched.

    Parameters
    ----------
    scenario : Scenario
        Model, traffic and targets; its selected row says what isn't searched: engine, link, models of a pass.
    gpus : int
        GPUs of all workers together, at most [-].
    options : mapping of str to tuple
        The values of each of `SETTINGS` that are tried.
    locks : mapping of str to object
        Fields that have one value.

    Examples
    --------
    >>> space_of(Scenario(), 8).count > 1000
    True
    """

    scenario: Scenario
    gpus: int
    options: Mapping[str, tuple[Any, ...]]
    locks: Mapping[str, Any]

    def rows(self) -> Iterator[Deployment]:
        """Return a row of one worker a side for every setting, aggregated ones first."""
        for values in product(*(self.options[field] for field in SETTINGS)):
            found = dict(zip(SETTINGS, values, strict=True))
            if self._runs(found["gpu"], found["weight_format"]) and self._counts(found):
                yield self.scenario.selected.changed(
                    id="plan", name="plan", color=0, prefill_workers=1, decode_workers=1, **found
                )

    def _counts(self, found: Mapping[str, Any]) -> bool:
        """Say whether a setting is one of its own: in an aggregated row some fields don't count."""
        if found["kind"] == "split":
            return True
        first = all(found[field] == self.options[field][0] for field in ("decode_tp", "timing_mode"))
        return first and not any(field in self.locks for field in OF_SPLIT_ROWS)

    def workers(self, row: Deployment) -> tuple[Ints, Ints]:
        """Return the numbers of prefill and decode workers of a row that there are GPUs for.

        Examples
        --------
        >>> row = Deployment(id="a", name="a", prefill_tp=2, decode_tp=4)
        >>> [found.tolist() for found in space_of(Scenario(), 8).workers(row)]
        [[1, 2], [1, 1]]
        """
        one_gpus, other_gpus = row.side("prefill").gpus, row.side("decode").gpus
        prefill = self._numbers("prefill_workers", one_gpus)
        if not row.split:
            return prefill, np.ones_like(prefill)
        decode = self._numbers("decode_workers", other_gpus)
        one, other = (each.ravel() for each in np.meshgrid(prefill, decode, indexing="ij"))
        there = one * one_gpus + other * other_gpus <= self.gpus
        return one[there], other[there]

    def _numbers(self, field: str, ranks: int) -> Ints:
        most = min(self.gpus // ranks, MOST_WORKERS)
        if (locked := self.locks.get(field)) is not None:
            return np.array([locked] if locked <= most else [], dtype=np.int64)
        return np.arange(1, most + 1)

    def _runs(self, gpu_id: str, name: str) -> bool:
        """Say whether a format is tried on a GPU: the first on all, others where it multiplies in them."""
        return name == self.options["weight_format"][0] or arithmetic(gpu_id, name).name != "bf16"

    @property
    def count(self) -> int:
        """Layouts in all, whether they fit or not [-]."""
        options = self.options
        settings = sum(self._runs(gpu, name) for gpu in options["gpu"] for name in options["weight_format"])
        for field in ("kv_dtype", "max_sequences", "chunk_tokens"):
            settings *= len(options[field])
        layouts = 0
        if "aggregated" in options["kind"] and not any(field in self.locks for field in OF_SPLIT_ROWS):
            layouts += sum(
                self._numbers("prefill_workers", self._gpus("prefill", tp)).size
                for tp in options["prefill_tp"]
            )
        if "split" in options["kind"]:
            ways = product(options["prefill_tp"], options["decode_tp"])
            layouts += sum(self._pairs(*way) for way in ways) * len(options["timing_mode"])
        return settings * layouts

    def _gpus(self, name: SideName, ranks: int) -> int:
        """Return the GPUs of a worker of so many TP ranks [-]."""
        return self.scenario.selected.side(name)._replace(tensor_parallel=ranks).gpus

    def _pairs(self, prefill_tp: int, decode_tp: int) -> int:
        """Count the numbers of workers of a split row that there are GPUs for."""
        one, other = self._gpus("prefill", prefill_tp), self._gpus("decode", decode_tp)
        left = (self.gpus - self._numbers("prefill_workers", one) * one) // other
        if (locked := self.locks.get("decode_workers")) is not None:
            return int((left >= locked).sum())
        return int(np.clip(left, 0, MOST_WORKERS).sum())


def space_of(
    scenario: Scenario,
    gpus: int,
    gpu: tuple[str, ...] = (),
    locks: Mapping[str, Any] = MappingProxyType({}),
) -> Space:
    """Return what is searched for a scenario.

    Parameters
    ----------
    scenario : Scenario
        Model, traffic and targets, and what isn't searched.
    gpus : int
        GPUs at most [-].
    gpu : tuple of str
        Kinds of GPU that are tried, one a layout; the selected row's where empty.
    locks : mapping of str to object
        Fields of a deployment that have one value, whether they are searched or not.

    Raises
    ------
    InputError
        For no GPU, a field that there isn't, a value that it doesn't take, locks that leave no layout, or
        more layouts than can be tried.

    Examples
    --------
    >>> space_of(Scenario(), 8, locks={"kind": "aggregated", "prefill_tp": 4}).count
    64
    """
    if gpus < 1:
        raise InputError("gpus", gpus, "must be at least 1", "Give the GPUs that there are.")
    base = scenario.selected
    held = _checked(base, gpu, _by_todays_names(locks, scenario.workload.served.stored))
    open_sides = {name: spec.default for name, spec in Sides.model_fields.items() if name != "gpu"}
    start = scenario.with_row(
        base.id, **open_sides | {name: held[name] for name in held if name not in SEARCHED}
    )
    options = _options(start, gpus, gpu or (base.gpu,))
    options |= {field: (value,) for field, value in held.items() if field in options}
    found = Space(start, gpus, options, held)
    if found.count > MOST_CANDIDATES:
        problem = f"makes {found.count:,} layouts, more than the {MOST_CANDIDATES:,} that can be tried"
        raise InputError("gpus", gpus, problem, "Give fewer GPUs, or lock fields such as prefill_tp.")
    if found.count == 0:
        raise _no_layout(found)
    return found


def planned(scenario: Scenario) -> Space:
    """Return what is searched for a scenario's own plan.

    Examples
    --------
    >>> planned(Scenario()).gpus
    8
    """
    return space_of(scenario, scenario.plan.gpus, locks=scenario.plan.locks)


def _by_todays_names(locks: Mapping[str, Any], stored: StoredWeights) -> dict[str, Any]:
    """Return locks with the older name of the weight format as today's."""
    rest = {name: value for name, value in locks.items() if name != OLDER_WEIGHTS}
    if OLDER_WEIGHTS not in locks:
        return rest
    return {**rest, "weight_format": weight_format_of(locks[OLDER_WEIGHTS], stored)}


def _checked(row: Deployment, gpu: tuple[str, ...], locks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of locks as a deployment holds them."""
    for field in locks:
        if field not in Deployment.model_fields or field in NAMES:
            problem = f"is no field that can be locked; searched are {', '.join(SEARCHED)}"
            raise InputError("lock", field, problem, "Name one of a deployment's.")
    values = {"gpu": gpu[0] if gpu else row.gpu, **locks}
    try:
        changed = row.changed(**values)
    except ValidationError as error:
        raise InputError("lock", dict(locks), "is refused", " ".join(sentences(error))) from None
    return {field: getattr(changed, field) for field in locks}


def _no_layout(space: Space) -> InputError:
    if not space.locks:
        remedy = "Give more GPUs."
        return InputError("gpus", space.gpus, "leave no layout", remedy)
    locked = ", ".join(f"{field}={value}" for field, value in space.locks.items())
    problem = f"leaves no layout of at most {space.gpus:,} GPUs"
    return InputError("lock", locked, problem, "Lift a lock, or give more GPUs.")


def _options(scenario: Scenario, gpus: int, gpu: tuple[str, ...]) -> dict[str, tuple[Any, ...]]:
    row = scenario.selected
    ranks = tuple(2**power for power in range(10) if 2**power <= min(gpus, row.gpus_per_node))
    missing = (TransferTimingMode.DESTINATION_MISSING,) if scenario.workload.decode_cached_tokens else ()
    return {
        "gpu": tuple(dict.fromkeys(catalog.gpu(one).id for one in gpu)),
        "kv_dtype": _first(row.kv_dtype, KV_DTYPES),
        "weight_format": _others(scenario.workload.served, row.weight_format),
        "max_sequences": (row.max_sequences, MORE_SEQUENCES * row.sequences_limit),
        "chunk_tokens": (row.chunk_tokens, *(size for size in BUDGETS if size != row.pass_tokens)),
        "timing_mode": _first(row.timing_mode, missing),
        "kind": ("aggregated", "split"),
        "prefill_tp": ranks,
        "decode_tp": ranks,
    }


def _others(spec: ModelSpec, own: str) -> tuple[str, ...]:
    """Return a row's own weight format, then those of fewer bytes that are not how it is stored anyway."""
    stored = weights_in(spec, own)
    less = weight_bytes(spec, stored, 1)
    narrower = (name for name in WEIGHTS if weight_bytes(spec, weights_in(spec, name), 1) < 0.95 * less)
    return (own, *narrower)


def _first(own: Any, others: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row's own value, then what else there is."""
    return tuple(dict.fromkeys((own, *others)))
