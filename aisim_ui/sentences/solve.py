"""The inverse questions in words: the question, and each row's answer as a sentence made from its numbers."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from aisim_model.scenario import Deployment
from aisim_model.solve.answers import (
    Answer,
    BandwidthAnswer,
    BreakEvenAnswer,
    CachedAnswer,
    PromptAnswer,
    WorkersAnswer,
)
from aisim_model.solve.break_even import BreakEven
from aisim_model.solve.target import Target
from aisim_ui.sentences.rows import misfit
from aisim_ui.words import bandwidth, milliseconds, percent, significant

QUESTIONS = MappingProxyType(
    {
        "bandwidth": "Bandwidth",
        "prompt": "Longest prompt",
        "cached-share": "Share that decode holds",
        "break-even": "Where splitting wins",
        "workers": "Workers",
    }
)
PER = MappingProxyType({"nic": "NIC", "gpu": "GPU link", "node": "node link"})
TARGETS = MappingProxyType({"handoff": "handoff", "ttft": "TTFT"})
MOST_DIGITS = 13


def record(one: Answer) -> dict[str, Any]:
    """Lay an answer out as plain values, as in JSON and CSV; what is out of reach is None."""
    row = one.row
    named = {"deployment_id": row.id, "deployment": row.name, "kind": row.kind, "gpus": row.gpus}
    target = getattr(one, "target", None)
    aims = {} if target is None else {"target": target.measure, "target_ms": target.at_most_ms}
    own = {
        name: value for name, value in vars(one).items() if name not in ("row", "misfit", "target", "answer")
    }
    match one:
        case BandwidthAnswer(links=links):
            own |= {"links": links and links.count, "nics_per_gpu": links and links.nics_per_gpu}
        case CachedAnswer(cached_tokens=cached):
            own["cached_share"] = None if cached is None else cached / one.prompt_tokens
            own["timing_mode"] = "destination_missing"
        case BreakEvenAnswer(compared_to=None):
            own = {"why": _not_comparable(one), "compared_to": None}
        case BreakEvenAnswer(compared_to=Deployment(name=name)):
            own = {"compared_to": name, **_wins("itl", one.itl), **_wins("ttft", one.ttft)}
        case WorkersAnswer(best=best):
            own = {
                "prefill_workers": best and best.prefill_workers,
                "decode_workers": best and best.decode_workers,
                "requests_per_s": best and best.requests_per_s,
                "now_prefill_workers": row.prefill_workers,
                "now_decode_workers": row.decode_workers if row.split else None,
                "now_requests_per_s": one.now_requests_per_s,
                "now_requests_in_flight": one.now_requests_in_flight,
            }
    return {**named, **aims, "answer": one.answer, **own, "fit_problem": misfit(one.misfit) or None}


def _wins(measure: str, one: BreakEven | None) -> dict[str, Any]:
    return {
        f"{measure}_answer": one and one.answer,
        f"{measure}_from_requests_per_s": one and one.from_per_s,
        f"{measure}_until_requests_per_s": one and one.until_per_s,
    }


def said(one: Answer) -> str:
    """Answer for one row; one that doesn't fit its GPUs says so, unless a prompt is sought."""
    if one.misfit and not isinstance(one, PromptAnswer):
        return f"doesn't fit its GPUs: {misfit(one.misfit)}."
    match one:
        case BandwidthAnswer():
            return _bandwidth(one)
        case PromptAnswer():
            return _prompt(one)
        case CachedAnswer():
            return _cached(one)
        case BreakEvenAnswer():
            return _break_even(one)
        case WorkersAnswer():
            return _workers(one)
    raise TypeError(f"no sentence for {type(one).__name__}")


def _aim(target: Target) -> str:
    name = "a handoff" if target.measure == "handoff" else "a TTFT"
    return f"{name} of {milliseconds(target.at_most_ms)}"


