"""How near the models come to what was measured, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from aisim_model.evidence.cloud_scenario import CloudVerdict
from aisim_ui.evidence.clouds import mean_ttft_error
from aisim_ui.words import percent


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


def _and(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def cloud_sentence(verdicts: tuple[CloudVerdict, ...]) -> str:
    """Say which runs the model finds bound, whether it was measured so, and how near the mean TTFT is."""
    bound = _and(one.gpu for one in verdicts if one.prefill_bound)
    keeping = _and(one.gpu for one in verdicts if not one.prefill_bound)
    right = sum(one.prefill_bound == one.run.prefill_bound for one in verdicts)
    errors = [abs(error) for one in verdicts if (error := mean_ttft_error(one)) is not None]
    return (
        f"**Qwen3-32B on five clouds, one trace of 12,031 requests:** prefill is the bottleneck on {bound}; "
        f"{keeping} keep up; {right} of {len(verdicts)} as measured. Where prompts queued, mean TTFT at the "
        f"run's own prefill rate is within {percent(max(errors))} of the measured; no link is asked for more "
        f"than {percent(max(one.link_load for one in verdicts))} of what it carries."
    )
