"""`aisim solve`: what bandwidth, prompt, cached share, load or workers meet a target."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from aisim_cli.output import print_json
from aisim_cli.scenario_file import SCENARIO_HELP, scenario_from
from aisim_model.errors import InputError


class Sought(StrEnum):
    """What is solved for."""

    BANDWIDTH = "bandwidth"
    PROMPT = "prompt"
    CACHED_SHARE = "cached-share"
    BREAK_EVEN = "break-even"
    WORKERS = "workers"


def solve(
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help=SCENARIO_HELP)],
    sought: Annotated[Sought, typer.Option("--for", help="What is sought.")],
    handoff_budget_ms: Annotated[
        float | None,
        typer.Option(help="Longest handoff; else the scenario's handoff_budget_ms, else its SLO on TTFT."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list, one object a row.")] = False,
) -> None:
    """Solve a scenario backwards, for each of its deployments.

    Every JSON object has deployment_id, deployment, kind, gpus, answer (found, always, never, not comparable)
    and fit_problem (null where the row fits its GPUs). bandwidth, prompt and cached-share have target
    (handoff or ttft) and target_ms too.

    bandwidth: needed_gb_s, has_gb_s, enough, links, link_is_per, nics_per_gpu.

    prompt: prompt_tokens, time_ms, one_more_ms, enough, max_position_embeddings, fits_prompt_tokens (the
    longest prompt that the memory of its workers holds).

    cached-share: cached_tokens, cached_share, prompt_tokens, sent_tokens, time_ms, timing_mode,
    prefix_credit.

    break-even, against the aggregated row compared_to: itl_answer, itl_from_requests_per_s,
    itl_until_requests_per_s, and the same with ttft.

    workers: prefill_workers, decode_workers, requests_per_s, and the same as it is now_.
    """
    from aisim_model.solve.answers import answers
    from aisim_ui.sentences.solve import record, said

    asked = scenario_from(scenario)
    if handoff_budget_ms is not None and not 0 < handoff_budget_ms <= 3_600_000:
        problem = "must be above 0 and at most 3,600,000 ms"
        raise InputError("handoff_budget_ms", handoff_budget_ms, problem, "Enter one such as 20.")
    found = answers(asked, sought.value, handoff_budget_ms)
    if as_json:
        print_json([record(one) for one in found])
        return
    for one in found:
        print(f"{one.row.name}: {said(one)}")
