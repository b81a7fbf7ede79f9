"""The sweep behind the page: worked out with progress, stoppable, and kept within bounds."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import streamlit as st

from aisim_model.scenario import Scenario
from aisim_model.sweep import Sweep, values
from aisim_model.sweep.write import write
from aisim_ui.explore.view import bounded
from aisim_ui.exports import neutral

NAMES = ("ttft_ms", "handoff_ms", "handoff_share")
KEPT = 12
QUICK_POINTS = 200_000
SAY_EVERY_S = 0.1
STOPPED = "explore.stopped"
Grids = dict[str, npt.NDArray[np.float64]]


@dataclass
class SweepGrids:
    """A sweep, and its columns once they are worked out: (deployments, values of each mesh axis)."""

    sweep: Sweep
    grids: Grids = field(default_factory=dict)


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def shared_sweep(scenario: Scenario, vary: tuple[str, ...]) -> SweepGrids:
    """Return what all visits share of a sweep; it is made once, and the oldest ones are dropped."""
    return SweepGrids(bounded(scenario, vary))


def result(scenario: Scenario, vary: tuple[str, ...]) -> SweepGrids | None:
    """Return the sweep worked out, or None where its visitor stopped it.

    A click on Stop ends this visit's run at its next word of progress. Work goes in blocks of a fraction of a
    millisecond, so that other visits have their turn in between.
    """
    found = shared_sweep(scenario, vary)
    if found.grids:
        return found
    if found.sweep.points <= QUICK_POINTS:
        found.grids = values(found.sweep, NAMES)
        return found
    if st.session_state.get(STOPPED) == vary:
        st.info(f"Stopped before all of {found.sweep.points:,} points were worked out.")
        st.button("Go on", key="explore.go", on_click=st.session_state.pop, args=(STOPPED, None))
        return None
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, f"{found.sweep.points:,} points")
        st.button("Stop", key="explore.stop", icon=":material/stop:", on_click=_stop, args=(vary,))
    said = time.monotonic()

    def say(points: int) -> None:
        nonlocal said
        if time.monotonic() - said > SAY_EVERY_S:
            said = time.monotonic()
            bar.progress(points / found.sweep.points, f"{points:,} of {found.sweep.points:,} points")

    found.grids = values(found.sweep, NAMES, say)
    place.empty()
    return found


def _stop(vary: tuple[str, ...]) -> None:
    st.session_state[STOPPED] = vary


def csv_of(sweep: Sweep) -> bytes:
    """Write every point of a sweep as CSV."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.csv"
        write(sweep, path, neutral)
        return path.read_bytes()


def some(size: int, most: int) -> npt.NDArray[np.intp]:
    """Choose at most so many places among `size`, evenly, both ends among them.

    Examples
    --------
    >>> some(4, 10), some(11, 3)
    (array([0, 1, 2, 3]), array([ 0,  5, 10]))
    """
    return np.unique(np.linspace(0, size - 1, min(size, most)).round().astype(np.intp))
