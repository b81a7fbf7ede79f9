"""How sure a plan is: what it would deploy with other times of a pass, and how far they may be off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from aisim_model.errors import InputError
from aisim_model.passes.registry import MODELS, Kind
from aisim_model.plan.evaluate import layout
from aisim_model.plan.search import Plan, recommend
from aisim_model.plan.space import Space, space_of
from aisim_model.scenario import Deployment
from aisim_model.scenario.deployment import NEEDED_FIELDS

HELD = ("kv_dtype", "weight_format", "chunk_tokens", "max_sequences")
FACTORS = (0.7, 0.85, 1.2, 1.4)  # times the speed of prefill, or of decode


@dataclass(frozen=True)
class Otherwise:
    """What would be deployed if passes took other times.

    Parameters
    ----------
    model : str
        A model of a pass, or ``mfu`` and ``memory_efficiency``: the share of arithmetic, and of memory
        bandwidth, that is reached.
    factor : float
        Times the share that is taken now [-]; 1 for another model.
    row : Deployment or None
        What would be first; None where nothing met the targets.
    same : bool
        Whether it is the same layout.
    """

    model: str
    factor: float
    row: Deployment | None
    same: bool


def rival_plans(space: Space, plan: Plan) -> Iterator[Otherwise]:
    """Return what each other model of a pass, that has its inputs, would deploy.

    Parameters
    ----------
    space : Space
        What was searched.
    plan : Plan
        What was found.

    Examples
    --------
    >>> from aisim_model.plan.space import space_of
    >>> from aisim_model.scenario import Scenario
    >>> space = space_of(Scenario(), 2, locks={"kv_dtype": "bf16", "weight_format": "fp8"})
    >>> {"simple_roofline", "polynomial"} <= {one.model for one in rival_plans(space, recommend(space))}
    True
    """
    row = space.scenario.selected
    for name, model in MODELS.items():
        if model.prefill is None or model.decode is None or name == row.prefill_model == row.decode_model:
            continue
        if model.kind is Kind.OPERATORS:  # seconds for each kind of worker: asked where it is chosen
            continue
        needed = [NEEDED_FIELDS.get((side, name)) for side in ("prefill_model", "decode_model")]
        if any(field is not None and getattr(row, field) is None for field in needed):
            continue
        yield from _otherwise(space, plan, name, 1.0, {"prefill_model": name, "decode_model": name})


def shifted_plans(space: Space, plan: Plan) -> Iterator[Otherwise]:
    """Return what would be deployed if arithmetic, or memory, were faster or slower.

    Parameters
    ----------
    space, plan
        As in `rival_plans`.
    """
    row = space.scenario.selected
    reached = MODELS[row.prefill_model].reached
    for name in ("mfu", "memory_efficiency"):
        now = getattr(row, name) or reached.get(name)
        if now is None:
            continue
        for factor in FACTORS:
            if now * factor <= 1.0:
                yield from _otherwise(space, plan, name, factor, {name: now * factor})


def _otherwise(
    space: Space, plan: Plan, model: str, factor: float, values: dict[str, object]
) -> Iterator[Otherwise]:
    """Search the layouts in the formats, budget and limit of the first; nothing of a model without times."""
    first, start = plan.ranked[0].row, space.scenario
    locks = {**space.locks, **{field: getattr(first, field) for field in HELD}}
    try:
        other = space_of(
            start.with_row(start.selected_id, **values), space.gpus, tuple(space.options["gpu"]), locks
        )
        found = recommend(other, plan.objective, kept=1)
    except (InputError, ValidationError):  # it isn't installed, or knows nothing of the GPU or the model
        return
    if not found.fit:
        return
    row = None if found.best is None else found.best.row
    same = row is not None and plan.best is not None and layout(row) == layout(plan.best.row)
    yield Otherwise(model, factor, row, same)
