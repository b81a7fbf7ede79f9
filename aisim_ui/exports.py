"""What a person takes along: CSV, JSON and file names, each with the model's version."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from aisim_model import MODEL_VERSION

# what a spreadsheet reads as a formula, blanks before it and full-width signs included
FORMULA = re.compile(r"\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n]")


def file_name(title: str, ending: str) -> str:
    """Name a file after what it shows and the model that made it."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "aisim"
    return f"aisim-{words}-v{MODEL_VERSION}.{ending}"


def neutral(cell: Any) -> Any:
    """Keep a text cell from being read as a formula by a spreadsheet, or as the end of a row."""
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if FORMULA.match(cell) else text


def csv_bytes(table: pd.DataFrame | Mapping[str, Sequence[Any]]) -> bytes:
    """Write a table as CSV: exact values, text cells neutralised, the model's version in a column."""
    safe = pd.DataFrame(table).assign(model_version=MODEL_VERSION)
    for name in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[name].dtype):
            safe[name] = safe[name].map(neutral)
    safe.columns = pd.Index([neutral(str(name)) for name in safe.columns])
    return safe.to_csv(index=False, lineterminator="\n").encode("utf-8")


def finite(value: Any) -> Any:
    """Replace what JSON has no word for, NaN and infinity, by null."""
    if isinstance(value, (np.generic, np.ndarray)):
        return finite(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def json_text(value: Any) -> str:
    """Write JSON in which NaN and infinity are null."""
    return json.dumps(finite(value), allow_nan=False, ensure_ascii=False)
