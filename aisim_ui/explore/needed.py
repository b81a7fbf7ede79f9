"""The bandwidth that a time needs, over prompt lengths, and where no bandwidth is enough."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import streamlit as st

from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve import Target, bandwidth_for, longest_allowed, longest_prompt, with_prompt
from aisim_ui.words import escape_markdown, milliseconds, significant

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


def short(tokens: float) -> str:
    """Write a number of tokens as one says it.

    Examples
    --------
    >>> short(32_768), short(500), short(12_000), short(1_048_576)
    ('32k', '500', '12k', '1M')
    """
    thousand = 1024 if tokens % 1024 == 0 else 1000
    for power, sign in ((thousand**2, "M"), (thousand, "k")):
        if tokens >= power:
            return f"{significant(tokens / power)}{sign}"
    return f"{tokens:,.0f}"


@st.cache_data(max_entries=32, show_spinner=False)
def cliffs(workload: Workload, row: Deployment) -> tuple[int, int]:
    """Find the longest prompts that meet the SLO on TTFT: over the row's link, and over any."""
    x = resolve(workload, row)
    target = Target("ttft", workload.ttft_slo_ms)
    return longest_prompt(x, target), longest_prompt(replace(x, bandwidth_gb_s=math.inf), target)


def sentence(workload: Workload, row: Deployment) -> str:
    """Answer for one row: where its cliff is, and what bandwidth the SLO needs."""
    name, slo = escape_markdown(row.name), milliseconds(workload.ttft_slo_ms)
    if not row.split:
        return f"**{name}** hands nothing over: choose a split row to see what bandwidth it needs."
    x = resolve(workload, row)
    if problem := row_memory(x, workload.output_tokens).problem:
        return f"**{name}** doesn't fit its GPUs: {problem}."
    here, anywhere = cliffs(workload, row)
    if anywhere == 0:
        return f"**{name}** misses the SLO of {slo} at any prompt, over any link."
    if here >= longest_allowed():
        return f"**{name}** meets the SLO of {slo} at any prompt."
    target = Target("ttft", workload.ttft_slo_ms)
    prompts = dict.fromkeys(
        p for p in (workload.prompt_tokens, 32_768, anywhere * 9 // 10) if 0 < p <= anywhere
    )
    needs = ((p, bandwidth_for(with_prompt(x, float(p)), target)) for p in list(prompts)[:2])
    told = " and ".join(
        f"**{significant(gb_s, 2)} GB/s** at {short(p)} token{'s' if p > 1 else ''}"
        for p, gb_s in needs
        if gb_s > 0
    )
    cliff = (
        f"meets the SLO of {slo} up to **{here:,} tokens**"
        if here
        else f"misses the SLO of {slo} on its link"
    )
    end = f"beyond {anywhere:,} tokens no bandwidth is enough" if anywhere < longest_allowed() else ""
    parts = [f"You need {told}" if told else "", end]
    rest = "; ".join(part for part in parts if part)
    return f"**{name}** {cliff}." + (f" {rest[0].upper()}{rest[1:]}." if rest else "")
