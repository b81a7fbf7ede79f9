"""A layout of a plan replayed, here or in a process."""

from __future__ import annotations

from aisim_model.plan.search import Candidate
from aisim_model.plan.verify import Verified, replayed
from aisim_model.replay import Progress
from aisim_model.scenario import Scenario


def replayed_layout(scenario: Scenario, one: Candidate, progress: Progress) -> Verified | str:
    """Replay a layout; a text says why it can't be."""
    found = replayed(scenario, one, None, progress)
    return found if found.figures is not None else found.refused or "It was refused."
