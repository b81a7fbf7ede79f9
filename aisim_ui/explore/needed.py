"""The bandwidth that a time needs, over prompt lengths, and where no bandwidth is enough."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve import Target, bandwidth_for, with_prompt
from aisim_ui.sentences.explore import short
from aisim_ui.words import milliseconds, significant

DELAYS_MS = (10.0, 100.0, 1000.0)
PROMPTS = tuple(round(2 ** (half / 2)) for half in range(14, 37))  # 128 to 262,144


@st.cache_data(max_entries=32, show_spinner=False)
def needed_bandwidth(workload: Workload, row: Deployment) -> pd.DataFrame:
    """Find the bandwidth that a handoff of some length, and the SLO on TTFT, need over prompt lengths.

    Returns
    -------
    DataFrame
        `measure`, `at_most_ms`, `prompt_tokens`, `needed_gb_s` (infinite: none is enough), `reads`.
    """
    x = resolve(workload, row)
    delays_ms = sorted({*DELAYS_MS, workload.handoff_budget_ms or DELAYS_MS[0]})
    targets = [*(Target("handoff", ms) for ms in delays_ms), Target("ttft", workload.ttft_slo_ms)]
    records = []
    for target in targets:
        what = "a handoff" if target.measure == "handoff" else "TTFT"
        time = milliseconds(target.at_most_ms)
        for tokens in PROMPTS:
            needed = bandwidth_for(with_prompt(x, float(tokens)), target)
            lacks = f"you need {significant(needed, 2)} GB/s"
            amount = "no bandwidth is enough" if math.isinf(needed) else lacks
            records.append(
                {
                    "measure": target.measure,
                    "at_most_ms": target.at_most_ms,
                    "prompt_tokens": tokens,
                    "needed_gb_s": needed,
                    "reads": f"{amount} at {short(tokens)} tokens for {what} of {time}",
                }
            )
    return pd.DataFrame(records)
