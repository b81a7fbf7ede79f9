"""A table as plain columns: each value as it is, whole numbers beside what is not known too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from aisim_ui.exports import finite

Columns = Mapping[str, Sequence[Any]]


def arrow(columns: Columns) -> pa.Table:
    """Turn columns into what Streamlit shows as it is; None, NaN and infinity are empty cells."""
    return pa.table({name: finite(list(values)) for name, values in columns.items()})
