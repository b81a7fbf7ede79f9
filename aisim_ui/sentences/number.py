"""One of the numbers beneath a page's answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """Its name, its value, what is beside it, how it was worked out, and whether it is good news."""

    label: str
    value: str
    beside: str
    how: str
    good: bool | None = None
