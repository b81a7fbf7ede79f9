"""Whether a deployment keeps up with a trace, or what holds it up: the same on page and command line."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aisim_model.ttft_parts import PARTS
from aisim_ui.sentences.resources import ADVICE, is_bottleneck, named
from aisim_ui.words import milliseconds, percent

PHRASES = MappingProxyType(
    {
        "queue_ms": "waiting for prefill",
        "prefill_ms": "computing their prompts",
        "orchestration_ms": "in the handover's own cost",
        "reservation_ms": "waiting for room on a decode worker",
        "link_queue_ms": "waiting for the link",
        "transfer_ms": "on the wire",
        "activation_ms": "waiting for a decode pass to end",
        "decode_step_ms": "in the first decode step",
    }
)
IN_PARTS = MappingProxyType({part.name: f"in {part.label.lower()}" for part in PARTS} | PHRASES)
WAITS = tuple(part.name for part in PARTS if part.waits)


def verdict(
    bottleneck: str,
    loads: Mapping[str, float],
    waits_ms: Mapping[str, float],
    p99_ms: float | None,
    slo_ms: float | None = None,
    name: str = "",
) -> tuple[str, str]:
    """Say whether a deployment keeps up, or what is its bottleneck: the head of a sentence, and its reason.

    Parameters
    ----------
    bottleneck, loads, waits_ms
        As `aisim_model.replay.verdict.Verdict` has them.
    p99_ms : float or None
        TTFT of 99% of the requests [ms]; None where none has a first token.
    slo_ms : float, optional
        Service level on TTFT [ms].
    name : str
        Of the deployment.
    """
    if p99_ms is None or not waits_ms:
        return name or "Nothing to say", "no request got a first token"
    slow_ms = sum(waits_ms.values())
    part, spent_ms = max(waits_ms.items(), key=lambda item: item[1])
    why = (
        f"the slowest 1% spend {percent(spent_ms / slow_ms) if slow_ms else '0%'} of their "
        f"{milliseconds(slow_ms)} {IN_PARTS[part]}"
    )
    over, waited = overloaded(loads), any(waits_ms.get(part, 0.0) > 0.0 for part in WAITS)
    late = slo_ms is not None and p99_ms > slo_ms
    if not over and not late and (loads or not waited or slo_ms is not None):
        first = f"99% of requests have their first token within {milliseconds(p99_ms)}"
        last = f"so {named(bottleneck)} would hold it up first"
        return f"{name} keeps up" if name else "Keeps up", f"{first}; {why}, {last}"
    head = is_bottleneck(bottleneck, f" of {name}" if name else "")
    # a request that waited for nothing and is late is helped by no more workers
    advice = f"; {ADVICE[bottleneck]}" if over or waited or bottleneck in ("link", "orchestration") else ""
    return head[0].upper() + head[1:], f"{why}{advice}"


def overloaded(loads: Mapping[str, float]) -> list[str]:
    """Name the resources that are asked for more than they can do while requests arrive."""
    return [name for name, load in loads.items() if load > 1.0]
