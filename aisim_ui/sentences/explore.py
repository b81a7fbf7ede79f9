"""Where a row's cliff is, what bandwidth it needs, and which field changes nothing, in sentences."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve import Target, bandwidth_for, longest_allowed, longest_prompt, with_prompt
from aisim_ui.fields import title
from aisim_ui.sentences.rows import misfit
from aisim_ui.words import escape_markdown, milliseconds, significant

QUANTITIES = {"ttft_ms": "TTFT", "handoff_ms": "Handoff", "handoff_share": "Handoff's share of TTFT"}
COUNTS_WHERE = {
    "alpha_ms": "the link model is calibrated",
    "link_efficiency": "the link model is calibrated",
    "decode_cached_tokens": "only what decode lacks is sent",
    "mfu": "prefill or decode is timed by roofline",
    "memory_efficiency": "prefill or decode is timed by roofline",
}


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


@lru_cache(maxsize=32)
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
    if problem := row_memory(x, workload.mean_output_tokens).problem:
        return f"**{name}** doesn't fit its GPUs: {misfit(problem)}."
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


def idle_sentence(name: str, quantity: str) -> str:
    """Say that a field changes nothing that is shown, and where it would."""
    what = QUANTITIES[quantity].replace("Handoff", "the handoff")
    told = f"{title(name)} makes no difference to {what} in any deployment here."
    where = COUNTS_WHERE.get(name)
    return escape_markdown(told + (f" It counts in a deployment in which {where}." if where else ""))