def _bandwidth(one: BandwidthAnswer) -> str:
    aim = _aim(one.target)
    if one.answer == "always":
        return f"always within {aim}, whatever the link."
    if one.needed_gb_s is None or one.links is None or one.link_is_per is None:
        return f"never within {aim}, whatever the link: the rest alone takes longer."
    has = f"it has {bandwidth(one.has_gb_s)}" if one.has_gb_s else "it has none"
    count = one.links.count
    links = f"{count:,} {PER[one.link_is_per]}{'s' if count != 1 else ''}"
    enough = "enough" if one.enough else "too little"
    return f"{aim} needs {bandwidth(one.needed_gb_s)}, {links} of its kind; {has}: {enough}."


def _prompt(one: PromptAnswer) -> str:
    aim, fits = _aim(one.target), one.fits_prompt_tokens
    if one.answer == "never" or one.time_ms is None:
        return f"no prompt is within {aim}."
    if fits == 0:
        return f"no prompt fits its GPUs: {misfit(one.misfit)}."
    memory = f"; its memory ends at {fits:,}" if fits < one.prompt_tokens else ""
    if one.answer == "always":
        return f"every prompt up to {one.prompt_tokens:,} tokens is within {aim}{memory}."
    known = one.max_position_embeddings
    end = f"; the model itself ends at {known:,}" if known is not None and one.prompt_tokens > known else ""
    return (
        f"up to {one.prompt_tokens:,} tokens are within {aim} "
        f"({_short_of(one.time_ms, one.target.at_most_ms)}; one more is over){end}{memory}."
    )


def _short_of(time_ms: float, target_ms: float) -> str:
    """Write a time with as many digits as tell it from its target."""
    target = milliseconds(target_ms)
    written = (milliseconds(time_ms, digits) for digits in range(5, MOST_DIGITS))
    return next((text for text in written if text != target), target)


def _cached(one: CachedAnswer) -> str:
    aim = _aim(one.target)
    how = "sending only what decode lacks"
    if one.answer == "always":
        return f"none of the prompt has to be there for {aim}, {how}."
    if one.cached_tokens is None:
        nothing = one.prefix_credit == "none"
        why = "its engine credits no hit there" if nothing else "not even the whole prompt there helps"
        return f"never within {aim}: {why}."
    return (
        f"{one.cached_tokens:,} of {one.prompt_tokens:,} tokens "
        f"({percent(one.cached_tokens / one.prompt_tokens)}) must be at the decode worker for {aim}, {how}."
    )


def _break_even(one: BreakEvenAnswer) -> str:
    if one.compared_to is None or one.itl is None or one.ttft is None:
        return f"not comparable: {_not_comparable(one)}."
    parts = _beats("inter-token latency", one.itl), _beats("TTFT", one.ttft)
    return f"against {one.compared_to.name}, {' and '.join(parts)} (estimates under load)."


def _not_comparable(one: BreakEvenAnswer) -> str:
    if not one.row.split:
        return "the row is aggregated"
    return "no aggregated row of its prefill TP has as many GPUs"


def _beats(name: str, one: BreakEven) -> str:
    if one.from_per_s is None or one.until_per_s is None:
        return f"never on {name}"
    end = f" up to {significant(one.until_per_s)} requests/s"
    if one.answer == "always":
        return f"ahead on {name} at every load{end}"
    return f"ahead on {name} from {significant(one.from_per_s)}{end}"


def _workers(one: WorkersAnswer) -> str:
    row, best = one.row, one.best
    if one.answer == "not comparable":
        return "aggregated: there is nothing to divide."
    if best is None:
        return f"no division of its {row.gpus:,} GPUs meets both SLOs."
    division = f"{best.prefill_workers} prefill to {best.decode_workers} decode workers"
    carried = f"{significant(best.requests_per_s)} requests/s within both SLOs"
    if (best.prefill_workers, best.decode_workers) == (row.prefill_workers, row.decode_workers):
        return f"as it is: {division} carry most, {carried}."
    now = f"{row.prefill_workers} to {row.decode_workers}"
    return f"{division} carry {carried}; {now}, as it is, {significant(one.now_requests_per_s)}."
