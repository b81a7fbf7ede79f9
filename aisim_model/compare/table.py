"""A scenario's deployments side by side: one tidy row a deployment, with units in the names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from aisim_model.compare.columns import COMPARISON
from aisim_model.compare.outcome import Outcome, outcome
from aisim_model.compare.ranking import ranking
from aisim_model.row.energy import W_PER_KW
from aisim_model.row.ttft import prefill_extrapolated
from aisim_model.scenario import Scenario, Workload

if TYPE_CHECKING:
    import pandas as pd


def compare(scenario: Scenario) -> tuple[Outcome, ...]:
    """Model every row of a scenario, in its order."""
    return tuple(outcome(scenario.workload, row) for row in scenario.deployments)


def table(scenario: Scenario, outcomes: tuple[Outcome, ...]) -> pd.DataFrame:
    """Lay outcomes out as a tidy table, one row a deployment; what is not known is empty.

    A row that doesn't fit has no times but the handoff's, which bytes and link alone make. Columns with
    `loaded` in their name and the utilisations are estimates of means at the workload's arrivals. Why a row
    doesn't fit, and why it has its rank, is for `aisim_ui.sentences` to say.

    Parameters
    ----------
    scenario : Scenario
        For its service levels and baseline.
    outcomes : tuple of Outcome
        As `compare` returns them.

    Examples
    --------
    >>> example = Scenario()
    >>> found = table(example, compare(example))
    >>> found.loc[found["deployment"] == "Split, 400G NIC per GPU", "wire_bytes"].item()
    3145728000.0
    """
    import pandas as pd  # slow to import, and the columns alone are enough for a page

    return pd.DataFrame(columns(scenario, outcomes))


def columns(scenario: Scenario, outcomes: tuple[Outcome, ...]) -> dict[str, list[Any]]:
    """Lay outcomes out as `table` does, as plain columns by name, in the order of the registry."""
    base = next(one for one in outcomes if one.row.id == scenario.baseline_id)
    base_ms = math.nan if base.memory.problem else float(base.parts.ttft_ms)
    ranks = ranking(outcomes, scenario.workload)
    rows = [
        {**_record(one, scenario.workload, base_ms), "rank": rank.place}
        for one, rank in zip(outcomes, ranks, strict=True)
    ]
    return {name: [row[name] for row in rows] for one in COMPARISON if (name := one.name) in rows[0]}


def _record(one: Outcome, slo: Workload, base_ms: float) -> dict[str, Any]:
    """Return one row of the table."""
    row, ttft_ms, load = one.row, float(one.parts.ttft_ms), one.load
    fits = one.memory.problem is None
    prefill, decode = one.memory.workers[0], one.memory.workers[-1]
    times = {
        **vars(one.parts),
        "ttft_ms": ttft_ms,
        "ttft_difference_ms": ttft_ms - base_ms,
        "ttft_over_slo_ms": ttft_ms - slo.ttft_slo_ms,
        "handoff_share": one.handoff_share,
        "itl_ms": one.itl_ms,
        "itl_over_slo_ms": one.itl_ms - slo.itl_slo_ms,
        "second_token_ms": one.second_token_ms,
        "loaded_queue_ms": float(load.parts.queue_ms),
        "loaded_ttft_ms": load.ttft_ms,
        "loaded_itl_ms": load.itl_ms,
        "loaded_tail_itl_ms": load.tail_itl_ms,
        "loaded_ttft_p99_ms": one.spread.ttft_at(0.99),
        "loaded_itl_p99_ms": one.spread.itl_at(0.99),
        "within_slos_share": one.reached.share,
    }
    return {
        "deployment_id": row.id,
        "deployment": row.name,
        "kind": row.kind,
        "gpus": row.gpus,
        "fits": fits,
        "weights_gb_per_gpu": decode.weights_gb,
        "reserve_gb_per_gpu": decode.reserve_gb,
        "kv_pool_gb_per_gpu": decode.pool_gb,
        "kv_pool_tokens": one.x.pool_tokens,
        "prefill_worker_holds": prefill.requests,
        "decode_worker_holds": decode.requests,
        "handoffs_in_flight": one.memory.handoffs_in_flight,
        "sent_tokens": one.sent_tokens,
        "wire_bytes": one.wire_bytes,
        "bandwidth_gb_s": float(one.x.bandwidth_gb_s) if row.split else math.nan,
        "needed_gb_s": one.needed_gb_s,
        "handoff_ms": one.handoff_ms,
        "slowest_handoff_ms": math.nan if one.slowest_handoff_ms is None else one.slowest_handoff_ms,
        **(times if fits else dict.fromkeys(times, math.nan)),
        "prefill_extrapolated": bool(prefill_extrapolated(one.x)),
        "meets_ttft_slo": fits and ttft_ms <= slo.ttft_slo_ms,
        "meets_itl_slo": fits and one.itl_ms <= slo.itl_slo_ms,
        "requests_in_flight": slo.requests_in_flight,
        "arrivals_per_s": load.arrivals_per_s,
        "prefill_utilisation": load.prefill_utilisation,
        "link_utilisation": load.link_utilisation,
        "decode_utilisation": load.decode_utilisation,
        "overloaded": load.overloaded,
        "bottleneck": one.bottleneck,
        "meets_slos_under_load": fits and bool(one.reached.meets),
        "carries_requests_per_s": one.capacity.requests_per_s,
        "carries_within_slos_per_s": one.most_per_s,
        "busiest": one.capacity.busiest,
        "usd_per_hour": one.cost.usd_per_hour,
        "usd_per_million_output_tokens": one.cost.usd_per_million_output_tokens,
        "usd_per_million_within_slos": one.usd_per_million_within_slos,
        "idle_kw": one.energy.idle_watts / W_PER_KW,
        "busy_kw": one.energy.busy_watts / W_PER_KW,
        "tokens_per_joule": one.energy.tokens_per_joule,
        "kwh_per_million_tokens": one.energy.kwh_per_million_tokens,
        "energy_usd_per_million_tokens": one.energy.usd_per_million_tokens,
    }
