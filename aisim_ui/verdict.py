"""Which deployments meet both service levels, in a sentence made from the numbers."""

from __future__ import annotations

import math

from aisim_model.compare import Outcome
from aisim_model.scenario import Scenario
from aisim_ui.words import literal, milliseconds


def meets_sentence(scenario: Scenario, outcomes: tuple[Outcome, ...]) -> str:
    """Say how many rows meet both SLOs for one request, the fastest, and whether they are at equal GPUs."""
    slo = scenario.workload
    good = [one for one in outcomes if one.parts.ttft_ms <= slo.ttft_slo_ms and one.itl_ms <= slo.itl_slo_ms]
    known = [one for one in outcomes if not math.isnan(one.parts.ttft_ms)]
    gpus = {one.row.gpus for one in outcomes}
    equal = (
        f"all on {gpus.pop()} GPUs" if len(gpus) == 1 else f"not at equal GPUs ({min(gpus)} to {max(gpus)})"
    )
    if not known:
        return f"No deployment has a TTFT that is known, {equal}."
    best = min(known, key=lambda one: float(one.parts.ttft_ms))
    first = f"{len(good)} of {len(outcomes)} deployments meet both SLOs for one request"
    shortest = f"{literal(best.row.name)} has the shortest TTFT, {milliseconds(best.parts.ttft_ms)}"
    return f"{first}, {equal}; {shortest}."
