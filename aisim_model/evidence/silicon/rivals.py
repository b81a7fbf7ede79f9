"""Models that predict silicon rows: the roofline with a floor, and the simple one without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from aisim_model.arrays import Values
from aisim_model.evidence.silicon.closed_loop import Load, mixed_pass_ms, tpot_ms, ttft_ms
from aisim_model.evidence.silicon.rows import SiliconRow
from aisim_model.evidence.silicon.workers import Parts, SiliconWorker, parts_of, row_worker
from aisim_model.passes import simple_roofline as simple
from aisim_model.passes.constants import ClientConstants, Constants, client_constants, constants
from aisim_model.passes.roofline import coefficients, pass_ms

Column = npt.NDArray[np.float64]
Fields = TypeVar("Fields", bound=tuple[Any, ...])


class Predicted(NamedTuple):
    """Means that a model predicts, one a row; NaN where it has nothing to say [ms]."""

    tpot_ms: Column
    ttft_ms: Column


class Asked(NamedTuple):
    """What a model says of rows, and of how many it says nothing, by the reason why."""

    predicted: Predicted
    left_out: Mapping[str, int]


def stacked(parts: Sequence[Fields]) -> Fields:
    """Return named tuples of numbers as one of arrays.

    Examples
    --------
    >>> stacked([Predicted(1.0, 2.0), Predicted(3.0, 4.0)]).ttft_ms
    array([2., 4.])
    """
    columns = zip(*parts, strict=True)
    return type(parts[0])(*(np.array(column, dtype=np.float64) for column in columns))


def load_of(rows: Sequence[SiliconRow]) -> Load:
    """Return what the loops of the rows ask, as arrays."""
    return Load(
        np.array([row.prompt_tokens for row in rows]),
        np.array([row.output_tokens for row in rows]),
        np.array([row.concurrency for row in rows]),
        np.array([row.aggregated for row in rows]),
    )


def stacked_parts(rows: Sequence[SiliconRow]) -> Parts:
    """Return the workers of the rows as parts of arrays, to be boiled down in one go."""
    kinds = list(dict.fromkeys(row.worker for row in rows))
    place = {worker: index for index, worker in enumerate(kinds)}
    rows_kind = np.array([place[row.worker] for row in rows])
    found = [parts_of(worker) for worker in kinds]

    def spread(group: Fields) -> Fields:
        return type(group)(*(column[rows_kind] for column in group))

    return Parts(
        shape=spread(stacked([part.shape for part in found])),
        kv=spread(stacked([part.kv for part in found])),
        speeds=spread(stacked([part.speeds for part in found])),
        tensor_parallel=np.array([part.tensor_parallel for part in found])[rows_kind],
        data_parallel=np.array([part.data_parallel for part in found])[rows_kind],
        expert_parallel=np.array([part.expert_parallel for part in found])[rows_kind],
    )


def predict(
    rows: Sequence[SiliconRow], parts: Parts, chosen: Constants, client: ClientConstants, sequences: Column
) -> Predicted:
    """Predict by the roofline with a floor, all rows at once.

    Parameters
    ----------
    rows, parts
        The rows, and `stacked_parts` of them.
    chosen, client : Constants, ClientConstants
        Of each row's engine: numbers, or arrays of one a row.
    sequences : array of float64
        Sequences that decode on a worker [-].
    """
    made = coefficients(
        parts.shape,
        parts.kv,
        parts.speeds,
        chosen,
        parts.tensor_parallel,
        parts.data_parallel,
        parts.expert_parallel,
    )

    def run_pass(*work: Values) -> Values:
        return pass_ms(made, *work)

    load, most = load_of(rows), np.array([row.most_sequences for row in rows])
    return Predicted(
        np.asarray(tpot_ms(run_pass, load, sequences), dtype=np.float64),
        np.asarray(ttft_ms(run_pass, load, most, client), dtype=np.float64),
    )


def roofline(rows: Sequence[SiliconRow], sequences: Column) -> Predicted:
    """Predict by the roofline with a floor and its constants.

    Parameters
    ----------
    rows : sequence of SiliconRow
        At least one.
    sequences : array of float64
        Sequences that decode on a worker, one number a row [-].
    """
    engines = [row.worker.engine for row in rows]
    chosen = stacked([constants(engine) for engine in engines])
    client = stacked([client_constants(engine) for engine in engines])
    return predict(rows, stacked_parts(rows), chosen, client, sequences)


def simple_roofline(rows: Sequence[SiliconRow], sequences: Column) -> Predicted:
    """Predict by arithmetic and memory alone: one MFU, one memory efficiency, no floor.

    The TTFT is the prefill.
    """
    tpot, ttft = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    places: dict[SiliconWorker, list[int]] = {}
    for index, row in enumerate(rows):
        places.setdefault(row.worker, []).append(index)
    for worker, indices in places.items():
        numbers = simple.numbers(row_worker(worker))

        def run_pass(*work: Values, numbers: tuple[Values, ...] = numbers) -> Values:
            return simple.pass_ms(numbers, *work)

        load, batch = load_of([rows[index] for index in indices]), sequences[indices]
        tpot[indices] = tpot_ms(run_pass, load, batch)
        ttft[indices] = mixed_pass_ms(run_pass, load, 0.0 * batch)
    return Predicted(tpot, ttft)
