"""The verdict on a replay in a sentence, the four numbers beneath it, and what can't be carried."""

from __future__ import annotations

from collections.abc import Sequence

from aisim_model.replay.summary import summary
from aisim_model.scenario import Workload
from aisim_ui.answers import Number
from aisim_ui.traffic.outcome import Outcome, Shown
from aisim_ui.words import escape_markdown, milliseconds, percent, significant

PHRASES = {
    "queue_ms": "waiting for prefill",
    "prefill_ms": "computing their prompts",
    "orchestration_ms": "in the handover's own cost",
    "reservation_ms": "waiting for room on a decode worker",
    "link_queue_ms": "waiting for the link",
    "transfer_ms": "on the wire",
    "activation_ms": "waiting for a decode pass to end",
    "decode_step_ms": "in the first decode step",
}
ADVICE = {
    "prefill": "add prefill, not links",
    "link": "add bandwidth, or send fewer bytes",
    "decode": "add decode workers, not links",
    "orchestration": "shorten the handover, not the link",
    "workers": "add workers",
}


def sentence(shown: Shown, slo: Workload) -> str:
    """Name the bottleneck of one deployment, and what its slowest requests waited for."""
    row, outcome = shown
    name, found, ttft = escape_markdown(row.name), outcome.verdict, summary(outcome.result.columns["ttft_ms"])
    if ttft is None or not found.slowest_wait_ms:
        return f"**{name}**: no request got a first token."
    slow_ms = sum(found.slowest_wait_ms.values())
    part, waited_ms = max(found.slowest_wait_ms.items(), key=lambda item: item[1])
    why = (
        f"the slowest 1% spend {percent(waited_ms / slow_ms) if slow_ms else '0%'} of their "
        f"{milliseconds(slow_ms)} {PHRASES[part]}"
    )
    if ttft.p99 <= slo.ttft_slo_ms and not overloaded(outcome):
        first = f"**{name} keeps up**: 99% of requests have their first token within {milliseconds(ttft.p99)}"
        return f"{first}; {why}, so {found.bottleneck} would hold it up first."
    subject = "Its workers are" if found.bottleneck == "workers" else f"{found.bottleneck.capitalize()} is"
    return f"**{subject} the bottleneck of {name}**: {why}; {ADVICE[found.bottleneck]}."


def compared(all_shown: Sequence[Shown], slo: Workload) -> str:
    """Say which deployments keep 99% of their requests within the service level on TTFT."""
    good = [escape_markdown(row.name) for row, outcome in all_shown if _p99(outcome) <= slo.ttft_slo_ms]
    which = f": {', '.join(good)}" if 0 < len(good) < len(all_shown) else ""
    many = f"{len(good)} of {len(all_shown)}" if good else f"None of {len(all_shown)}"
    noun = "deployment" if len(all_shown) == 1 else "deployments"
    verb = "keeps" if len(good) == 1 else "keep"
    limit = milliseconds(slo.ttft_slo_ms)
    return f"{many} {noun} {verb} 99% of the requests within the SLO of {limit} on TTFT{which}."


def _p99(outcome: Outcome) -> float:
    found = summary(outcome.result.columns["ttft_ms"])
    return float("inf") if found is None else found.p99


def overloaded(outcome: Outcome) -> list[str]:
    """Name the resources that are asked for more than they can do while requests arrive."""
    found = [name for name, load in outcome.loads.items() if load > 1.0]
    offered, capacity = outcome.verdict.offered_gb_s, outcome.verdict.capacity_gb_s
    config = outcome.result.config
    full_prompts = config.mode.value == "full_prompt"
    if offered is not None and capacity is not None and offered > capacity and full_prompts:
        found += [] if "link" in found else ["link"]
    return found


