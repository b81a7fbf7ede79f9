"""The plan of a scenario, and what is shown beside it, each worked out once for the same question."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from aisim_model.plan import Plan, recommend
from aisim_model.plan.evaluate import Block, blocks
from aisim_model.plan.next_dollar import Change, next_changes
from aisim_model.plan.record import point_record, record
from aisim_model.plan.space import Space, planned, space_of
from aisim_model.plan.sureness import Otherwise, rival_plans, shifted_plans
from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.spread import spread
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.scenario.planning import Planning
from aisim_ui.sentences.plan import why

LOADS = 40
ENOUGH = (1, 2, 4, 8, 16, 32, 64)  # GPUs of a worker
BEYOND = 1.25  # times the most load that is drawn


def space_for(scenario: Scenario) -> Space:
    """Return what is searched: of the rows the selected one alone counts, without its name."""
    return planned(_alone(scenario))


def plan_for(scenario: Scenario) -> Plan:
    """Return the plan of a scenario."""
    alone = _alone(scenario)
    return _plan(alone.workload, alone.selected, alone.plan)


def _alone(scenario: Scenario) -> Scenario:
    row = scenario.selected.model_copy(update={"id": "base", "name": "base", "color": 0})
    return Scenario(
        workload=scenario.workload,
        deployments=(row,),
        selected_id="base",
        baseline_id="base",
        plan=scenario.plan,
    )


@lru_cache(maxsize=64)
def _plan(workload: Workload, row: Deployment, planning: Planning) -> Plan:
    scenario = Scenario(
        workload=workload, deployments=(row,), selected_id="base", baseline_id="base", plan=planning
    )
    return recommend(planned(scenario), planning.objective)


def ranked_table(plan: Plan) -> pd.DataFrame:
    """Lay the best layouts out as a table."""
    workload = plan.scenario.workload
    return pd.DataFrame(
        [
            {"rank": place, **record(one, workload), "why": why(plan, one)}
            for place, one in enumerate(plan.ranked, start=1)
        ]
    )


def frontier_table(plan: Plan) -> pd.DataFrame:
    """Lay the frontier out as a table, the most tokens a user first."""
    rows = sorted(plan.frontier, key=lambda one: (one.row.kind, -one.tokens_per_s_user))
    return pd.DataFrame([point_record(one) | {"place": plan.frontier.index(one)} for one in rows])


def share_over_load(plan: Plan) -> pd.DataFrame:
    """Return the share of requests within both targets over arrivals, of the best of each kind."""
    chosen = [plan.ranked[0], *([plan.other] if plan.other is not None else [])]
    most = max(one.outcome.most_per_s for one in chosen)
    most = BEYOND * max(most, plan.scenario.workload.arrivals_per_s, 1e-3)
    return pd.concat([_shares(plan.scenario.workload, one.row, most) for one in chosen], ignore_index=True)


@lru_cache(maxsize=64)
def _shares(workload: Workload, row: Deployment, most_per_s: float) -> pd.DataFrame:
    served = service(resolve(workload, row), workload.mean_output_tokens)
    rates = np.linspace(0.0, most_per_s, LOADS)
    shares = [
        float(spread(served, under_load(served, rate)).both_within(workload.ttft_slo_ms, workload.itl_slo_ms))
        for rate in map(float, rates)
    ]
    return pd.DataFrame(
        {"deployment": row.name, "kind": row.kind, "arrivals_per_s": rates, "within_slos_share": shares}
    )


@lru_cache(maxsize=64)
def changes_of(workload: Workload, row: Deployment) -> tuple[Change, ...]:
    """Return what changing one thing of a layout would add."""
    return next_changes(workload, row)


@lru_cache(maxsize=16)
def otherwise(workload: Workload, row: Deployment, planning: Planning) -> tuple[Otherwise, ...]:
    """Return what would be deployed with other times of a pass."""
    scenario = Scenario(
        workload=workload, deployments=(row,), selected_id="base", baseline_id="base", plan=planning
    )
    space, plan = planned(scenario), _plan(workload, row, planning)
    return (*rival_plans(space, plan), *shifted_plans(space, plan))


def otherwise_for(scenario: Scenario) -> tuple[Otherwise, ...]:
    """Return what would be deployed for a scenario with other times of a pass."""
    alone = _alone(scenario)
    return otherwise(alone.workload, alone.selected, alone.plan)


@lru_cache(maxsize=16)
def _fitting(workload: Workload, row: Deployment) -> tuple[Deployment, int] | None:
    for ranks in ENOUGH:
        wide = row.changed(gpus_per_node=max(ranks, row.gpus_per_node))
        scenario = Scenario(workload=workload, deployments=(wide,), selected_id="base", baseline_id="base")
        space = space_of(scenario, ranks, locks={"kind": "aggregated", "prefill_tp": ranks})
        for one in blocks(space):
            if isinstance(one, Block):
                return one.row(0), ranks
    return None


def fitting(scenario: Scenario) -> tuple[Deployment, int] | None:
    """Return the first worker that holds the model, and its GPUs; None where 64 hold none."""
    alone = _alone(scenario)
    return _fitting(alone.workload, alone.selected)
