"""What is varied: one field of a scenario over a range or a list, read from ``FIELD=LOW:HIGH:log|lin:N``.

Nothing is computed here but the values themselves, and those by the slice: an axis of 100 million bandwidths
takes no memory.
"""

from __future__ import annotations

import difflib
import math
import types
import typing
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aisim_model.errors import InputError
from aisim_model.scenario import Deployment, Workload
from aisim_model.scenario.older_names import OLDER_WEIGHTS, weight_format_of

Scale = Literal["lin", "log"]
Kind = Literal["whole", "number", "choice"]

MAX_POINTS = 1_000_000_000
MAX_WHOLE_VALUES = 10_000_000
READABLE = 100_000  # values of an axis that a person may look at one by one
RATIOS = 4096  # in the table of a longer log axis: it stays in the cache of a core
FORM = "Write FIELD=LOW:HIGH:log:N, FIELD=LOW:HIGH:lin:N or FIELD=a,b,c."
NOT_VARIED = frozenset({"id", "name", "color", "model", "prefill_table", "decode_table"})


@dataclass(frozen=True)
class Listed:
    """Values of a field, one by one.

    Parameters
    ----------
    field : str
        Name of a scenario's field.
    values : tuple
        Its values, in the order in which they were given.
    """

    field: str
    values: tuple[Any, ...]

    @property
    def size(self) -> int:
        """How many values there are [-]."""
        return len(self.values)

    def at(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Return the values from one position to another."""
        return np.array(self.values[start:stop])


@dataclass(frozen=True)
class Range:
    """Values of a number field from `low` to `high`, both included, evenly spaced on a scale.

    Parameters
    ----------
    field : str
        Name of a scenario's field.
    low, high : float
        Ends, in the field's unit.
    scale : {"lin", "log"}
        Even steps, or even ratios.
    count : int
        Values asked for; on a field of whole numbers those that round to the same count once.

    Examples
    --------
    >>> Range("bandwidth_gb_s", 1, 100, "log", 3).at(0, 3)
    array([  1.,  10., 100.])
    >>> Range("prompt_tokens", 1, 8, "log", 5).at(0, 5)
    array([1, 2, 3, 5, 8])
    """

    field: str
    low: float
    high: float
    scale: Scale
    count: int

    @property
    def size(self) -> int:
        """How many values there are [-]."""
        return len(_whole_values(self)) if field_kind(self.field) == "whole" else self.count

    def at(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Return the values from one position to another; any slice has the same values as the whole."""
        if field_kind(self.field) == "whole":
            return _whole_values(self)[start:stop]
        return _spaced(self, start, min(stop, self.count))


Axis = Listed | Range


def names_of(axis: Axis) -> tuple[str, ...]:
    """Return the values of an axis of names."""
    return tuple(str(value) for value in axis.at(0, axis.size))


def _spaced(axis: Range, start: int, stop: int) -> npt.NDArray[np.float64]:
    """Space values as NumPy's linspace and geomspace do, a slice of them, both ends exact."""
    log = axis.scale == "log"
    low, high = (math.log10(axis.low), math.log10(axis.high)) if log else (axis.low, axis.high)
    step = (high - low) / (axis.count - 1)
    if log and axis.count > READABLE:
        values = _by_ratios(axis.low, step, start, stop)
    else:
        values = np.arange(start, stop, dtype=np.float64)
        values *= step
        values += low
        if log:
            np.power(10.0, values, out=values)
    if start == 0 < stop:
        values[0] = axis.low
    if stop == axis.count > start:
        values[-1] = axis.high
    return values


def _by_ratios(low: float, step: float, start: int, stop: int) -> npt.NDArray[np.float64]:
    """Return low 10^(step i) for a slice of i: one multiplication a value, where a power takes a dozen.

    Value i is that at the multiple of `RATIOS` below i, times the ratio for the rest of i, so it is the same
    to the bit in every slice. From NumPy's geomspace it differs by the rounding of exponents.
    """
    first = start // RATIOS * RATIOS
    block_starts = low * np.power(10.0, np.arange(first, stop, RATIOS) * step)
    values: npt.NDArray[np.float64] = np.multiply.outer(block_starts, _ratios(step)).ravel()
    return values[start - first : stop - first]


@lru_cache(maxsize=8)
def _ratios(step: float) -> npt.NDArray[np.float64]:
    ratios: npt.NDArray[np.float64] = np.power(10.0, np.arange(RATIOS) * step)
    ratios.setflags(write=False)
    return ratios


@lru_cache(maxsize=4)
def _whole_values(axis: Range) -> npt.NDArray[np.int64]:
    rounded = np.rint(_spaced(axis, 0, axis.count)).astype(np.int64)
    new = np.ones(len(rounded), dtype=np.bool_)
    np.not_equal(rounded[1:], rounded[:-1], out=new[1:])
    values: npt.NDArray[np.int64] = rounded if new.all() else rounded[new]
    values.setflags(write=False)
    return values


def fields() -> tuple[str, ...]:
    """Return the names of all fields that can be varied.

    Examples
    --------
    >>> "bandwidth_gb_s" in fields(), "name" in fields()
    (True, False)
    """
    names = dict.fromkeys([*Workload.model_fields, *Deployment.model_fields])
    return tuple(name for name in names if name not in NOT_VARIED)


@lru_cache(maxsize=128)
def field_kind(field: str) -> Kind:
    """Say whether a field takes whole numbers, numbers, or names.

    Raises
    ------
    InputError
        For a field that a scenario doesn't have, with the nearest that it has.

    Examples
    --------
    >>> field_kind("prompt_tokens"), field_kind("bandwidth_gb_s"), field_kind("kv_dtype")
    ('whole', 'number', 'choice')
    """
    if field in NOT_VARIED:
        problem = "names something and can't be varied"
        raise InputError("vary", field, problem, f"Vary one of {', '.join(fields())}.")
    if field not in fields():
        near = difflib.get_close_matches(field.lower(), fields(), 6, 0.5)
        remedy = f"Did you mean {' or '.join(near)}?" if near else f"Vary one of {', '.join(fields())}."
        raise InputError("vary", field, "is no field of a scenario", remedy)
    part = Deployment if field in Deployment.model_fields else Workload
    found = _types(part.model_fields[field].annotation)
    return "whole" if int in found else "number" if float in found else "choice"


def _types(annotation: Any) -> set[Any]:
    """Collect the plain types of an annotation, through Annotated and Optional."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _types(inner[0])
    if origin in (types.UnionType, typing.Union):
        return set().union(*(_types(part) for part in inner))
    return {annotation}


def read_axis(text: str) -> Axis:
    """Read ``FIELD=LOW:HIGH:log|lin:N`` or ``FIELD=a,b,c``.

    Raises
    ------
    InputError
        For an unknown field, a range that is empty or backwards, or has 0 on a log axis.

    Examples
    --------
    >>> read_axis("bandwidth_gb_s=1:400:log:200").size, read_axis("kv_dtype=bf16,fp8").values
    (200, ('bf16', 'fp8'))
    >>> read_axis("bandwith_gb_s=1,2")
    Traceback (most recent call last):
    aisim_model.errors.InputError: vary = 'bandwith_gb_s': is no field of a scenario. ...
    """
    field, equals, values = (part.strip() for part in text.partition("="))
    if not equals:
        raise InputError("vary", text, "names no values", FORM)
    if field == OLDER_WEIGHTS and values:
        listed_formats = (weight_format_of(value.strip()) for value in values.split(","))
        return read_axis(f"weight_format={','.join(listed_formats)}")
    kind = field_kind(field)
    if not values:
        raise InputError(field, values, "is empty", FORM)
    if ":" in values and kind != "choice":
        return _range(field, values, kind)
    items = [item.strip() for item in values.split(",")]
    if not all(items):
        raise InputError(field, values, "has an empty value in its list", FORM)
    listed = tuple(items if kind == "choice" else (_number(field, item, kind) for item in items))
    value, times = Counter(listed).most_common(1)[0]
    if times > 1:
        raise InputError(field, value, "is listed more than once", "List each value once.")
    return Listed(field, listed)


def _range(field: str, text: str, kind: Kind) -> Range:
    parts = [part.strip() for part in text.split(":")]
    if len(parts) != 4:
        raise InputError(field, text, f"has {len(parts)} parts where a range has 4", FORM)
    scale = parts[2]
    if scale not in ("lin", "log"):
        near = difflib.get_close_matches(scale, ("lin", "log"), 1, 0)[0]
        raise InputError(field, scale, "is no scale: it must be lin or log", f"Did you mean {near}?")
    low, high = _number(field, parts[0], kind), _number(field, parts[1], kind)
    count = int(_number(f"{field}, number of values", parts[3], "whole"))
    if count < 2 or low == high:
        problem = "is an empty range: it needs two ends and at least 2 values"
        raise InputError(field, text, problem, f"For one value write {field}={parts[0]}.")
    if low > high:
        remedy = f"Write {field}={parts[1]}:{parts[0]}:{scale}:{parts[3]}."
        raise InputError(field, text, "runs backwards: its low end is above its high end", remedy)
    if scale == "log" and low <= 0:
        problem = "has no logarithm: both ends of a log range must be above 0"
        raise InputError(field, text, problem, "Begin above 0, or use lin.")
    return Range(field, low, high, "log" if scale == "log" else "lin", count)


def _number(field: str, text: str, kind: Kind) -> int | float:
    wanted = "a whole number" if kind == "whole" else "a number"
    try:
        value = float(text)
        if kind == "number" and math.isfinite(value):
            return value
        if math.isfinite(value) and value == int(value):
            return int(text) if text.lstrip("+-").replace("_", "").isdecimal() else int(value)
    except ValueError:
        pass
    raise InputError(field, text, f"must be {wanted}", FORM)


def check_size(axes: Sequence[Axis], deployments: int, bytes_per_point: int) -> None:
    """Refuse a sweep of too many points before any is made.

    Parameters
    ----------
    axes : sequence of Listed or Range
        What is varied.
    deployments : int
        Rows of the scenario [-].
    bytes_per_point : int
        What a point takes in a table [B].

    Raises
    ------
    InputError
        For more than a billion points, with the size they would take; for more whole numbers than there are.
    """
    counts = [axis.count if isinstance(axis, Range) else axis.size for axis in axes]
    points = math.prod(counts) * deployments
    if points > MAX_POINTS:
        asked = " x ".join(f"{count:,}" for count in (*counts, deployments))
        problem = (
            f"is {points:,} points ({asked} deployments), about {_size(points * bytes_per_point)}; "
            f"a sweep has at most {MAX_POINTS:,}"
        )
        raise InputError("vary", ", ".join(axis.field for axis in axes), problem, "Ask for fewer values.")
    for axis in axes:
        if isinstance(axis, Range) and field_kind(axis.field) == "whole":
            most = int(min(axis.high - axis.low + 1, MAX_WHOLE_VALUES))
            if axis.count > most:
                problem = f"is more values than the {most:,} whole numbers that the axis can have"
                raise InputError(axis.field, axis.count, problem, f"Ask for at most {most:,}.")


def _size(bytes_: float) -> str:
    """Write a size for people.

    Examples
    --------
    >>> _size(1.2e14)
    '120 TB'
    """
    power = min(int(math.log10(max(bytes_, 1)) // 3), 8)
    return f"{bytes_ / 1000**power:,.3g} {('B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB')[power]}"
