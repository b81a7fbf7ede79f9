"""What the Explore page looks at: one or two fields, their ranges, and what is shown of each point."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple

import streamlit as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from aisim_model.errors import InputError, sentences
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.sweep import Sweep, swept
from aisim_model.sweep.axes import field_kind
from aisim_ui.fields import field
from aisim_ui.state import Problem, state

Quantity = Literal["ttft_ms", "handoff_ms", "handoff_share"]
KEY = "explore.view"
MAX_POINTS = 1_000_000


class Ends(NamedTuple):
    """A range as it stands in its boxes."""

    low: str
    high: str
    scale: Literal["lin", "log"]


RANGES = MappingProxyType(
    {
        "prompt_tokens": Ends("128", "131072", "log"),
        "bandwidth_gb_s": Ends("1", "400", "log"),
        "kv_bytes_per_token": Ends("10000", "1000000", "log"),
        "prefill_cached_tokens": Ends("0", "8000", "lin"),
        "decode_cached_tokens": Ends("0", "8000", "lin"),
        "orchestration_ms": Ends("1", "1000", "log"),
        "alpha_ms": Ends("0", "10", "lin"),
        "link_efficiency": Ends("0.1", "1", "lin"),
        "mfu": Ends("0.2", "0.8", "lin"),
        "memory_efficiency": Ends("0.2", "0.9", "lin"),
    }
)


class View(BaseModel):
    """What is looked at; the scenario says where all else stands.

    Parameters
    ----------
    x, y : str
        Fields along the axes; without the second the picture is curves.
    quantity : str
        Column that is shown.
    count : int
        Values of each field.
    share : float
        Share of TTFT that the handoff's contour line stands for.
    aggregated : bool
        Whether rows that hand nothing over compete for the best.
    ranges : dict
        Ranges that differ from the usual ones, by field.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    x: str = "prompt_tokens"
    y: str | None = "bandwidth_gb_s"
    quantity: Quantity = "ttft_ms"
    count: Annotated[int, Field(ge=2, le=1000)] = 60
    share: Annotated[float, Field(gt=0, lt=1)] = 0.1
    aggregated: bool = False
    ranges: dict[str, Ends] = {}

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields along the axes."""
        return (self.x,) if self.y is None else (self.x, self.y)

    def ends(self, name: str) -> Ends:
        """Range of a field."""
        return self.ranges.get(name, RANGES[name])

    def vary(self) -> tuple[str, ...]:
        """Say what is varied as the command line does."""
        found = []
        for name in self.fields:
            low, high, scale = self.ends(name)
            count = self.count
            if field_kind(name) == "whole" and low.isdecimal() and high.isdecimal():
                count = max(2, min(count, int(high) - int(low) + 1))
            found.append(f"{name}={low}:{high}:{scale}:{count}")
        return tuple(found)


def bounded(scenario: Scenario, vary: tuple[str, ...]) -> Sweep:
    """Build a sweep that a page takes.

    Raises
    ------
    InputError
        For a range that is refused, or too many points.
    """
    wanted = swept(scenario, vary)
    if wanted.points > MAX_POINTS:
        problem = f"is more points than the {MAX_POINTS:,} that a page takes"
        remedy = "Choose fewer values; the command aisim sweep takes a thousand times as many."
        raise InputError("points", f"{wanted.points:,}", problem, remedy)
    return wanted


def view() -> View:
    """Return what this visit looks at."""
    found: View = st.session_state.setdefault(KEY, View())
    return found


def look(key: str, text: str, **changes: object) -> None:
    """Look at something else, or say under `key` why not and keep what there is."""
    problems = state().problems
    try:
        wanted = View.model_validate({**dict(view()), **changes})
        bounded(state().scenario, wanted.vary())
    except InputError as error:
        problems[key] = Problem(text, str(error))
    except ValidationError as error:
        problems[key] = Problem(text, " ".join(sentences(error)))
    else:
        problems.pop(key, None)
        st.session_state[KEY] = wanted


def title(name: str) -> str:
    """Label of a field with its unit."""
    return field(Deployment if name in Deployment.model_fields else Workload, name).titled


def follow(key: str, value: object) -> Callable[[], object]:
    """Let a widget show a value, and return how to read it."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    return lambda: st.session_state[key]
