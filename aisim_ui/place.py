"""Where in a scenario a field stands: a path, to read it, to change it, and to know what it is."""

from __future__ import annotations

import typing
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from aisim_model.scenario import Deployment, Scenario
from aisim_ui.fields import Field, field

ROWS = "deployments"


@dataclass(frozen=True)
class Place:
    """A field by its path, as `workload.prompt_tokens`, `deployments.<id>.link` or `traffic.synthetic.seed`.

    Examples
    --------
    >>> there = Place("traffic.synthetic.seed")
    >>> there.value(there.put(Scenario(), 7)), there.field.label
    (7, 'Seed')
    """

    path: str

    @classmethod
    def of_row(cls, row_id: str, name: str) -> Place:
        """Name a field of the row of an id."""
        return cls(f"{ROWS}.{row_id}.{name}")

    @property
    def name(self) -> str:
        """The field's own name."""
        return self.path.rpartition(".")[2]

    @property
    def key(self) -> str:
        """Text that names the place, for widgets and problems."""
        return self.path.removeprefix(f"{ROWS}.")

    @property
    def field(self) -> Field:
        """What is known of the field."""
        *steps, name = self.path.split(".")
        if steps[:1] == [ROWS]:
            return field(Deployment, name)
        model: type[BaseModel] = Scenario
        for step in steps:
            model = _model_in(model.model_fields[step].annotation)
        return field(model, name)

    def value(self, scenario: Scenario) -> Any:
        """Return the field's value; None where the part that has it isn't there."""
        part: Any = scenario
        for step in self.path.split("."):
            part = (
                _rows(part) if step == ROWS else part[step] if isinstance(part, dict) else getattr(part, step)
            )
            if part is None:
                return None
        return part

    def put(self, scenario: Scenario, value: Any) -> Scenario:
        """Return the scenario with another value of the field."""
        return _put(scenario, self.path.split("."), value)


def _rows(scenario: Scenario) -> dict[str, Deployment]:
    return {row.id: row for row in scenario.deployments}


def _put(part: Any, steps: list[str], value: Any) -> Any:
    first, *rest = steps
    if not rest:
        return part.changed(**{first: value})
    if first == ROWS:
        return part.with_row(rest[0], **{rest[1]: value})
    return part.changed(**{first: _put(getattr(part, first), rest, value)})


def _model_in(annotation: Any) -> type[BaseModel]:
    """Return the part of a scenario that a field holds, which may be left open."""
    types = (annotation, *typing.get_args(annotation))
    return next(one for one in types if isinstance(one, type) and issubclass(one, BaseModel))
