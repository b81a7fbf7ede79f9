"""How every subcommand writes: JSON without NaN, or lines for a person."""

from __future__ import annotations

import json
from typing import Any


def print_json(value: Any) -> None:
    """Print one JSON value; NaN and infinity are a programming error, never output."""
    print(json.dumps(value, allow_nan=False, ensure_ascii=False, indent=2))
