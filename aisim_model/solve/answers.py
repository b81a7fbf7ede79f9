"""The inverse questions asked of every row of a scenario: a record a row, for a page and for a command."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from aisim_model.row.load import service
from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.row.ttft import sent_tokens
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.solve.bandwidth import bandwidth_for, links_for
from aisim_model.solve.break_even import Measure, aggregated_for, break_even
from aisim_model.solve.carried import best_division, most_within
from aisim_model.solve.prompt import (
    cached_tokens_for,
    longest_allowed,
    longest_held,
    longest_prompt,
    sending_what_decode_lacks,
    with_prompt,
)
from aisim_model.solve.target import Target, target_of

Question = Literal["bandwidth", "prompt", "cached-share", "break-even", "workers"]
Record = dict[str, Any]
MEASURES: tuple[Measure, ...] = ("itl", "ttft")


def answers(scenario: Scenario, question: Question, handoff_budget_ms: float | None = None) -> list[Record]:
    """Ask one of the inverse questions of every row.

    Parameters
    ----------
    scenario : Scenario
        Workload and rows.
    question : {"bandwidth", "prompt", "cached-share", "break-even", "workers"}
        What is sought.
    handoff_budget_ms : float, optional
        Longest handoff that is acceptable [ms]; else the workload's own, else its SLO on TTFT is the target.

    Returns
    -------
    list of dict
        A row each, with `answer` ``found``, ``always``, ``never`` or ``not comparable`` beside the numbers,
        and `fit_problem` where the row doesn't fit its GPUs. What is out of reach is None.

    Examples
    --------
    >>> from aisim_model.scenario import Workload
    >>> one_nic = Deployment(id="a", name="One NIC", nics_per_gpu=0.25)
    >>> asked = Scenario(
    ...     workload=Workload(model_id="llama-3.1-70b", prompt_tokens=8192),
    ...     deployments=(one_nic,), selected_id="a", baseline_id="a",
    ... )
    >>> answers(asked, "prompt", 20.0)[0]["prompt_tokens"]
    3051
    """
    target = target_of(scenario.workload, handoff_budget_ms)
    return [
        dict(_answer(scenario.workload, row, aggregated_for(scenario, row), question, target))
        for row in scenario.deployments
    ]


@lru_cache(maxsize=512)
def _answer(
    workload: Workload, row: Deployment, other: Deployment | None, question: Question, target: Target
) -> MappingProxyType[str, Any]:
    """Answer for one row; what was asked before is remembered."""
    x = resolve(workload, row)
    if question == "break-even":
        found = _break_even(workload, x, other)
    elif question == "workers":
        found = _workers(workload, x)
    else:
        aims = {"target": target.measure, "target_ms": target.at_most_ms}
        found = aims | ASKED[question](x, target)
        if question == "prompt":
            found["fits_prompt_tokens"] = longest_held(x, workload.output_tokens)
    named = {"deployment_id": row.id, "deployment": row.name, "kind": row.kind, "gpus": row.gpus}
    problem = row_memory(x, workload.output_tokens).problem
    return MappingProxyType({**named, **found, "fit_problem": problem})


def _bandwidth(x: ResolvedRow, target: Target) -> Record:
    """Return the bandwidth that a target needs, and the links of the row's kind that bring it."""
    needed = bandwidth_for(x, target)
    links = links_for(x, needed) if x.row.split else None
    return {
        "answer": "never" if math.isinf(needed) else "always" if needed == 0 else "found",
        "needed_gb_s": None if math.isinf(needed) else needed,
        "has_gb_s": float(x.bandwidth_gb_s) if x.row.split else None,
        "enough": needed == 0 or (x.row.split and bool(needed <= x.bandwidth_gb_s)),
        "links": links.count if links else None,
        "link_is_per": x.link.scope if x.row.split else None,
        "nics_per_gpu": links.nics_per_gpu if links else None,
    }


def _prompt(x: ResolvedRow, target: Target) -> Record:
    """Return the longest prompt that meets a target, and the time there and one token beyond."""
    longest = longest_prompt(x, target)
    limit = longest_allowed()
    return {
        "answer": "never" if longest == 0 else "always" if longest == limit else "found",
        "prompt_tokens": longest,
        "time_ms": _known(target.time_ms(with_prompt(x, float(longest)))) if longest else None,
        "one_more_ms": (_known(target.time_ms(with_prompt(x, longest + 1.0))) if longest < limit else None),
        "enough": longest >= x.prompt_tokens,
        "max_position_embeddings": x.spec.kv.max_position_embeddings,
    }


def _cached_share(x: ResolvedRow, target: Target) -> Record:
    """Return the tokens of the prompt that decode must hold, where only what it lacks is sent."""
    cached = cached_tokens_for(x, target)
    prompt = int(x.prompt_tokens)
    there = replace(sending_what_decode_lacks(x), decode_cached_tokens=float(cached or 0))
    return {
        "answer": "never" if cached is None else "always" if cached == 0 else "found",
        "cached_tokens": cached,
        "cached_share": None if cached is None else cached / prompt,
        "prompt_tokens": prompt,
        "sent_tokens": None if cached is None else float(sent_tokens(there)),
        "time_ms": None if cached is None else _known(target.time_ms(there)),
        "timing_mode": "destination_missing",
        "prefix_credit": x.profile.prefix_credit,
    }


ASKED: MappingProxyType[str, Callable[[ResolvedRow, Target], Record]] = MappingProxyType(
    {"bandwidth": _bandwidth, "prompt": _prompt, "cached-share": _cached_share}
)


def _break_even(workload: Workload, x: ResolvedRow, other: Deployment | None) -> Record:
    """Return the loads at which a split row beats the aggregated one of as many GPUs."""
    if not x.row.split or other is None:
        why = (
            "the row is aggregated"
            if not x.row.split
            else "no aggregated row of its prefill TP has as many GPUs"
        )
        return {"answer": "not comparable", "why": why, "compared_to": None}
    ours = service(x, workload.output_tokens)
    theirs = service(resolve(workload, other), workload.output_tokens)
    found: Record = {}
    for measure in MEASURES:
        one = break_even(ours, theirs, measure)
        found[f"{measure}_answer"] = one.answer
        found[f"{measure}_from_requests_per_s"] = one.from_per_s
        found[f"{measure}_until_requests_per_s"] = one.until_per_s
    best = {"always": 2, "found": 1, "never": 0}
    overall = max((found[f"{measure}_answer"] for measure in MEASURES), key=best.__getitem__)
    return {"answer": overall, "compared_to": other.name, **found}


def _workers(workload: Workload, x: ResolvedRow) -> Record:
    """Return the division of a split row's GPUs that carries the most load within both service levels."""
    served = service(x, workload.output_tokens)
    best = best_division(served, workload)
    row = x.row
    return {
        "answer": "not comparable" if not row.split else "never" if best is None else "found",
        "prefill_workers": best.prefill_workers if best else None,
        "decode_workers": best.decode_workers if best else None,
        "requests_per_s": best.requests_per_s if best else None,
        "now_prefill_workers": row.prefill_workers,
        "now_decode_workers": row.decode_workers if row.split else None,
        "now_requests_per_s": most_within(served, workload),
    }


def _known(time_ms: Any) -> float | None:
    return None if math.isnan(time_ms) else float(time_ms)
