"""How near the models come to what was measured, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from aisim_model.evidence.cloud_scenario import CloudVerdict
from aisim_model.evidence.silicon.committed import NAMES
from aisim_ui.evidence.clouds import mean_ttft_error
from aisim_ui.words import percent

UNCOUNTED = {
    "tpot": "their batch isn't known well enough",
    "ttft_low": "they are split, or hold more than four requests a worker",
}


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


def silicon_sentence(table: pd.DataFrame) -> str:
    """Say how far off each model of a pass is in TPOT, on all rows that count."""
    asked = table[table["counts_tpot"]]
    said = []
    for rival, name in NAMES.items():
        if rival != "roofline":  # of which the unseen one is the honest figure
            off = (asked[f"{rival}_tpot_ms"] / asked["measured_tpot_ms"] - 1).abs()
            said.append(f"{name} {percent(off.median())}")
    twice = "The same point measured twice differs by 0.4%, one in four by 6% or more."
    return f"Off in TPOT at the median: {_and(said)}. {twice}"


def silicon_left_out(table: pd.DataFrame, quantity: str) -> str:
    """Say how many rows don't count for a quantity, and which a model has no answer for."""
    asked = table[table[f"counts_{quantity}"]]
    said = [f"{len(table) - len(asked):,} of {len(table):,} rows don't count: {UNCOUNTED[quantity]}."]
    for rival, name in NAMES.items():
        if silent := int(asked[f"{rival}_{quantity}_ms"].isna().sum()):
            said.append(f"{name} has no answer for {silent:,}: no operators were measured for them.")
    return " ".join(said)


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
