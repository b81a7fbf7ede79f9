"""Work that a process finds by its name."""

from __future__ import annotations

import time

from aisim_model.errors import InputError
from aisim_model.replay import Progress


def sleep(seconds: float, progress: Progress) -> None:
    progress.control[1] = 7
    time.sleep(seconds)


def take(size_bytes: int, progress: Progress) -> int:
    return len(bytearray(size_bytes))


def refuse(progress: Progress) -> None:
    raise InputError("trace", "a.csv", "is empty")
