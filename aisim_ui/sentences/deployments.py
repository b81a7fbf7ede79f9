"""Which deployments meet both service levels, and which first, in sentences made from the numbers."""

from __future__ import annotations

import math

import pandas as pd

from aisim_model.compare.outcome import Outcome
from aisim_model.row.engine_error import engine_error
from aisim_model.scenario import Scenario
from aisim_ui.fields import unit_of
from aisim_ui.sentences.asked import at_load
from aisim_ui.sentences.rows import misfit
from aisim_ui.words import escape_markdown, milliseconds, significant


def meets_sentence(scenario: Scenario, outcomes: tuple[Outcome, ...]) -> str:
    """Say how many rows meet both SLOs, whether they are at equal GPUs, the fastest and the cheapest."""
    slo = scenario.workload
    fitting = [one for one in outcomes if one.memory.problem is None]
    good = [one for one in fitting if one.reached.meets]
    loaded = slo.is_loaded
    known = [one for one in fitting if math.isfinite(_ttft_ms(one, loaded))]
    gpus = {one.row.gpus for one in outcomes}
    equal = (
        f"all on {gpus.pop():,} GPUs"
        if len(gpus) == 1
        else f"not at equal GPUs ({min(gpus):,} to {max(gpus):,})"
    )
    if not fitting:
        return f"No deployment fits its GPUs, {equal}."
    if not known and loaded and any(one.load.overloaded for one in fitting):
        return f"No deployment carries {significant(slo.arrivals_per_s)} requests/s, {equal}."
    if not known:
        return f"No deployment has a TTFT that is known, {equal}."
    asked = at_load(slo)
    if len(outcomes) == 1:
        return _only_sentence(outcomes[0], bool(good), asked, loaded)
    first = f"{len(good)} of {len(outcomes)} deployments meet both SLOs {asked}, {equal}"
    best = min(known, key=lambda one: _ttft_ms(one, loaded))
    shortest = (
        f"{escape_markdown(best.row.name)} has the shortest TTFT, {milliseconds(_ttft_ms(best, loaded))}"
    )
    return f"{first}; {shortest}{_cheapest(good, best)}."


def _only_sentence(one: Outcome, meets: bool, asked: str, loaded: bool) -> str:
    """Say of the only row whether it meets both SLOs, and what it costs."""
    price = one.cost.usd_per_million_output_tokens
    cost = f", and its tokens cost {significant(price)} USD a million" if math.isfinite(price) else ""
    verdict = "meets both SLOs" if meets else "misses an SLO"
    ttft = milliseconds(_ttft_ms(one, loaded))
    name = escape_markdown(one.row.name)
    return f"{name} {verdict} {asked}, on {one.row.gpus:,} GPUs; its TTFT is {ttft}{cost}."


def _ttft_ms(one: Outcome, loaded: bool) -> float:
    return one.load.ttft_ms if loaded else float(one.parts.ttft_ms)


def _cheapest(good: list[Outcome], fastest: Outcome) -> str:
    """Say which of the rows that meet both SLOs has the cheapest tokens, where prices are known."""
    prices = [(one.cost.usd_per_million_output_tokens, one) for one in good]
    if not prices or not all(math.isfinite(price) for price, _ in prices):
        return ""
    price, cheapest = min(prices, key=lambda pair: pair[0])
    amount = f"{significant(price)} USD a million"
    if cheapest is fastest:
        return f", and the cheapest tokens, {amount}"
    return f", {escape_markdown(cheapest.row.name)} the cheapest tokens, {amount}"


def unequal_sentence(scenario: Scenario) -> str | None:
    """Say which rows are not compared at equal GPUs; None where all have the baseline's."""
    gpus = scenario.baseline.gpus
    others = [
        f"{escape_markdown(row.name)} has {row.gpus:,}" for row in scenario.deployments if row.gpus != gpus
    ]
    if not others:
        return None
    baseline = escape_markdown(scenario.baseline.name)
    return f"Not compared at equal GPUs: {baseline} has {gpus:,}, {', '.join(others)}."


def misfit_sentences(outcomes: tuple[Outcome, ...]) -> list[str]:
    """Say of each row that doesn't fit its GPUs why, of rows with the same fault together."""
    by_problem: dict[str, list[str]] = {}
    for one in outcomes:
        if one.memory.problem:
            by_problem.setdefault(misfit(one.memory.problem), []).append(escape_markdown(one.row.name))
    return [
        f"{names[0]} doesn't fit its GPUs: {problem}. It has no times until it does."
        if len(names) == 1
        else f"{'; '.join(names)} don't fit their GPUs: {problem}. They have no times until they do."
        for problem, names in by_problem.items()
    ]


def matters_sentence(name: str, moved: pd.DataFrame, doesnt_fit: bool = False) -> str:
    """Say which input moves a row's TTFT most, and which next; made from `sensitivity.tornado`."""
    if doesnt_fit:
        return f"{escape_markdown(name)} has no TTFT to move until it fits its GPUs."
    if moved.empty:
        return f"No input moves the TTFT of {escape_markdown(name)}, or none is known."
    first = moved.iloc[0]
    ends = (first[f"{end}_ttft_ms"] for end in ("low", "high"))
    between = " to ".join(significant(first[end]) for end in ("low", "high"))
    unit = f" {unit_of(first['input'])}".rstrip()
    most = (
        f"For {escape_markdown(name)} **{_within(first['label'])} matters most**: from {between}{unit}, "
        f"TTFT goes from {' to '.join(map(milliseconds, ends))}"
    )
    if len(moved) == 1:
        return f"{most}; nothing else moves it."
    second = moved.iloc[1]
    return f"{most}; next comes {_within(second['label'])} with {milliseconds(second['swing_ms'])}."


def _within(title: str) -> str:
    """Write a label within a sentence: abbreviations stay as they are."""
    return title if title[1].isupper() else title[0].lower() + title[1:]


def ranked_list(ranked: pd.DataFrame) -> str:
    """Return the rows, in the order of their ranks, each with its reason."""
    reasons = zip(ranked["rank"], ranked["deployment"], ranked["why"], strict=True)
    return "\n".join(
        f"{rank}. **{escape_markdown(name)}** {escape_markdown(why)}" for rank, name, why in reasons
    )


def off_at_engine_level(one: Outcome) -> str:
    """Say how far the estimate of a row may be off of a replay at level engine; empty without arrivals."""
    name = escape_markdown(one.row.name)
    if not one.load.arrivals_per_s or one.load.closed is not None or one.memory.problem is not None:
        return ""
    found = engine_error(one.row.kind, one.load.utilisation)
    if found is None:
        return f"{name} is busier than any row that the estimate was held against at level engine: replay it."
    return (
        f"{name} against a replay at level engine, over the grid it was held against: mean TTFT from "
        f"{found.ttft_low:.2f} to {found.ttft_high:.2f} times the replay's, mean ITL from "
        f"{found.itl_low:.2f} to {found.itl_high:.2f}."
    )
