"""What a widget has to know of a scenario field, read from `Scenario` itself.

Label, help, range, and how text becomes a value or a sentence.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel

from aisim_model.errors import InputError
from aisim_model.scenario import Deployment, Workload
from aisim_ui.words import written

UNITS = (
    ("_tokens_per_s", "tokens/s"),
    ("_gb_s", "GB/s"),
    ("_bytes_per_token", "bytes/token"),
    ("_per_s", "requests/s"),
    ("_tokens", "tokens"),
    ("_ms", "ms"),
    ("_us", "µs"),
    ("usd_per_gpu_hour", "USD/h"),
    ("block_size", "tokens"),
)


@dataclass(frozen=True)
class Field:
    """One field of a scenario; a number has a range, a choice its options."""

    name: str
    label: str
    help: str
    unit: str
    low: float
    high: float
    low_open: bool
    whole: bool
    optional: bool
    default: Any
    options: tuple[Any, ...] = ()

    @property
    def titled(self) -> str:
        """Label with its unit, as it stands above a box."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label

    @property
    def allowed(self) -> str:
        """The range, in words."""
        kind = "a whole number" if self.whole else "a number"
        start = f"above {written(self.low)} and at most" if self.low_open else f"from {written(self.low)} to"
        return f"{kind} {start} {written(self.high)} {self.unit}".rstrip()

    def parse(self, text: str) -> int | float | None:
        """Turn what a person typed into a value of this field.

        Raises
        ------
        InputError
            With the field, the text, the range and what to do.
        """
        bare = text.strip().removesuffix(self.unit).strip()  # 50 GB/s is 50; 400 Gb/s is refused
        typed = re.sub(r"(?<=\d)[,_\s\u00a0\u202f](?=\d{3}(?!\d))", "", bare)
        if not typed:
            if self.optional:
                return None
            raise self.refuse(text, f"is empty; it must be {self.allowed}")
        try:
            value: int | float = int(typed) if self.whole else float(typed)
        except ValueError:
            raise self.refuse(text, f"must be {self.allowed}") from None
        return self.checked(value, text)

    def checked(self, value: int | float, typed: object = None) -> int | float:
        """Return a value that is in range, or refuse it."""
        given = value if typed is None else typed
        if not (self.low < value if self.low_open else self.low <= value) or not value <= self.high:
            raise self.refuse(given, f"must be {self.allowed}")
        if not math.isfinite(value):
            raise self.refuse(given, f"must be {self.allowed}")
        return value

    def refuse(self, given: object, problem: str) -> InputError:
        """Say what is wrong with a value of this field."""
        return InputError(self.label, given, problem, "The last good value stays until you enter another.")


def unit_of(name: str) -> str:
    """Return the unit that a name ends in; empty where it has none."""
    return next((unit for ending, unit in UNITS if name.endswith(ending)), "")


@cache
def _schemas(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a scenario's part: its fields, and the choices that they refer to."""
    schema = model.model_json_schema()
    return {"fields": schema["properties"], "choices": schema.get("$defs", {})}


@cache
def field(model: type[BaseModel], name: str) -> Field:
    """Read a field of a scenario's part from the schema that pydantic has of it."""
    schemas, info = _schemas(model), model.model_fields[name]
    schema = schemas["fields"][name]
    ways = schema.get("anyOf", [schema])
    allowed = next(way for way in ways if way.get("type") != "null")
    choices = schemas["choices"].get(allowed.get("$ref", "").rpartition("/")[2], allowed)
    low = max(allowed.get(bound, -math.inf) for bound in ("minimum", "exclusiveMinimum"))
    return Field(
        name=name,
        label=info.title or name,
        help=f"{info.description or ''} Field `{name}`.".strip(),
        unit=unit_of(name),
        low=float(low),
        high=float(min(allowed.get(bound, math.inf) for bound in ("maximum", "exclusiveMaximum"))),
        low_open=allowed.get("exclusiveMinimum") == low,
        whole=allowed.get("type") == "integer",
        optional=len(ways) > 1 and info.default is None,
        default=info.default,
        options=tuple(choices.get("enum", ())),
    )


def known_field(name: str) -> Field:
    """Return a field of the workload, or of every deployment."""
    return field(Deployment if name in Deployment.model_fields else Workload, name)


def title(name: str) -> str:
    """Label of a field of the workload or of every deployment, with its unit."""
    return known_field(name).titled


def steps(low: float, high: float, whole: bool) -> tuple[float, ...]:
    """Return round steps over decades: 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8 of each."""
    found: list[float] = []
    for exponent in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for step in (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8):
            value = step * 10.0**exponent
            value = round(value) if whole else float(f"{value:.6g}")
            if low <= value <= high and (not found or value > found[-1]):
                found.append(value)
    return tuple(found)
