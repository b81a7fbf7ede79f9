"""What the Explore page looks at, as the scenario holds it: changed in its boxes, varied by the sweep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aisim_model.errors import InputError
from aisim_model.scenario import Scenario
from aisim_model.scenario.explore import Ends, Explore
from aisim_model.scenario.traffic import Traffic
from aisim_model.sweep import Sweep, swept
from aisim_model.sweep.axes import field_kind
from aisim_ui.fields import known_field
from aisim_ui.inputs import Put
from aisim_ui.state import state

MAX_POINTS = 1_000_000


def view() -> Explore:
    """Return what is looked at."""
    return state().scenario.explore


def vary(looked: Explore) -> tuple[str, ...]:
    """Say what is varied as the command line does.

    Examples
    --------
    >>> vary(Explore(y=None))
    ('prompt_tokens=128:131072:log:60',)
    """
    found = []
    for name in looked.fields:
        low, high, scale = looked.ends(name)
        count = looked.count
        if field_kind(name) == "whole":
            count = max(2, min(count, int(high) - int(low) + 1))
        found.append(f"{name}={exact(low)}:{exact(high)}:{scale}:{count}")
    return tuple(found)


def exact(value: float) -> str:
    """Write a number so that it reads back to the bit.

    Examples
    --------
    >>> exact(128.0), exact(0.1)
    ('128', '0.1')
    """
    return repr(value).removesuffix(".0")


def typed_ends(name: str, low: str, high: str, scale: str) -> Ends:
    """Read a range from its boxes.

    Raises
    ------
    InputError
        For what is no range of the field.

    Examples
    --------
    >>> typed_ends("prompt_tokens", "1,000", "32 000", "lin")
    Ends(low=1000.0, high=32000.0, scale='lin')
    """
    known = known_field(name)
    first, last = (
        float(replace(known, label=f"{known.label}, {end}", optional=False).parse(text) or 0.0)
        for end, text in (("from", low), ("to", high))
    )
    given = f"{low.strip()} to {high.strip()}"
    if first >= last:
        problem = "runs backwards" if first > last else "is one value, not a range"
        raise InputError(known.label, given, problem, "Put the lower value under From.")
    if scale == "log" and first <= 0:
        problem = "has no logarithm: on a log scale both ends must be above 0"
        raise InputError(known.label, given, problem, "Begin above 0, or choose the linear scale.")
    return Ends(first, last, "log" if scale == "log" else "lin")


def bounded(scenario: Scenario, varied: tuple[str, ...]) -> Sweep:
    """Build a sweep that a page takes.

    Raises
    ------
    InputError
        For a range that is refused, or too many points.
    """
    wanted = swept(scenario, varied)
    if wanted.points > MAX_POINTS:
        problem = f"is more points than the {MAX_POINTS:,} that a page takes"
        remedy = "Choose fewer values; the command aisim sweep takes a thousand times as many."
        raise InputError("points", f"{wanted.points:,}", problem, remedy)
    return wanted


def asked(scenario: Scenario) -> Scenario:
    """Return a scenario without what no sweep depends on, so that equal sweeps are worked out once."""
    return scenario.model_copy(update={"explore": Explore(), "traffic": Traffic()})


def looked(put: Put) -> Put:
    """Return what a choice does to what is looked at, refused where no page can show that."""

    def change(scenario: Scenario, value: Any) -> Scenario:
        wanted = put(scenario, value)
        bounded(asked(wanted), vary(wanted.explore))
        return wanted

    return change
