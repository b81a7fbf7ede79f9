"""A layout of a plan as plain values: the fields of its row, and what the model answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aisim_model.plan.search import Candidate, FrontierPoint, Plan
from aisim_model.plan.space import NAMES, OF_SPLIT_ROWS
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.units import MS_PER_S

if TYPE_CHECKING:  # it brings the compiled replay
    from aisim_model.plan.verify import Verified


def row_fields(row: Deployment) -> dict[str, Any]:
    """Return the fields of a row; None for those that don't count in an aggregated one.

    Examples
    --------
    >>> found = row_fields(Deployment(id="a", name="a", kind="aggregated"))
    >>> found["prefill_tp"], found["decode_tp"]
    (4, None)
    """
    fields = {name: value for name, value in row.model_dump(mode="json").items() if name not in NAMES}
    return fields if row.split else fields | dict.fromkeys(OF_SPLIT_ROWS)


def record(one: Candidate, workload: Workload) -> dict[str, Any]:
    """Return a layout's fields and answers, with units in their names.

    Parameters
    ----------
    one : Candidate
        The layout.
    workload : Workload
        For the tokens of an answer.
    """
    found, load = one.outcome, one.outcome.load
    share, tokens = float(found.reached.share), workload.mean_output_tokens
    return {
        "deployment": one.row.name,
        **row_fields(one.row),
        "gpus": one.row.gpus,
        "arrivals_per_s": one.arrivals_per_s,
        "loaded_ttft_ms": load.ttft_ms,
        "loaded_ttft_p99_ms": found.spread.ttft_at(0.99),
        "loaded_itl_ms": load.itl_ms,
        "loaded_itl_p99_ms": found.spread.itl_at(0.99),
        "within_slos_share": share,
        "meets_slos_under_load": one.meets,
        "carries_within_slos_per_s": found.most_per_s,
        "carries_requests_per_s": found.capacity.requests_per_s,
        "headroom": one.headroom,
        "bottleneck": found.bottleneck,
        "prefill_utilisation": load.prefill_utilisation,
        "link_utilisation": load.link_utilisation,
        "decode_utilisation": load.decode_utilisation,
        "tokens_per_s_user": MS_PER_S / load.itl_ms if load.itl_ms else None,
        "tokens_per_s_gpu": one.arrivals_per_s * tokens / one.row.gpus,
        "usd_per_hour": found.cost.usd_per_hour,
        "usd_per_million_output_tokens": found.cost.usd_per_million_output_tokens,
        "usd_per_million_within_slos": found.usd_per_million_within_slos,
    }


def point_record(one: FrontierPoint) -> dict[str, Any]:
    """Return a point of the frontier as plain values."""
    return {
        "deployment": one.row.name,
        "kind": one.row.kind,
        "gpus": one.row.gpus,
        "tokens_per_s_user": one.tokens_per_s_user,
        "tokens_per_s_gpu": one.tokens_per_s_gpu,
        "arrivals_per_s": one.arrivals_per_s,
        **{field: value for field, value in row_fields(one.row).items() if field not in ("kind",)},
    }


def verified_record(one: Verified) -> dict[str, Any]:
    """Return what a replay found beside the estimate."""
    figures, found = one.figures, one.candidate.outcome
    return {
        "deployment": one.row.name,
        "estimated_within_slos_share": float(found.reached.share),
        "within_slo_share": one.share,
        "estimated_ttft_p99_ms": found.spread.ttft_at(0.99),
        "ttft_p99_ms": figures.ttft_ms.p99 if figures and figures.ttft_ms else None,
        "estimated_itl_p99_ms": found.spread.itl_at(0.99),
        "itl_p99_ms": figures.itl_ms.p99 if figures and figures.itl_ms else None,
        "bottleneck": figures.verdict.bottleneck if figures else None,
        "refused": one.refused,
    }


def best_scenario(plan: Plan, best: Deployment | None = None) -> Scenario:
    """Return a scenario of what a plan found: the first layout, selected, and the best of the other kind.

    Parameters
    ----------
    plan : Plan
        A plan of which something fits.
    best : Deployment, optional
        Another layout in the place of the first, such as the first when replayed.

    Examples
    --------
    >>> from aisim_model.plan import recommend, space_of
    >>> locks = {"prefill_tp": 4, "prefill_workers": 1, "weight_format": "bf16", "kv_dtype": "bf16"}
    >>> found = best_scenario(recommend(space_of(Scenario(), 8, locks=locks)))
    >>> found.selected.name, found.baseline.name
    ('Aggregated 1 x TP4', 'Aggregated 1 x TP4')
    """
    first = (best or plan.ranked[0].row).changed(id="best", color=0)
    rows = [first]
    if plan.other is not None:
        rows.append(plan.other.row.changed(id="other", color=1))
    baseline = next((row for row in rows if not row.split), first)
    traffic = plan.scenario.traffic.changed(deployment_ids=None)
    return plan.scenario.changed(
        deployments=tuple(rows), selected_id="best", baseline_id=baseline.id, traffic=traffic
    )
