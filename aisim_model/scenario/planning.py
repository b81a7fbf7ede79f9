"""What a plan may choose: how many GPUs, what counts, and which fields of a layout are held."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from aisim_model.models.kv_cache import kv_dtype_of
from aisim_model.models.weights.formats import WEIGHT_FORMATS, weight_format
from aisim_model.scenario.deployment import Kind, Workers
from aisim_model.scenario.frozen import Frozen
from aisim_model.scenario.sides import Ranks

Objective = Literal["cost", "goodput", "gpus"]
SEARCHED = "Searched where left open."


class Planning(Frozen):
    """What is searched for a plan; a field of a layout that is left open is searched.

    Examples
    --------
    >>> Planning(kind="split").locks
    {'kind': 'split'}
    """

    gpus: Annotated[int, Field(ge=1, le=100_000)] = Field(
        8, title="GPUs", description="Of all workers together, at most."
    )
    objective: Objective = Field(
        "cost", title="First is", description="What layouts within the targets are ranked by."
    )
    kind: Kind | None = Field(None, title="Kind", description=SEARCHED)
    prefill_tp: Ranks | None = Field(None, title="Prefill TP", description=SEARCHED)
    prefill_workers: Workers | None = Field(None, title="Prefill workers", description=SEARCHED)
    decode_tp: Ranks | None = Field(None, title="Decode TP", description=f"{SEARCHED} Of split layouts.")
    decode_workers: Workers | None = Field(
        None, title="Decode workers", description=f"{SEARCHED} Of split layouts."
    )
    kv_dtype: str | None = Field(None, title="KV dtype", description=SEARCHED)
    weight_format: str | None = Field(
        None,
        title="Weights",
        description=SEARCHED,
        json_schema_extra={"enum": list(WEIGHT_FORMATS)},
    )
    chunk_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = Field(
        None, title="Pass budget", description=SEARCHED
    )
    max_sequences: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None, title="Most sequences", description=SEARCHED
    )

    @field_validator("kv_dtype")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        return None if value is None else kv_dtype_of(value).name

    @field_validator("weight_format")
    @classmethod
    def _known_format(cls, value: str | None) -> str | None:
        return None if value is None else weight_format(value)

    @property
    def locks(self) -> dict[str, Any]:
        """The fields that are held, and at what."""
        return {
            name: value
            for name in type(self).model_fields
            if name not in ("gpus", "objective") and (value := getattr(self, name)) is not None
        }
