"""What a handoff adds, in a sentence made from the numbers, and the four numbers beneath it."""

from __future__ import annotations

import math

from aisim_model.compare.outcome import Outcome
from aisim_model.scenario import Workload
from aisim_model.ttft_parts import PARTS
from aisim_ui.sentences.asked import at_load
from aisim_ui.sentences.number import Number
from aisim_ui.sentences.resources import ADVICE, is_bottleneck, named
from aisim_ui.sentences.rows import misfit, sends_nothing
from aisim_ui.words import bandwidth, escape_markdown, milliseconds, percent, rate, significant


def sentence(one: Outcome, workload: Workload) -> str:
    """Answer for one row: what the handoff adds, its share of TTFT, and what is short or would be first."""
    row = one.row
    if one.memory.problem:
        alone = f" Its handoff alone takes {range_text(one)}." if row.split and not one.sends_nothing else ""
        return f"**{escape_markdown(row.name)}** doesn't fit its GPUs: {misfit(one.memory.problem)}.{alone}"
    if not row.split:
        ttft = milliseconds(one.parts.ttft_ms)
        name = escape_markdown(row.name)
        return f"**{name}** hands nothing over: TTFT is its prefill, {ttft}; its workers do both."
    if one.sends_nothing:
        return f"**{escape_markdown(row.name)}**: no handoff delay, because {sends_nothing(one)}."
    added = range_text(one)
    if one.x.profile.first_token_from == "prefill":
        share = "and falls before the second token: the first is the prefill worker's own"
    else:
        share = f"{percent(one.handoff_share)} of TTFT"
    return f"**The handoff adds {added}**, {share}; {_limit(one, workload)}."


def _limit(one: Outcome, workload: Workload) -> str:
    """Say what is short and what to do about it; where nothing is, what would be the bottleneck first."""
    first, at = one.capacity.busiest, f" {at_load(workload)}"
    if workload.is_loaded and one.load.overloaded:
        return f"{named(one.load.bottleneck)} can't keep up{at}: {ADVICE[one.load.bottleneck]}"
    if workload.is_loaded and not one.reached.meets:
        return (
            f"an SLO is missed{at}, and {is_bottleneck(one.load.bottleneck)}: {ADVICE[one.load.bottleneck]}"
        )
    if one.x.bandwidth_gb_s < one.needed_gb_s < math.inf:
        return f"its SLO needs {rate(one.needed_gb_s)}: {ADVICE['link']}"
    return f"{named(first)} would be full first, at {significant(one.capacity.requests_per_s)} requests/s"


def range_text(one: Outcome) -> str:
    """What the handoff adds, from nominal to the lowest bandwidth measured on the link."""
    nominal = milliseconds(one.handoff_ms, 2)
    slow = one.slowest_handoff_ms
    if slow is None or slow <= one.handoff_ms * 1.005:
        return nominal
    highest = milliseconds(slow, 2)
    number, _, unit = nominal.rpartition(" ")
    return f"{number if highest.endswith(f' {unit}') else nominal} to {highest}"


def numbers(one: Outcome, workload: Workload) -> tuple[Number, ...]:
    """The four numbers of a row; one that doesn't fit its GPUs has a handoff, and no other time."""
    if one.memory.problem:
        return _without_times(one, workload)
    x, row = one.x, one.row
    ttft = float(one.parts.ttft_ms)
    left = workload.ttft_slo_ms - ttft
    parts = " + ".join(
        f"{part.label.lower()} {milliseconds(value)}"
        for part in PARTS
        if (value := getattr(one.parts, part.name)) > 0
    )
    return (
        Number(
            "Added by the handoff",
            range_text(one) if row.split else "nothing",
            f"{one.wire_bytes:,.0f} bytes" if row.split else "aggregated",
            _how_added(one),
        ),
        Number(
            "TTFT",
            milliseconds(ttft),
            f"SLO {milliseconds(workload.ttft_slo_ms)}: "
            + (
                "unknown"
                if math.isnan(left)
                else f"{milliseconds(abs(left))} {'to spare' if left >= 0 else 'over'}"
            ),
            f"{parts}. One request, nothing else running.",
            None if math.isnan(left) else left >= 0,
        ),
        Number(
            "Bandwidth needed",
            needed_text(one),
            f"has {bandwidth(x.bandwidth_gb_s)}" if row.split else "no link",
            "Bandwidth at which this row's TTFT just meets its SLO, all else as it is.",
            (one.needed_gb_s <= x.bandwidth_gb_s) if row.split else None,
        ),
        Number(
            "Bottleneck",
            one.capacity.busiest if row.split else "workers",
            f"full at {significant(one.capacity.requests_per_s)} requests/s",
            f"Requests a second before it is full, if all are like this one: {_carried(one)}. "
            "An estimate without waiting; a replay of your trace is exact.",
        ),
    )


def _without_times(one: Outcome, workload: Workload) -> tuple[Number, ...]:
    why = f"It doesn't fit its GPUs: {misfit(one.memory.problem)}."
    sends = f"{one.wire_bytes:,.0f} bytes" if one.row.split else "aggregated"
    has = f"has {bandwidth(one.x.bandwidth_gb_s)}" if one.row.split else "no link"
    return (
        Number(
            "Added by the handoff", range_text(one) if one.row.split else "nothing", sends, _how_added(one)
        ),
        Number("TTFT", "no time", f"SLO {milliseconds(workload.ttft_slo_ms)}: doesn't fit", why, False),
        Number("Bandwidth needed", "none is enough" if one.row.split else "none", has, why),
        Number("Bottleneck", "memory", "no request fits", why),
    )


def _how_added(one: Outcome) -> str:
    row = one.row
    return (
        f"{one.sent_tokens:,.0f} tokens sent, {one.wire_bytes:,.0f} bytes over "
        f"{bandwidth(one.x.bandwidth_gb_s)}: "
        f"{milliseconds(one.transfer_ms, 5)} on the wire ({row.link_model} model, "
        f"overlap {one.x.profile.overlap}), orchestration {milliseconds(row.orchestration_ms)}. "
        "An upper value is at the lowest bandwidth that the catalogue has as reached on this link."
    )


def needed_text(one: Outcome) -> str:
    """Bandwidth needed, in words where it is none or out of reach."""
    if not one.row.split:
        return "none"
    if math.isinf(one.needed_gb_s):
        return "none is enough"
    return rate(one.needed_gb_s)


def _carried(one: Outcome) -> str:
    found = one.capacity
    if not one.row.split:
        return f"workers {significant(found.prefill_per_s)}"
    return (
        f"prefill {significant(found.prefill_per_s)}, link {significant(found.link_per_s)}, "
        f"decode {significant(found.decode_per_s)} with {found.decode_sequences:,} "
        f"sequence{'s' if found.decode_sequences != 1 else ''} a worker"
    )
