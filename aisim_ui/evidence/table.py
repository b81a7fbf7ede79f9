"""Published measurements beside the models, as a table and in a sentence."""

from __future__ import annotations

import pandas as pd

from aisim_model.evidence import MODELS, Evidence
from aisim_ui.words import percent

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


def sentence(found: pd.DataFrame) -> str:
    """Say how far off the reference and the calibrated model are on the transfers that were fitted."""
    fitted = found[found["fitted"] & (found["quantity"] == "transfer_ms")]
    reference = fitted["reference_relative_error"]
    calibrated = fitted["calibrated_relative_error"].abs().max()
    held_out = fitted["calibrated_left_out_relative_error"].abs().max()
    return (
        f"At nominal bandwidth the reference is {percent(-reference.max())} to {percent(-reference.min())} "
        f"below the {len(fitted)} published transfer times; calibrated it is within {percent(calibrated)}, "
        f"and within {percent(held_out)} on rows it didn't see."
    )
