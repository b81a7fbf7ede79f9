"""Models that people serve: one JSON file each, with the keys of its config.json that the model reads."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from aisim_model.catalog.records import Record, Table, Text
from aisim_model.models.kv_cache.parts import HeadKv
from aisim_model.models.spec import ModelSpec

Count = Annotated[int, Field(ge=1)]


class CatalogModel(Record):
    """A served model: its config.json as far as it matters here, and its published sizes.

    Parameters
    ----------
    total_parameters : int
        Parameters of all weights, as published or counted from the config, as its source says [-].
    active_parameters : int
        Parameters that one token uses, likewise [-]; the total where the model is dense.
    parameters_source : str
        Where the two counts come from.
    config : dict
        The keys of the model's config.json that say what it keeps and computes.

    Examples
    --------
    >>> model("qwen3-32b").spec().kv.curve("bf16").growing_bytes_per_token
    262144
    """

    total_parameters: Count
    active_parameters: Count
    parameters_source: Text
    config: dict[str, Any]

    @model_validator(mode="after")
    def _active_within_total(self) -> Self:
        if self.active_parameters > self.total_parameters:
            raise ValueError("active_parameters must be at most total_parameters")
        return self

    def spec(self) -> ModelSpec:
        """Return what the time models need of this model."""
        return self._spec

    @cached_property
    def _spec(self) -> ModelSpec:
        return ModelSpec.from_config(
            self.config,
            self.name,
            source=self.source,
            total_parameters=self.total_parameters,
            active_parameters=self.active_parameters,
        )

    @property
    def layers(self) -> int:
        """Number of layers [-]."""
        return self.spec().layers

    @property
    def attention_heads(self) -> int:
        """Query heads of a layer [-]."""
        return self.spec().attention_heads

    @property
    def kv_heads(self) -> int | None:
        """Heads of a layer that keep keys and values [-]; None where it keeps one latent for all (MLA)."""
        parts = [part for block in self.spec().kv.blocks for part in block]
        return max((part.kv_heads for part in parts if isinstance(part, HeadKv)), default=None)

    @property
    def head_dim(self) -> float:
        """Elements of a head [-]; the mean of its key and its value where they differ (MLA)."""
        return self.spec().head_dim

    def summary(self) -> dict[str, Any]:
        """Return the record for a table: its shape and bf16 bytes of a token in place of its config."""
        return {
            "id": self.id,
            "name": self.name,
            "layers": self.layers,
            "attention_heads": self.attention_heads,
            "kv_heads": self.kv_heads,
            "head_dim": int(self.head_dim),
            "total_parameters": self.total_parameters,
            "active_parameters": self.active_parameters,
            "kv_bytes_per_token_bf16": self.spec().kv.curve("bf16").growing_bytes_per_token,
            "source": self.source,
            "parameters_source": self.parameters_source,
            "note": self.note,
        }


_MODELS = Table(CatalogModel, "models", "model")
models, model = _MODELS.all, _MODELS.find
