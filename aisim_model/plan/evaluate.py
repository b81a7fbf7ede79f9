"""Every layout of a search by the estimate, blocks of them at a time: what each reaches of the targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from aisim_model.errors import InputError
from aisim_model.plan.space import Ints, Space
from aisim_model.row.closed_load import asked_load
from aisim_model.row.cost import cost, per_million
from aisim_model.row.load import Service, service
from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import ResolvedRow, resolve, with_row
from aisim_model.row.spread import spread
from aisim_model.row.stacked import stacked
from aisim_model.row.targets import met, reached
from aisim_model.scenario import Deployment, Workload
from aisim_model.scenario.sides import SideName
from aisim_model.solve.carried import MOST_PER_S, most_within

OVERLOADED = 1e6  # misses more than what only misses a time; of these the least overloaded is nearest
BLOCK = 4096  # layouts worked out at a time

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Block:
    """Layouts of one kind, all split or all aggregated.

    Parameters
    ----------
    rows : tuple of Deployment
        Their settings, with one worker a side.
    kinds : tuple of Service
        What the model makes of each of these.
    places : array of int
        The setting of each layout.
    prefill, decode : array of int
        Workers of each [-].
    order : array of int
        Place of each in the order of the search [-].
    workload : Workload
        What is asked of them.
    """

    rows: tuple[Deployment, ...]
    kinds: tuple[Service, ...]
    places: npt.NDArray[np.intp]
    prefill: Ints
    decode: Ints
    order: Ints
    workload: Workload

    def __len__(self) -> int:
        return len(self.places)

    def take(self, which: npt.NDArray[np.intp]) -> Block:
        """Return some of the layouts."""
        return replace(
            self,
            places=self.places[which],
            prefill=self.prefill[which],
            decode=self.decode[which],
            order=self.order[which],
        )

    def row(self, place: int) -> Deployment:
        """Return a layout as a row of a scenario."""
        row = self.rows[self.places[place]]
        workers = {"prefill_workers": int(self.prefill[place])}
        if row.split:
            workers["decode_workers"] = int(self.decode[place])
        changed: Deployment = row.model_copy(update=workers)
        return changed

    def layout(self, place: int) -> object:
        """Return `layout` of one of them."""
        return layout(self.rows[self.places[place]], int(self.prefill[place]), int(self.decode[place]))

    @cached_property
    def served(self) -> Service:
        """All the layouts as one row of arrays."""
        prefill = self.prefill * self._sized("prefill", "attention_dp")
        decode = self.decode * self._sized("decode", "attention_dp") if self.rows[0].split else prefill
        return stacked(self.kinds, self.places, prefill, decode)

    @cached_property
    def gpus(self) -> Ints:
        """GPUs of each [-]."""
        found: Ints = self.prefill * self._sized("prefill", "gpus")
        return found + self.decode * self._sized("decode", "gpus") if self.rows[0].split else found

    @property
    def kind(self) -> str:
        """Whether they are ``split`` or ``aggregated``."""
        return self.rows[0].kind

    @cached_property
    def price(self) -> Floats:
        """Price of each by the hour [USD/h]; its GPUs where not all prices are known."""
        found = [cost(one.x, 0.0, self.workload.mean_output_tokens) for one in self.kinds]
        prices = [(one.usd_per_gpu_hour, one.decode_usd_per_gpu_hour) for one in found]
        if any(None in pair for pair in prices):
            return self.gpus.astype(np.float64)
        one, other = np.array(prices, dtype=np.float64)[self.places].T
        decode = self.decode * self._sized("decode", "gpus") if self.rows[0].split else 0 * self.gpus
        priced: Floats = np.where(one == other, one * self.gpus, one * (self.gpus - decode) + other * decode)
        return priced

    def _sized(self, name: SideName, of: str) -> Ints:
        return np.array([getattr(row.side(name), of) for row in self.rows], dtype=np.int64)[self.places]

    @cached_property
    def most_per_s(self) -> Floats:
        """What each carries before a resource is full: no load within the targets is higher [requests/s]."""
        most: Floats = np.minimum(self.served.most_per_s, MOST_PER_S)
        return most

    def carries(self) -> Floats:
        """Return the most load of each within the targets [requests/s]."""
        with np.errstate(all="ignore"):
            return np.broadcast_to(most_within(self.served, self.workload), len(self)).astype(np.float64)


def layout(row: Deployment, prefill_workers: int | None = None, decode_workers: int | None = None) -> object:
    """Return what tells one layout from another: all but its limit of sequences and its pass budget."""
    prefill = row.prefill_workers if prefill_workers is None else prefill_workers
    decode = row.decode_workers if decode_workers is None else decode_workers
    settings = (
        row.kind,
        row.side("prefill"),
        row.side("decode"),
        row.kv_dtype,
        row.weight_format,
        row.timing_mode,
    )
    return (*settings, prefill, decode)


@dataclass(frozen=True)
class Misfit:
    """The setting whose worker lacks the least memory.

    Parameters
    ----------
    row : Deployment
        The setting.
    lacks_gb : float
        What the worker lacks for one request, over all its GPUs [GB].
    """

    row: Deployment
    lacks_gb: float


def blocks(space: Space, share: int = 0, shares: int = 1, size: int = BLOCK) -> Iterator[Block | Misfit]:
    """Return the layouts that fit, in blocks; and of the settings that don't each, what it lacks.

    Parameters
    ----------
    space : Space
        What is searched.
    share, shares : int
        Which of so many shares of the settings [-].
    size : int
        Layouts of a block at most [-].
    """
    open_blocks: dict[str, list[tuple[Deployment, Service, Ints, Ints, Ints]]] = {
        "split": [],
        "aggregated": [],
    }
    kinds = Kinds(space.scenario.workload)
    seen = 0
    for number, row in enumerate(space.rows()):
        prefill, decode = space.workers(row)
        order = seen + np.arange(prefill.size)
        seen += prefill.size
        if not prefill.size or number % shares != share or (served := kinds.served(row)) is None:
            continue
        if served.most_sequences == 0:
            yield Misfit(row, _lacks_gb(served))
            continue
        waiting = open_blocks[row.kind]
        for start in range(0, prefill.size, size):
            stop = start + size
            waiting.append((row, served, prefill[start:stop], decode[start:stop], order[start:stop]))
            if sum(each[2].size for each in waiting) >= size:
                yield _block(waiting, space.scenario.workload)
                waiting.clear()
    for waiting in open_blocks.values():
        if waiting:
            yield _block(waiting, space.scenario.workload)


class Kinds:
    """What the model makes of settings; what settings have in common is looked up once."""

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._resolved: dict[object, ResolvedRow | None] = {}
        self._served: dict[object, Service] = {}

    def served(self, row: Deployment) -> Service | None:
        """Return what the model makes of a setting; None where the model can't be kept so."""
        sides = (
            row.kind,
            row.side("prefill"),
            row.side("decode"),
            row.kv_dtype,
            row.weight_format,
            row.timing_mode,
        )
        shares = row.memory_share("prefill"), row.memory_share("decode")
        if (alike := (*sides, shares)) not in self._resolved:
            self._resolved[alike] = self._looked_up(row)
        if (x := self._resolved[alike]) is None:
            return None
        x = with_row(x, row)
        if (timed := (*alike, row.chunk_tokens)) not in self._served:
            self._served[timed] = service(x, self._workload.mean_output_tokens)
        memory = row_memory(x, self._workload.mean_output_tokens)
        return replace(self._served[timed], x=x, most_sequences=memory.most_sequences)

    def _looked_up(self, row: Deployment) -> ResolvedRow | None:
        try:
            return resolve(self._workload, row)
        except InputError:
            return None


