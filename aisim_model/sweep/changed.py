"""One point of a sweep as the scalar model takes it: a workload and a row with other values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aisim_model.scenario import Deployment, Workload

TOKENS = ("prompt_tokens", "prefill_cached_tokens", "decode_cached_tokens")


def changed(workload: Workload, row: Deployment, values: Mapping[str, Any]) -> tuple[Workload, Deployment]:
    """Return a workload and a row with some of their fields changed, each validated.

    A field that both have is the row's. A prompt shorter than what is cached of it is cached whole.

    Examples
    --------
    >>> row = Deployment(id="a", name="a")
    >>> workload, _ = changed(Workload(prefill_cached_tokens=6144), row, {"prompt_tokens": 128})
    >>> workload.prefill_cached_tokens
    128
    """
    of_row = {field: value for field, value in values.items() if field in Deployment.model_fields}
    of_workload = {field: value for field, value in values.items() if field not in of_row}
    if (prompt := of_workload.get("prompt_tokens")) is not None:
        for name in TOKENS[1:]:
            of_workload[name] = min(of_workload.get(name, getattr(workload, name)), prompt)
    return (
        workload.changed(**of_workload) if of_workload else workload,
        row.changed(**of_row) if of_row else row,
    )
