"""The inverse questions in words: the question, and each row's answer as a sentence made from its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from aisim_ui.words import bandwidth, milliseconds, percent, significant

Record = Mapping[str, Any]

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
MEASURES = MappingProxyType({"itl": "inter-token latency", "ttft": "TTFT"})


def target_words(one: Record) -> str:
    """Say what is aimed at."""
    name = "a handoff" if one["target"] == "handoff" else "a TTFT"
    return f"{name} of {milliseconds(one['target_ms'])}"


def said(question: str, one: Record) -> str:
    """Answer a question for one row; one that doesn't fit its GPUs says so, unless a prompt is sought."""
    if one["fit_problem"] and question != "prompt":
        return f"doesn't fit its GPUs: {one['fit_problem']}."
    return WAYS[question](one)


def _bandwidth(one: Record) -> str:
    aim = target_words(one)
    if one["answer"] == "always":
        return f"always within {aim}, whatever the link."
    if one["answer"] == "never":
        return f"never within {aim}, whatever the link: the rest alone takes longer."
    has = f"it has {bandwidth(one['has_gb_s'])}" if one["has_gb_s"] else "it has none"
    links = f"{one['links']:,} {PER[one['link_is_per']]}{'s' if one['links'] != 1 else ''}"
    enough = "enough" if one["enough"] else "too little"
    return f"{aim} needs {bandwidth(one['needed_gb_s'])}, {links} of its kind; {has}: {enough}."


def _prompt(one: Record) -> str:
    aim = target_words(one)
    if one["answer"] == "never":
        return f"no prompt is within {aim}."
    held = one["fits_prompt_tokens"]
    if held == 0:
        return f"no prompt fits its GPUs: {one['fit_problem']}."
    memory = f"; its memory ends at {held:,}" if held < one["prompt_tokens"] else ""
    if one["answer"] == "always":
        return f"every prompt up to {one['prompt_tokens']:,} tokens is within {aim}{memory}."
    known = one["max_position_embeddings"]
    beyond = known is not None and one["prompt_tokens"] > known
    end = f"; the model itself ends at {known:,}" if beyond else ""
    return (
        f"up to {one['prompt_tokens']:,} tokens are within {aim} "
        f"({_short_of(one['time_ms'], one['target_ms'])}; one more is over){end}{memory}."
    )


def _short_of(time_ms: float, target_ms: float) -> str:
    """Write a time with as many digits as tell it from its target."""
    target = milliseconds(target_ms)
    shown = (milliseconds(time_ms, digits) for digits in range(5, MOST_DIGITS))
    return next((text for text in shown if text != target), target)


def _cached(one: Record) -> str:
    aim = target_words(one)
    how = "sending only what decode lacks"
    if one["answer"] == "always":
        return f"none of the prompt has to be there for {aim}, {how}."
    if one["answer"] == "never":
        why = (
            "its engine credits no hit there"
            if one["prefix_credit"] == "none"
            else "not even the whole prompt there helps"
        )
        return f"never within {aim}: {why}."
    return (
        f"{one['cached_tokens']:,} of {one['prompt_tokens']:,} tokens ({percent(one['cached_share'])}) "
        f"must be at the decode worker for {aim}, {how}."
    )


def _break_even(one: Record) -> str:
    if one["answer"] == "not comparable":
        return f"not comparable: {one['why']}."
    parts = [_beats(name, one, measure) for measure, name in MEASURES.items()]
    return f"against {one['compared_to']}, {' and '.join(parts)} (estimates under load)."


def _beats(name: str, one: Record, measure: str) -> str:
    answer, until = one[f"{measure}_answer"], one[f"{measure}_until_requests_per_s"]
    if answer == "never":
        return f"never on {name}"
    end = f" up to {significant(until)} requests/s"
    if answer == "always":
        return f"ahead on {name} at every load{end}"
    return f"ahead on {name} from {significant(one[f'{measure}_from_requests_per_s'])}{end}"


def _workers(one: Record) -> str:
    if one["answer"] == "not comparable":
        return "aggregated: there is nothing to divide."
    if one["answer"] == "never":
        return f"no division of its {one['gpus']:,} GPUs meets both SLOs."
    best = f"{one['prefill_workers']} prefill to {one['decode_workers']} decode workers"
    now = f"{one['now_prefill_workers']} to {one['now_decode_workers']}"
    if (one["prefill_workers"], one["decode_workers"]) == (
        one["now_prefill_workers"],
        one["now_decode_workers"],
    ):
        return (
            f"as it is: {best} carry most, {significant(one['requests_per_s'])} requests/s within both SLOs."
        )
    return (
        f"{best} carry {significant(one['requests_per_s'])} requests/s within both SLOs; "
        f"{now}, as it is, {significant(one['now_requests_per_s'])}."
    )


WAYS: MappingProxyType[str, Callable[[Record], str]] = MappingProxyType(
    {
        "bandwidth": _bandwidth,
        "prompt": _prompt,
        "cached-share": _cached,
        "break-even": _break_even,
        "workers": _workers,
    }
)
