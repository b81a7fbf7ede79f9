"""The results of the deployments as tables for people: one view a question, over the same exact table."""

from __future__ import annotations

import math
from functools import cache
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from aisim_model.units import BYTES_PER_GB
from aisim_ui.words import COLUMN_HELP, header_px

# column, label, format; a share is shown in percent
Column = tuple[str, str, str | None]
NAME: Column = ("deployment", "Deployment", None)
VIEWS: MappingProxyType[str, tuple[Column, ...]] = MappingProxyType(
    {
        "One request": (
            NAME,
            ("gpus", "GPUs", "%d"),
            ("ttft_ms", "TTFT [ms]", "%.4g"),
            ("ttft_over_slo_ms", "TTFT less SLO [ms]", "%+.4g"),
            ("ttft_difference_ms", "TTFT vs baseline [ms]", "%+.4g"),
            ("itl_ms", "ITL [ms]", "%.3g"),
            ("itl_over_slo_ms", "ITL less SLO [ms]", "%+.3g"),
            ("handoff_ms", "Handoff [ms]", "%.4g"),
            ("handoff_share", "of TTFT", "%.2g%%"),
            ("prefill_ms", "Prefill [ms]", "%.4g"),
            ("second_token_ms", "Second token [ms]", "%.4g"),
            ("wire_bytes", "On the wire [GB]", "%.4g"),
            ("bandwidth_gb_s", "Bandwidth [GB/s]", "%.4g"),
            ("needed_gb_s", "Needed [GB/s]", "%.3g"),
        ),
        "Under load (estimate)": (
            NAME,
            ("bottleneck", "Bottleneck", None),
            ("overloaded", "Overloaded", None),
            ("prefill_utilisation", "Prefill busy", "%.3g%%"),
            ("link_utilisation", "Link busy", "%.3g%%"),
            ("decode_utilisation", "Decode busy", "%.3g%%"),
            ("loaded_queue_ms", "Prefill queue [ms]", "%.3g"),
            ("loaded_ttft_ms", "Mean TTFT [ms]", "%.4g"),
            ("loaded_itl_ms", "Mean ITL [ms]", "%.3g"),
            ("loaded_tail_itl_ms", "Tail ITL [ms]", "%.3g"),
            ("meets_slos_under_load", "Meets both SLOs", None),
            ("carries_within_slos_per_s", "Carries within SLOs [requests/s]", "%.3g"),
        ),
        "Memory": (
            NAME,
            ("fits", "Fits", None),
            ("weights_gb_per_gpu", "Weights a GPU [GB]", "%.3g"),
            ("kv_pool_gb_per_gpu", "KV pool a GPU [GB]", "%.3g"),
            ("prefill_worker_holds", "Prompts a prefill worker", "%d"),
            ("decode_worker_holds", "Sequences a decode worker", "%d"),
            ("handoffs_in_flight", "Handoffs in flight", "%d"),
            ("fit_problem", "Why not", None),
        ),
        "Cost and rank": (
            ("rank", "Rank", "%d"),
            NAME,
            ("gpus", "GPUs", "%d"),
            ("usd_per_hour", "USD an hour", "%.4g"),
            ("carries_within_slos_per_s", "Carries within SLOs [requests/s]", "%.3g"),
            ("usd_per_million_output_tokens", "USD a million output tokens", "%.4g"),
            ("why", "Why", None),
        ),
    }
)
SAYS = MappingProxyType(
    {
        "One request": "One request, nothing else running.",
        "Under load (estimate)": (
            "Means, if requests like this one arrive at random: queues M/D/1 or M/D/c, decoding by Little's "
            "law, the tail of an aggregated row's ITL one mixed pass. A replay of a trace is exact."
        ),
        "Memory": (
            "Of a worker: weights, and a KV pool in what is left of the share of HBM that may be filled. "
            "Weights of a model whose size isn't known count as none."
        ),
        "Cost and rank": (
            "All GPUs of the row, busy or not, at the most load that meets both SLOs by the estimate under "
            "load; only tokens of answers count. Prices are list prices where the row has none of its own."
        ),
    }
)
SCALES = MappingProxyType(
    {
        "handoff_share": 100,
        "prefill_utilisation": 100,
        "link_utilisation": 100,
        "decode_utilisation": 100,
        "wire_bytes": 1 / BYTES_PER_GB,
    }
)


def for_people(found: pd.DataFrame, view: str) -> pd.DataFrame:
    """Choose and scale the columns of a view; the view that ranks is in the order of the ranks."""
    columns = [column for column, _, _ in VIEWS[view]]
    order = found["rank"].argsort() if columns[0] == "rank" else None
    shown: dict[str, Any] = {}
    for column in columns:
        values = found[column].to_numpy() * SCALES[column] if column in SCALES else found[column].array
        # a queue without end has no mean: the row says that it is overloaded; of the other the header says
        if column.startswith("loaded_") or column == "needed_gb_s":
            values = found[column].replace(math.inf, math.nan).array
        shown[column] = values if order is None else values[order]
    return pd.DataFrame(shown)


@cache
def settings(view: str) -> dict[str, Any]:
    """Return each column's settings: a name with its unit, and digits that matter."""
    return {
        column: st.column_config.NumberColumn(
            label, format=digits, width=header_px(label), help=COLUMN_HELP.get(column)
        )
        if digits
        else st.column_config.CheckboxColumn(label, width=header_px(label))
        if column in ("fits", "overloaded", "meets_slos_under_load")
        else st.column_config.TextColumn(label, pinned=column == "deployment" or None)
        for column, label, digits in VIEWS[view]
    }
