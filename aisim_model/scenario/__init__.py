"""One planning question: a workload, the deployments it is asked of, and which of them is selected.

Its parts are the only place with defaults and bounds. Pages, share links, scenario files and the command line
all hold a `Scenario`; a field left open (None) is the engine's, the catalogue's or the model's to fill.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from aisim_model.errors import InputError
from aisim_model.scenario.deployment import MOST_ROWS, Deployment
from aisim_model.scenario.explore import Explore
from aisim_model.scenario.frozen import Frozen
from aisim_model.scenario.older_names import OLDER_WEIGHTS, with_weight_format
from aisim_model.scenario.planning import Planning
from aisim_model.scenario.traffic import Traffic
from aisim_model.scenario.workload import Workload

__all__ = ["MOST_ROWS", "Deployment", "Scenario", "Workload"]

SCHEMA_VERSION: Literal[1] = 1


def example_deployments() -> tuple[Deployment, ...]:
    """Return the five rows of 8 GPUs that the app opens on.

    Source: model, GPU, TP and service levels of the published five-cloud runs
    (github.com/ai-dynamo/dynamo recipes/qwen3-32b/vllm/cloud-providers).
    """
    return (
        Deployment(id="aggregated", name="Aggregated 2 x TP4", color=0, kind="aggregated", prefill_workers=2),
        Deployment(id="split-400g", name="Split, 400G NIC per GPU", color=1),
        Deployment(id="split-fp8", name="Split, 400G, fp8 KV", color=2, kv_dtype="fp8"),
        Deployment(id="split-100g", name="Split, one 100G RoCE", color=3, link="roce-100", nics_per_gpu=0.25),
        Deployment(id="split-tcp", name="Split, one 100G TCP", color=4, link="eth-100", nics_per_gpu=0.25),
    )


def _has_older_weights(row: Any) -> bool:
    """Whether a row's older name of its weight format can be read with its model in sight."""
    return (
        isinstance(row, dict)
        and "weight_format" not in row
        and row.get(OLDER_WEIGHTS) in ("bf16", "fp8", "fp4")
    )


class Scenario(Frozen):
    """A workload, its deployment rows, the selected one, the baseline, traffic, what is explored and planned.

    Examples
    --------
    >>> [row.gpus for row in Scenario().deployments]
    [8, 8, 8, 8, 8]
    >>> Scenario().selected.name
    'Split, 400G NIC per GPU'
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    workload: Workload = Workload()
    deployments: Annotated[tuple[Deployment, ...], Field(min_length=1, max_length=MOST_ROWS)] = (
        example_deployments()
    )
    selected_id: str = "split-400g"
    baseline_id: str = "aggregated"
    traffic: Traffic = Traffic()
    explore: Explore = Explore()
    plan: Planning = Planning()

    @model_validator(mode="before")
    @classmethod
    def _older_names(cls, data: Any) -> Any:
        """Give rows their weight format by the model they serve, where they have its older name."""
        rows = data.get("deployments") if isinstance(data, dict) else None
        if not isinstance(rows, list | tuple) or not any(isinstance(row, dict) for row in rows):
            return data
        try:
            stored = Workload.model_validate(data.get("workload", {})).served.stored
        except ValueError:  # said where the workload itself is validated
            return data
        found = [with_weight_format(row, stored) if _has_older_weights(row) else row for row in rows]
        return {**data, "deployments": found}

    @model_validator(mode="after")
    def _ids_name_rows(self) -> Self:
        ids = [row.id for row in self.deployments]
        if twice := sorted({name for name in ids if ids.count(name) > 1}):
            raise InputError("deployments", twice, "must have ids of their own", "Rename one of the rows.")
        for field in ("selected_id", "baseline_id"):
            if (wanted := getattr(self, field)) not in ids:
                raise InputError(field, wanted, f"must be one of the rows {', '.join(ids)}", "Choose a row.")
        return self

    def row(self, row_id: str) -> Deployment:
        """Return the row of an id."""
        return next(row for row in self.deployments if row.id == row_id)

    @property
    def selected(self) -> Deployment:
        """The selected row."""
        return self.row(self.selected_id)

    @property
    def baseline(self) -> Deployment:
        """The row that others are compared to."""
        return self.row(self.baseline_id)

    def with_workload(self, **values: Any) -> Scenario:
        """Return a copy with some fields of the workload changed."""
        return self.changed(workload=self.workload.changed(**values))

    def with_row(self, row_id: str, **values: Any) -> Scenario:
        """Return a copy with some fields of one row changed."""
        rows = tuple(row.changed(**values) if row.id == row_id else row for row in self.deployments)
        return self.changed(deployments=rows)
