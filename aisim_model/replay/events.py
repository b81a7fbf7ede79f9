"""What can happen, in the order in which things of one instant happen, and what follows from it.

A code is a kind plus the worker or request that it is about, so that codes sort by kind, then by number.
"""

from __future__ import annotations

from aisim_model.replay.compiled import compiled

KIND = 1 << 40  # more than there are workers or requests

# Events: passes that end, what becomes ready, what ends on a link, who gives up; then workers to look at
# again, and last of all the transfers that come to a shared link, by number.
PREFILL_ENDED, DECODE_ENDED, SOURCE_READY, TRANSFER_ENDED, LINK_CHANGED, CANCEL, DRIVE, LINK_ASKED = range(
    0, 8 * KIND, KIND
)
# Actions that follow from an event within the same instant, first in first out.
SUBMIT, RESERVE, ACTIVATE, TRANSFER, RELEASE = range(0, 5 * KIND, KIND)


@compiled
def kind_of(code: int) -> int:
    """Return what happens."""
    return code // KIND * KIND


@compiled
def index_of(code: int) -> int:
    """Return to which worker or request it happens."""
    return code % KIND