def load_warning(shown: Shown) -> str | None:
    """Say that the traffic can't be carried, and by what; None where it can."""
    row, outcome = shown
    names = overloaded(outcome)
    if not names:
        return None
    asked = " and ".join(
        f"{'its ' if name == 'workers' else ''}{name} for {percent(outcome.loads.get(name, 1.0))}"
        for name in names
    )
    return (
        f"This traffic can't be carried by {escape_markdown(row.name)}: "
        f"while requests arrive it asks {asked} of "
        "what is there, so the queue grows for as long as they do, and times depend on how long the trace is."
    )


def numbers(shown: Shown, slo: Workload) -> tuple[Number, ...]:
    """TTFT against its SLO, goodput, offered load against what can be carried, and the busiest resource."""
    _, outcome = shown
    result, found = outcome.result, outcome.verdict
    ttft = summary(result.columns["ttft_ms"])
    meets, requests = outcome.meeting(slo), len(result)
    rate = result.trace.requests_per_s()
    arriving = "all at once" if rate is None else f"{significant(rate)} requests/s arrive"
    return (
        Number(
            "TTFT, median",
            "none" if ttft is None else milliseconds(ttft.p50),
            f"p99 {'none' if ttft is None else milliseconds(ttft.p99)}, SLO {milliseconds(slo.ttft_slo_ms)}",
            "Over all requests of the replay, by linear interpolation; every part of each is in the CSV.",
            None if ttft is None else ttft.p99 <= slo.ttft_slo_ms,
        ),
        Number(
            "Goodput [requests/s]",
            significant(outcome.goodput_per_s(slo), 2),
            f"{percent(meets / requests)} meet both SLOs",
            f"Requests a second within their SLOs: {meets:,} of {requests:,} have their first token within "
            f"{slo.ttft_slo_ms:,g} ms and "
            f"on average {slo.itl_slo_ms:,g} ms or less between tokens, over the "
            f"{significant(result.end_ms / 1000)} s from first arrival to last token; {arriving}.",
        ),
        _load(outcome),
        _busiest(outcome, found.bottleneck),
    )


def _load(outcome: Outcome) -> Number:
    loads = outcome.loads
    if not loads:
        return Number("Offered load", "all at once", "no span to carry it in", "All requests arrive at once.")
    first, *others = sorted(loads, key=loads.__getitem__, reverse=True)
    beside = ", ".join(f"{name} {percent(loads[name])}" for name in others) or "they prefill and decode"
    found = outcome.verdict
    offered = (
        f" All full prompts together are {significant(found.offered_gb_s)} GB/s on the links, "
        f"which carry {significant(found.capacity_gb_s)}."
        if found.offered_gb_s is not None and found.capacity_gb_s is not None
        else ""
    )
    return Number(
        "Offered load",
        f"{first} {percent(loads[first])}",
        beside,
        "Time that the trace's work takes each resource, over the time in which requests arrive: above 100% "
        "it can't be carried. Batching lets a decode worker take more while it is busy." + offered,
        not overloaded(outcome),
    )


def _busiest(outcome: Outcome, bottleneck: str) -> Number:
    found = outcome.verdict
    shares = {
        "prefill": found.prefill_utilisation,
        "link": found.link_utilisation,
        "decode": found.decode_utilisation,
    }
    busy = {name: share for name, share in shares.items() if share is not None}
    if outcome.result.config.aggregated:
        busy = {"workers": found.prefill_utilisation or 0.0}
    if not busy:
        return Number("Busiest", "none", "nothing ran", "No time passed.")
    # a decode worker with any sequence is busy, yet may take many more: load says more than use
    name = max(outcome.loads or busy, key=(outcome.loads or busy).__getitem__)
    waited = (
        f"{percent(busy[name])} of the time" if bottleneck == name else f"slowest 1% waited for {bottleneck}"
    )
    each = ", ".join(f"{one} {percent(share)}" for one, share in busy.items())
    return Number(
        "Busiest",
        name,
        waited,
        f"Share of the time from first arrival to last token in which it was at work: {each}.",
    )
