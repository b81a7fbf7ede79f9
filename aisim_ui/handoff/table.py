"""The table of deployments as people read it; the CSV beside it has the exact values."""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

from aisim_model.units import BYTES_PER_GB
from aisim_ui.columns import Columns
from aisim_ui.words import COLUMN_HELP, header_px

SHOWN = {
    "deployment": "Deployment",
    "gpus": "GPUs",
    "handoff_ms": "Handoff [ms]",
    "handoff_share": "Share of TTFT",
    "prefill_ms": "Prefill [ms]",
    "ttft_ms": "TTFT [ms]",
    "ttft_difference_ms": "TTFT vs baseline [ms]",
    "itl_ms": "ITL [ms]",
    "wire_bytes": "On the wire [GB]",
    "bandwidth_gb_s": "Bandwidth [GB/s]",
    "needed_gb_s": "Needed [GB/s]",
    "meets_ttft_slo": "TTFT SLO",
    "meets_itl_slo": "ITL SLO",
    "carries_requests_per_s": "Carries [requests/s]",
    "busiest": "Busiest",
}

RIVALS = {
    "quantity": "Quantity",
    "model": "Model",
    "milliseconds": st.column_config.NumberColumn("Time [ms]", format="%.4g"),
    "chosen": "Used in this row",
    "assumes": st.column_config.TextColumn("Assumes", width="large"),
}


def for_people(found: Columns) -> Columns:
    """Choose and scale the columns that a person reads."""
    scales = {"wire_bytes": 1 / BYTES_PER_GB, "handoff_share": 100}
    return {
        name: [value * scales[name] for value in found[name]] if name in scales else found[name]
        for name in SHOWN
    }


@cache
def settings() -> dict[str, Any]:
    """Column settings: a name with its unit, and digits that matter."""
    number = {
        "handoff_ms": "%.4g",
        "handoff_share": "%.2g%%",
        "prefill_ms": "%.4g",
        "ttft_ms": "%.4g",
        "ttft_difference_ms": "%+.4g",
        "itl_ms": "%.3g",
        "wire_bytes": "%.4g",
        "bandwidth_gb_s": "%.4g",
        "needed_gb_s": "%.3g",
        "carries_requests_per_s": "%.3g",
    }
    return {
        name: st.column_config.NumberColumn(
            label, format=number[name], width=header_px(label), help=COLUMN_HELP.get(name)
        )
        if name in number
        else st.column_config.Column(label)
        for name, label in SHOWN.items()
    }
