"""Heavy work of visitors: whose turn it is, and where it is done, in threads or in processes of their own.

No Streamlit here. A server sets both once, by `settle`; without one, work is done in threads.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from aisim_ui.jobs.carry import Carry, in_thread
from aisim_ui.jobs.turns import Turns


@dataclass(frozen=True)
class Place:
    """Where heavy work is done, and how much of it at once."""

    turns: Turns
    carry: Carry


_place = Place(Turns(max((os.cpu_count() or 2) - 1, 1)), in_thread)  # a core is left for the pages


def place() -> Place:
    """Return where heavy work is done."""
    return _place


def settle(found: Place) -> None:
    """Do heavy work there from now on."""
    global _place
    _place = found
