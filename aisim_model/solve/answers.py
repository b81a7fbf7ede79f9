"""The inverse questions asked of every row of a scenario: a typed answer a row."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from aisim_model.row.load import service
from aisim_model.row.memory import WorkerMemory, row_memory
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.row.ttft import sent_tokens
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.solve.bandwidth import Links, bandwidth_for, links_for
from aisim_model.solve.break_even import BreakEven, aggregated_for, break_even
from aisim_model.solve.carried import Division, best_division, most_in_flight, most_within
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
AnswerKind = Literal["found", "always", "never", "not comparable"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of a question for one row.

    Parameters
    ----------
    row : Deployment
        The row.
    answer : {"found", "always", "never", "not comparable"}
        Whether there is a number; what is out of reach is None.
    misfit : WorkerMemory or None
        The worker that can't serve a single request, where the row doesn't fit its GPUs.
    """

    row: Deployment
    answer: AnswerKind
    misfit: WorkerMemory | None


@dataclass(frozen=True, kw_only=True)
class BandwidthAnswer(Answer):
    """Bandwidth that a target needs.

    Parameters
    ----------
    target : Target
        What has to be met.
    needed_gb_s, has_gb_s : float or None
        What it needs, and what the row has [GB/s]; None where none is enough, and without a link.
    enough : bool
        Whether the row has it.
    links : Links or None
        Links of the row's kind that bring it.
    link_is_per : str or None
        What such a link is rated per, as `Link.scope`.
    """

    target: Target
    needed_gb_s: float | None
    has_gb_s: float | None
    enough: bool
    links: Links | None
    link_is_per: str | None


@dataclass(frozen=True, kw_only=True)
class PromptAnswer(Answer):
    """The longest prompt that meets a target.

    Parameters
    ----------
    target : Target
        What has to be met.
    prompt_tokens : int
        The prompt [-]; 0 where none does.
    time_ms, one_more_ms : float or None
        The time there, and of one token more [ms].
    enough : bool
        Whether the workload's prompt is no longer.
    max_position_embeddings : int or None
        Tokens that the model itself takes [-].
    fits_prompt_tokens : int
        The longest prompt that the memory of its workers holds [-].
    """

    target: Target
    prompt_tokens: int
    time_ms: float | None
    one_more_ms: float | None
    enough: bool
    max_position_embeddings: int | None
    fits_prompt_tokens: int


@dataclass(frozen=True, kw_only=True)
class CachedAnswer(Answer):
    """Tokens of the prompt that decode must hold, where only what it lacks is sent.

    Parameters
    ----------
    target : Target
        What has to be met.
    cached_tokens, prompt_tokens : int
        Of the prompt's tokens those that decode must hold [-].
    sent_tokens, time_ms : float or None
        Tokens that are then sent [-], and the time there [ms].
    prefix_credit : str
        How the row's engine counts a hit.
    """

    target: Target
    cached_tokens: int | None
    prompt_tokens: int
    sent_tokens: float | None
    time_ms: float | None
    prefix_credit: str


@dataclass(frozen=True, kw_only=True)
class BreakEvenAnswer(Answer):
    """Loads at which a split row beats an aggregated one of as many GPUs.

    Parameters
    ----------
    compared_to : Deployment or None
        The aggregated row; None for an aggregated row itself, and where there is none to compare to.
    itl, ttft : BreakEven or None
        Where it wins on either.
    """

    compared_to: Deployment | None = None
    itl: BreakEven | None = None
    ttft: BreakEven | None = None


@dataclass(frozen=True, kw_only=True)
class WorkersAnswer(Answer):
    """The division of a split row's GPUs that carries the most load within both service levels.

    Parameters
    ----------
    best : Division or None
        The best one; None where none meets both, and for an aggregated row.
    now_requests_per_s : float
        What the row carries as it is [requests/s].
    now_requests_in_flight : int or None
        The most that it may have in flight with both service levels met [-]; None but for a closed loop.
    """

    best: Division | None
    now_requests_per_s: float
    now_requests_in_flight: int | None


