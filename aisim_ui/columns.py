"""A table as plain columns, for the page that opens first: it needn't wait for pandas to be loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.json

from aisim_ui.exports import json_text

Columns = Mapping[str, Sequence[Any]]


def arrow(columns: Columns) -> pa.Table:
    """Turn columns into what Streamlit shows as it is; None, NaN and infinity are empty cells.

    `pa.table` would do, but loads pandas to ask whether a list is a Series; reading JSON doesn't.
    """
    texts = [name for name, values in columns.items() if any(isinstance(value, str) for value in values)]
    rows = zip(*columns.values(), strict=True)
    lines = "\n".join(json_text(dict(zip(columns, row, strict=True))) for row in rows)
    found = pyarrow.json.read_json(
        pa.py_buffer(lines.encode()),
        pyarrow.json.ReadOptions(use_threads=False),
        # else a name such as "2026-11-29" would be read as a date
        pyarrow.json.ParseOptions(explicit_schema=pa.schema([(name, pa.string()) for name in texts])),
    )
    return found.select(list(columns))  # those whose type was told come first
