"""What a replay found, in sentences and in the four numbers of the Traffic page."""

from __future__ import annotations

from collections.abc import Sequence

from aisim_model.replay.summary import summary
from aisim_model.scenario import Workload
from aisim_ui.sentences.number import Number
from aisim_ui.sentences.replay import overloaded, verdict
from aisim_ui.traffic.outcome import ReplayOutcome, RowReplay
from aisim_ui.words import escape_markdown, milliseconds, percent, significant


def sentence(replayed: RowReplay, slo: Workload) -> str:
    """Name the bottleneck of one deployment, and what its slowest requests waited for."""
    row, outcome = replayed
    found, ttft = outcome.verdict, summary(outcome.result.columns["ttft_ms"])
    p99_ms, name = None if ttft is None else ttft.p99, escape_markdown(row.name)
    head, rest = verdict(
        found.bottleneck, found.offered_load, found.slowest_wait_ms, p99_ms, slo.ttft_slo_ms, name
    )
    return f"**{head}**: {rest}."


def compared(replays: Sequence[RowReplay], slo: Workload) -> str:
    """Say which deployments keep 99% of their requests within the service level on TTFT."""
    good = [escape_markdown(row.name) for row, outcome in replays if _p99(outcome) <= slo.ttft_slo_ms]
    which = f": {', '.join(good)}" if 0 < len(good) < len(replays) else ""
    many = f"{len(good)} of {len(replays)}" if good else f"None of {len(replays)}"
    noun = "deployment" if len(replays) == 1 else "deployments"
    verb = "keeps" if len(good) == 1 else "keep"
    limit = milliseconds(slo.ttft_slo_ms)
    return f"{many} {noun} {verb} 99% of the requests within the SLO of {limit} on TTFT{which}."


def _p99(outcome: ReplayOutcome) -> float:
    found = summary(outcome.result.columns["ttft_ms"])
    return float("inf") if found is None else found.p99


def load_warning(replayed: RowReplay) -> str | None:
    """Say that the traffic can't be carried, and by what; None where it can."""
    row, outcome = replayed
    names = overloaded(outcome.loads)
    if not names:
        return None
    asked = " and ".join(
        f"{'its ' if name == 'workers' else ''}{name} for {percent(outcome.loads[name])}" for name in names
    )
    return (
        f"This traffic can't be carried by {escape_markdown(row.name)}: while requests arrive it asks "
        f"{asked} of what is there, so the queue grows for as long as they do, and times depend on how long "
        "the trace is."
    )


def numbers(replayed: RowReplay, slo: Workload) -> tuple[Number, ...]:
    """TTFT against its SLO, goodput, offered load against what can be carried, and the bottleneck."""
    _, outcome = replayed
    result = outcome.result
    ttft = summary(result.columns["ttft_ms"])
    met, requests = outcome.within(slo), len(result)
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
            significant(met.goodput_requests_per_s, 2),
            f"{percent(met.within_slo_share)} meet both SLOs",
            f"Requests a second within their SLOs: {met.within_slo_share * requests:,.0f} of {requests:,} "
            "have their first token within "
            f"{slo.ttft_slo_ms:,g} ms and "
            f"on average {slo.itl_slo_ms:,g} ms or less between tokens, over the "
            f"{significant(result.end_ms / 1000)} s from first arrival to last token; {arriving}.",
        ),
        _load(outcome),
        _bottleneck(outcome),
    )


def _load(outcome: ReplayOutcome) -> Number:
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
        not overloaded(loads),
    )


def _bottleneck(outcome: ReplayOutcome) -> Number:
    found = outcome.verdict
    aggregated = outcome.result.config.aggregated
    shares = {
        "workers" if aggregated else "prefill": found.prefill_utilisation,
        "link": found.link_utilisation,
        "decode": found.decode_utilisation,
    }
    busy = {name: share for name, share in shares.items() if share is not None}
    if not busy:
        return Number("Bottleneck", "none", "nothing ran", "No time passed.")
    name = found.bottleneck
    each = ", ".join(f"{one} {percent(share)}" for one, share in busy.items())
    return Number(
        "Bottleneck",
        name,
        f"busy {percent(busy[name])} of the time" if name in busy else "beside the resources",
        "What is asked for the most beyond what it can do, else what the slowest 1% wait for. Share of the "
        f"time from first arrival to last token in which each was at work: {each}.",
    )