def _lacks_gb(served: Service) -> float:
    """Return what the worker that doesn't fit lacks for one request [GB]."""
    problem = row_memory(served.x, round(served.output_tokens)).problem
    assert problem is not None  # it has no room
    held = served.x.held_prefill if problem.role == "prefill" else served.x.held_decode
    return float(held.bytes(problem.request_tokens)) / 1e9 - problem.pool_gb * problem.gpus / problem.groups


def _block(waiting: list[tuple[Deployment, Service, Ints, Ints, Ints]], workload: Workload) -> Block:
    return Block(
        rows=tuple(each[0] for each in waiting),
        kinds=tuple(each[1] for each in waiting),
        places=np.repeat(np.arange(len(waiting)), [each[2].size for each in waiting]),
        prefill=np.concatenate([each[2] for each in waiting]),
        decode=np.concatenate([each[3] for each in waiting]),
        order=np.concatenate([each[4] for each in waiting]),
        workload=workload,
    )


@dataclass(frozen=True)
class Estimated:
    """What a block's layouts reach at the load that is asked for; arrays of one a layout.

    Parameters
    ----------
    meets : array of bool
        Whether all targets are met.
    missed : array of float64
        By how much they are missed, as shares of the targets, added up [-].
    share : array of float64
        Of requests that meet both [-].
    usd_per_million : array of float64
        Price of a million output tokens of requests that meet both; of GPU hours where no price is known.
    """

    meets: npt.NDArray[np.bool_]
    missed: Floats
    share: Floats
    usd_per_million: Floats


def estimated(block: Block) -> Estimated:
    """Work a block out at the load that is asked for.

    Parameters
    ----------
    block : Block
        The layouts.
    """
    workload, size = block.workload, len(block)
    with np.errstate(all="ignore"):
        load = asked_load(block.served, workload)
        found = spread(block.served, load)
        share = found.both_within(workload.ttft_slo_ms, workload.itl_slo_ms)
        meets = met(block.served, load, workload)
        missed = np.zeros(size)
        if not np.all(meets):
            got = reached(block.served, load, workload)
            missed = np.maximum(got.ttft_ms / workload.ttft_slo_ms - 1.0, 0.0)
            missed = missed + np.maximum(got.itl_ms / workload.itl_slo_ms - 1.0, 0.0)
            missed = missed + np.maximum(workload.slo_share - share, 0.0)
            missed = np.where(load.overloaded, OVERLOADED * load.utilisation, missed)
            missed = np.where(np.isnan(missed), np.inf, missed)
        price = per_million(block.price, load.arrivals_per_s * share, workload.mean_output_tokens)
    arrays = (np.broadcast_to(one, size) for one in (meets, missed, share, price))
    return Estimated(*arrays)
