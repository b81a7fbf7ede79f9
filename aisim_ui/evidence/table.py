"""Published measurements beside the models, as a table."""

from __future__ import annotations

import pandas as pd

from aisim_model.evidence import MODELS, Evidence

QUANTITIES = {
    "transfer_ms": "Transfer [ms]",
    "ttft_ms": "TTFT [ms]",
    "ttft_added_ms": "Added to TTFT [ms]",
    "mean_ttft_s": "Mean TTFT [s]",
    "handover_ms": "Handover [ms]",
    "itl_ms": "ITL [ms]",
    "bytes": "KV cache [bytes]",
    "offered_gb_s": "Offered load [GB/s]",
    "effective_gb_s": "Bandwidth [GB/s]",
    "prefill_tokens_per_s": "Prefill [tokens/s]",
}


def table(rows: tuple[Evidence, ...]) -> pd.DataFrame:
    """Lay out every measurement with each model's prediction and relative error."""
    return pd.DataFrame(
        [
            {**vars(row), **{f"{model}_relative_error": row.relative_error(model) for model in MODELS}}
            for row in rows
        ]
    )
