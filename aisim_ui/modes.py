"""What a handoff sends: the two modes, as people call them."""

from __future__ import annotations

from types import MappingProxyType

from aisim_model.handoff import TransferTimingMode

SENT = MappingProxyType(
    {
        TransferTimingMode.FULL_PROMPT: "whole prompt",
        TransferTimingMode.DESTINATION_MISSING: "only what decode lacks",
    }
)


def other_mode(mode: TransferTimingMode) -> tuple[TransferTimingMode, str]:
    """Return the mode that a row isn't in, and its name."""
    return next((other, name) for other, name in SENT.items() if other is not mode)
