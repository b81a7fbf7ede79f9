"""`aisim recommend`: what to deploy on some GPUs for a scenario's model, traffic and targets."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from aisim_cli.output import print_columns, print_json
from aisim_cli.scenario_file import SCENARIO_HELP, scenario_from
from aisim_cli.sharing import shared_over
from aisim_model import MODEL_VERSION
from aisim_model.errors import InputError

if TYPE_CHECKING:
    from aisim_model.plan import Plan
    from aisim_model.plan.verify import Verified

MOST_VERIFIED = 100


def recommend(
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help=SCENARIO_HELP)],
    gpus: Annotated[int, typer.Option(help="GPUs of all workers together, at most.")],
    gpu: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Kind of GPU that is tried, again for more; the selected row's."),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Traffic in place of the workload's: its mean request and its rate.")
    ] = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE", help="A field of a deployment that has this value, again for more."
        ),
    ] = None,
    objective: Annotated[
        Literal["cost", "goodput", "gpus"],
        typer.Option("--for", help="Least price of tokens within the targets, most load, or fewest GPUs."),
    ] = "cost",
    verify: Annotated[
        int, typer.Option(metavar="K", help="Replay the best K on the traffic, and rank them by that.")
    ] = 0,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A dask scheduler to share layouts and replays.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the ranked layouts to this file.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the best as a scenario, YAML.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Try every way to cut GPUs into workers, and say what to deploy.

    Searched: kind, TP and number of prefill and decode workers, KV dtype, weight_format, timing_mode,
    chunk_tokens and max_sequences. All else is the scenario's selected row's. Arrivals are the workload's;
    without any, the load is the most that a layout carries within the targets.

    JSON: searched, fit, met (how many layouts), answer, best (the fields of the row, and its answers; null
    where none meets the targets), ranked (the best ten, or the nearest misses), frontier (layouts that no
    other of their kind beats in tokens_per_s_user and tokens_per_s_gpu), verified (with --verify),
    model_version.
    """
    from aisim_model.plan import recommend as search
    from aisim_model.plan import space_of
    from aisim_model.plan.traffic import asked_by
    from aisim_model.plan.verify import reranked
    from aisim_model.plan.verify import verify as replays
    from aisim_ui.sentences import plan as words

    if not 0 <= verify <= MOST_VERIFIED:
        raise InputError("verify", verify, f"must be from 0 to {MOST_VERIFIED}", "Enter one such as 12.")
    asked, requests = scenario_from(scenario), None
    if trace is not None:
        from aisim_model.traces import read_trace
        from aisim_model.traffic.scenario_replay import asked_trace

        requests, _ = asked_trace(read_trace(trace)[0], asked.traffic)
        asked = asked_by(asked, requests)
    space = space_of(asked, gpus, tuple(gpu or ()), locks_of(lock or []))
    with shared_over(None, dask) or nullcontext() as executor:
        plan = search(space, objective, max(10, verify), executor=executor)
        verified = reranked(replays(plan, requests, verify, executor=executor)) if verify else ()
    refusal = words.refused(plan)
    if refusal is not None and not plan.ranked:
        raise refusal
    told = _told(plan, verified, words.answer(plan))
    if csv is not None:
        _write_csv(csv, told["ranked"])
    if as_json:
        print_json(told)
    else:
        _print(told)
    if refusal is not None:
        raise refusal
    if output is not None:
        _write_best(output, plan, verified)


def locks_of(texts: list[str]) -> dict[str, Any]:
    """Read locks.

    Raises
    ------
    InputError
        For one without a field or a value.

    Examples
    --------
    >>> locks_of(["prefill_tp=8", "kind=split"])
    {'prefill_tp': 8, 'kind': 'split'}
    """
    import yaml

    found: dict[str, Any] = {}
    for text in texts:
        field, equals, value = text.partition("=")
        if not equals or not field.strip() or not value.strip():
            raise InputError("lock", text, "must be FIELD=VALUE", "Write one such as prefill_tp=8.")
        try:
            found[field.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise InputError(
                "lock", text, "has a value that can't be read", "Write a number or a name."
            ) from None
    return found


def _told(plan: Plan, verified: tuple[Verified, ...], answer: str) -> dict[str, Any]:
    from aisim_model.plan.record import point_record, record, verified_record
    from aisim_ui.exports import finite
    from aisim_ui.sentences.plan import why

    workload = plan.scenario.workload
    ranked = [
        {"rank": place, **record(one, workload), "why": why(plan, one)}
        for place, one in enumerate(plan.ranked, start=1)
    ]
    told: dict[str, Any] = finite(
        {
            "searched": plan.searched,
            "fit": plan.fit,
            "met": plan.met,
            "for": plan.objective,
            "answer": answer,
            "best": ranked[0] if plan.best is not None else None,
            "ranked": ranked,
            "frontier": [point_record(one) for one in plan.frontier],
            "verified": [verified_record(one) for one in verified],
            "model_version": MODEL_VERSION,
        }
    )
    return told


def _print(told: dict[str, Any]) -> None:
    from aisim_model.compare.columns import PLANNED, VERIFIED

    print(told["answer"])
    print(f"Searched {told['searched']:,} layouts: {told['fit']:,} fit, {told['met']:,} meet the targets.")
    print_columns(PLANNED, told["ranked"])
    if told["verified"]:
        print("Replayed on the traffic, by the share of requests within both:")
        print_columns(VERIFIED, told["verified"])


def _write_csv(path: Path, ranked: list[dict[str, Any]]) -> None:
    import pandas as pd

    from aisim_ui.exports import csv_bytes

    _write(path, "csv", csv_bytes(pd.DataFrame(ranked)))


def _write_best(path: Path, plan: Plan, verified: tuple[Verified, ...]) -> None:
    import yaml

    from aisim_model.plan.record import best_scenario

    found = best_scenario(plan, verified[0].row if verified else None)
    text = yaml.safe_dump(found.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    _write(path, "output", text.encode("utf-8"))
    print(f"wrote {path}", file=sys.stderr)


def _write(path: Path, option: str, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        problem = f"can't be written ({error.strerror or error})"
        raise InputError(option, str(path), problem, "Give another path.") from None