def answers(
    scenario: Scenario, question: Question, handoff_budget_ms: float | None = None
) -> tuple[Answer, ...]:
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
    tuple of Answer
        A row each, of the question's own kind.

    Examples
    --------
    >>> from aisim_model.scenario import Workload
    >>> one_nic = Deployment(id="a", name="One NIC", nics_per_gpu=0.25)
    >>> asked = Scenario(
    ...     workload=Workload(model_id="llama-3.1-70b", prompt_tokens=8192),
    ...     deployments=(one_nic,), selected_id="a", baseline_id="a",
    ... )
    >>> answers(asked, "prompt", 20.0)[0].prompt_tokens
    3051
    """
    target = target_of(scenario.workload, handoff_budget_ms)
    return tuple(
        _answer(scenario.workload, row, aggregated_for(scenario, row), question, target)
        for row in scenario.deployments
    )


@lru_cache(maxsize=512)
def _answer(
    workload: Workload, row: Deployment, other: Deployment | None, question: Question, target: Target
) -> Answer:
    """Answer for one row; what was asked before is remembered."""
    x = resolve(workload, row)
    common = {"row": row, "misfit": row_memory(x, workload.mean_output_tokens).problem}
    if question == "break-even":
        return _break_even(workload, x, other, common)
    if question == "workers":
        return _workers(workload, x, common)
    return ASKED[question](workload, x, target, {**common, "target": target})


Common = dict[str, Any]


def _bandwidth(workload: Workload, x: ResolvedRow, target: Target, common: Common) -> Answer:
    needed = bandwidth_for(x, target)
    return BandwidthAnswer(
        answer="never" if math.isinf(needed) else "always" if needed == 0 else "found",
        needed_gb_s=None if math.isinf(needed) else needed,
        has_gb_s=float(x.bandwidth_gb_s) if x.row.split else None,
        enough=needed == 0 or (x.row.split and bool(needed <= x.bandwidth_gb_s)),
        links=links_for(x, needed) if x.row.split else None,
        link_is_per=x.link.scope if x.row.split else None,
        **common,
    )


def _prompt(workload: Workload, x: ResolvedRow, target: Target, common: Common) -> Answer:
    longest = longest_prompt(x, target)
    limit = longest_allowed()
    return PromptAnswer(
        answer="never" if longest == 0 else "always" if longest == limit else "found",
        prompt_tokens=min(workload.longest_tokens(longest), limit),
        time_ms=_known(target.time_ms(with_prompt(x, float(longest)))) if longest else None,
        one_more_ms=_known(target.time_ms(with_prompt(x, longest + 1.0))) if longest < limit else None,
        enough=bool(longest >= x.prompt_tokens),
        max_position_embeddings=x.spec.kv.max_position_embeddings,
        fits_prompt_tokens=min(workload.longest_tokens(longest_held(x, workload.mean_output_tokens)), limit),
        **common,
    )


def _cached_share(workload: Workload, x: ResolvedRow, target: Target, common: Common) -> Answer:
    cached = cached_tokens_for(x, target)
    there = replace(sending_what_decode_lacks(x), decode_cached_tokens=float(cached or 0))
    return CachedAnswer(
        answer="never" if cached is None else "always" if cached == 0 else "found",
        cached_tokens=cached,
        prompt_tokens=int(x.prompt_tokens),
        sent_tokens=None if cached is None else float(sent_tokens(there)),
        time_ms=None if cached is None else _known(target.time_ms(there)),
        prefix_credit=x.profile.prefix_credit,
        **common,
    )


ASKED: MappingProxyType[str, Callable[[Workload, ResolvedRow, Target, Common], Answer]] = MappingProxyType(
    {"bandwidth": _bandwidth, "prompt": _prompt, "cached-share": _cached_share}
)


def _break_even(workload: Workload, x: ResolvedRow, other: Deployment | None, common: Common) -> Answer:
    if not x.row.split or other is None:
        return BreakEvenAnswer(answer="not comparable", **common)
    ours = service(x, workload.mean_output_tokens)
    theirs = service(resolve(workload, other), workload.mean_output_tokens)
    itl, ttft = break_even(ours, theirs, "itl"), break_even(ours, theirs, "ttft")
    either = {itl.answer, ttft.answer}
    overall: AnswerKind = "always" if "always" in either else "found" if "found" in either else "never"
    return BreakEvenAnswer(answer=overall, compared_to=other, itl=itl, ttft=ttft, **common)


def _workers(workload: Workload, x: ResolvedRow, common: Common) -> Answer:
    served = service(x, workload.mean_output_tokens)
    best = best_division(served, workload)
    return WorkersAnswer(
        answer="not comparable" if not x.row.split else "never" if best is None else "found",
        best=best,
        now_requests_per_s=most_within(served, workload),
        now_requests_in_flight=most_in_flight(served, workload) if workload.requests_in_flight else None,
        **common,
    )


def _known(time_ms: Any) -> float | None:
    return None if math.isnan(time_ms) else float(time_ms)
