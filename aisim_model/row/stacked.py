"""Many rows of one kind as one `Service` of arrays, so that the estimate works all of them out at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aisim_model.passes.pass_time import PassModel, PassTime, SeveralModels
from aisim_model.passes.registry import Kind
from aisim_model.row.service import Service
from aisim_model.ttft_parts import PART_NAMES, TtftBreakdown

Places = npt.NDArray[np.intp]

NUMBERS = tuple(
    field.name
    for field in fields(Service)
    if field.name not in ("x", "idle", "output_tokens", "prefill_workers", "decode_workers")
    and not field.name.endswith("_times")
)


def stacked(
    kinds: Sequence[Service],
    places: Places,
    prefill_workers: npt.NDArray[np.int64],
    decode_workers: npt.NDArray[np.int64],
) -> Service:
    """Return rows as one: each of a kind of workers, and so many of them.

    Parameters
    ----------
    kinds : sequence of Service
        Kinds of workers, all split or all aggregated, of the same workload, engine and models of a pass.
    places : array of int
        The kind of each row.
    prefill_workers, decode_workers : array of int
        Workers of each row [-].

    Returns
    -------
    Service
        Its numbers are arrays of one element a row. Each element is what the row's own `Service` has, to the
        last digit, and so is all that follows from it.

    Examples
    --------
    >>> from aisim_model.row.load import service, under_load
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> one = service(resolve(Workload(), Deployment(id="a", name="a")), 340)
    >>> two = stacked([one], np.array([0, 0]), np.array([1, 2]), np.array([1, 1]))
    >>> under_load(two, 1.5).ttft_ms == under_load(one, 1.5).ttft_ms
    array([ True, False])
    """

    def taken(values: Sequence[Any]) -> Any:
        return np.array(values, dtype=np.float64)[places]

    first = kinds[0]
    return replace(
        first,
        idle=TtftBreakdown(
            **{name: taken([getattr(one.idle, name) for one in kinds]) for name in PART_NAMES}
        ),
        prefill_workers=prefill_workers,
        decode_workers=decode_workers,
        **{name: taken([getattr(one, name) for one in kinds]) for name in NUMBERS},
        prefill_times=_times([one.prefill_times for one in kinds], places),
        decode_times=_times([one.decode_times for one in kinds], places),
    )


def _times(times: Sequence[PassTime], places: Places) -> PassTime:
    decode = _model([one.decode for one in times], places)
    return PassTime(
        decode if times[0].prefill is times[0].decode else _model([one.prefill for one in times], places),
        decode,
        times[0].drafts,
    )


def _model(models: Sequence[PassModel], places: Places) -> PassModel:
    """Return the model of a pass with its numbers as arrays, those that all have in common as they are."""
    if models[0].kind in (Kind.OPERATORS, Kind.PLANE):  # tables, whose places a number each would take
        return SeveralModels(models[0].kind, (), tuple(models), places)
    numbers = (
        column[0] if len(set(column)) == 1 else np.array(column, dtype=np.float64)[places]
        for column in zip(*(one.numbers for one in models), strict=True)
    )
    return PassModel(models[0].kind, tuple(numbers))
