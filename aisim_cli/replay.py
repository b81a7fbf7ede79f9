"""`aisim replay`: a request trace on a deployment, or on the rows of a scenario."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np
import typer

from aisim_cli.output import print_json, print_table
from aisim_cli.replay_options import (
    AtOnce,
    Decimal,
    OutputTokens,
    Rate,
    SkipBadRows,
    TimeUnit,
    check_no_deployment,
    config_of,
    mapped_columns,
    read_requests,
)
from aisim_model import MODEL_VERSION
from aisim_model.errors import InputError
from aisim_model.handoff import TransferTimingMode

if TYPE_CHECKING:
    from aisim_model.replay import Progress, ReplayConfig, ReplayResult
    from aisim_model.traces import Trace, TraceReport

    Run = Callable[[Trace], tuple[dict[str, ReplayResult], dict[str, Any]]]

Found = TypeVar("Found")

STOPPED = 130
SHOWN = ("ttft_ms", "handoff_ms", "transfer_ms")


def replay(
    trace: Annotated[
        Path, typer.Argument(help="Requests: CSV, JSON at any depth or Parquet; gz and zip too.")
    ],
    prefill_workers: Annotated[int | None, typer.Option(help="Workers that prefill.")] = None,
    decode_workers: Annotated[int | None, typer.Option(help="Workers that decode.")] = None,
    aggregated_workers: Annotated[
        int | None, typer.Option(help="Workers that do both, in place of the two pools.")
    ] = None,
    scenario: Annotated[
        typer.FileBinaryRead | None,
        typer.Option(help="A scenario, YAML or JSON, whose rows are replayed side by side."),
    ] = None,
    level: Annotated[
        Literal["fifo", "engine"] | None,
        typer.Option(
            help="fifo: one prompt a pass, a constant decode step; of split pools where left out. engine: "
            "passes that batch, as engines run them; of aggregated workers where left out."
        ),
    ] = None,
    bandwidth_gb_s: Annotated[
        float | None, typer.Option(help="What one transfer gets, or a shared link carries; decimal GB/s.")
    ] = None,
    kv_bytes_per_token: Annotated[float | None, typer.Option(help="KV bytes of one token.")] = None,
    mode: Annotated[TransferTimingMode | None, typer.Option(help="Tokens sent; full_prompt.")] = None,
    block_size: Annotated[int | None, typer.Option(help="Tokens of a KV block; 512.")] = None,
    prefix_caching: Annotated[
        bool | None, typer.Option(help="Reuse blocks of prompts that a worker has seen.")
    ] = None,
    prefill: Annotated[
        str | None,
        typer.Option(help="Time of a prefill pass: polynomial (of the reference), fixed:MS or rate:TOK_S."),
    ] = None,
    prefill_chunk_tokens: Annotated[
        int | None, typer.Option(help="Most tokens of a prefill pass; 8192.")
    ] = None,
    decode_step_ms: Annotated[
        float | None,
        typer.Option(help="Time of a decode step; 1e-6 at level fifo, the reference's polynomial at engine."),
    ] = None,
    pool_blocks: Annotated[
        int | None, typer.Option(help="KV blocks of each worker at level engine; 200000.")
    ] = None,
    max_sequences: Annotated[
        int | None,
        typer.Option(help="Sequences of a pass at level engine, 256; room on a decode worker at fifo, any."),
    ] = None,
    order: Annotated[
        Literal["source_first", "destination_first"] | None,
        typer.Option(help="Prefill before room is reserved on the decode worker, or after; source_first."),
    ] = None,
    contention: Annotated[
        Literal["none", "fifo", "fair"] | None,
        typer.Option(help="Transfers of one link ignore each other, queue, or share it at all times; none."),
    ] = None,
    scope: Annotated[
        Literal["source", "destination", "shared"] | None,
        typer.Option(help="One link a prefill worker, a decode worker, or one for all; source."),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(help="Requests in flight, each followed by the next as it ends; else as they arrive."),
    ] = None,
    rate: Rate = None,
    at_once: AtOnce = False,
    output_tokens: OutputTokens = None,
    time_unit: TimeUnit = None,
    decimal: Decimal = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE=COLUMN,...",
            help="Columns of a file of any other format: arrival, input_tokens, output_tokens, hash_ids.",
        ),
    ] = None,
    skip_bad_rows: SkipBadRows = False,
    out: Annotated[Path | None, typer.Option(help="File of one record a request: .csv or .parquet.")] = None,
    perfetto: Annotated[
        Path | None, typer.Option(help="Chrome trace JSON for Perfetto: workers as tracks.")
    ] = None,
    measured: Annotated[
        bool, typer.Option("--measured", help="Set the times that the file measured beside the replay's.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Replay a request trace, and say what every request waited for.

    With --scenario the level, contention, scope, prefix caching and concurrency are its traffic's where left
    out, and the figures on top are those of its selected row.
    """
    from aisim_model.study.records import ending_of, write_records

    if out is not None:
        ending_of(out)
    of_deployment = {
        "prefill_workers": prefill_workers,
        "decode_workers": decode_workers,
        "aggregated_workers": aggregated_workers,
        "bandwidth_gb_s": bandwidth_gb_s,
        "kv_bytes_per_token": kv_bytes_per_token,
        "mode": mode,
        "block_size": block_size,
        "prefill_chunk_tokens": prefill_chunk_tokens,
        "pool_blocks": pool_blocks,
        "max_sequences": max_sequences,
        "order": order,
    }
    of_traffic = {
        "level": level,
        "contention": contention,
        "scope": scope,
        "prefix_caching": prefix_caching,
        "concurrency": concurrency,
    }
    if scenario is None:
        run = _on_one(config_of({**of_deployment, **of_traffic}, prefill, decode_step_ms))
    else:
        check_no_deployment({**of_deployment, "prefill": prefill, "decode_step_ms": decode_step_ms})
        run = _on_rows(scenario.read(), scenario.name, of_traffic)
    requests, report = read_requests(
        trace,
        rate=rate,
        at_once=at_once,
        output_tokens=output_tokens,
        closed=concurrency is not None,
        time_unit=time_unit,
        decimal=decimal,
        columns=mapped_columns(columns),
        skip_bad_rows=skip_bad_rows,
    )
    results, figures = run(requests)
    if out is not None:
        write_records(out, results, report.rows_left_out)
    if perfetto is not None:
        from aisim_model.study.perfetto import write_chrome_trace

        write_chrome_trace(perfetto, results)
    found = {**_about(report), **figures}
    if measured:
        found["measured"] = _beside(trace, requests, results)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _beside(path: Path, requests: Trace, results: Mapping[str, ReplayResult]) -> list[dict[str, Any]]:
    """Say how far the times that a file measured are from those of its replays."""
    from aisim_model.traces.measured import read_run
    from aisim_model.traffic.measured import compare_run
    from aisim_ui.sentences.measured import off_sentence

    run = read_run(path)
    if not np.array_equal(run.trace.source_rows, requests.source_rows):
        raise InputError(
            "measured", path.name, "is set beside a replay of all its rows alone", "Leave windows out."
        )
    return [
        {"deployment_id": row, **vars(off), "sentence": off_sentence(off)}
        for row, result in results.items()
        for off in compare_run(run, result)
    ]


def _on_one(config: ReplayConfig) -> Run:
    """Return what replays a trace on the deployment of the options."""

    def run(trace: Trace) -> tuple[dict[str, ReplayResult], dict[str, Any]]:
        from aisim_model.traffic.checked import checked_replay
        from aisim_model.traffic.figures import replay_figures

        result = _stoppable(lambda progress: checked_replay(trace, config, progress))
        unknown = not config.aggregated and not config.bandwidth_gb_s
        notes = ["No delay is known at a bandwidth of 0: transfers take no time."] if unknown else []
        return {"": result}, {**_size(trace), **_told(replay_figures(result).record()), "notes": notes}

    return run


def _on_rows(content: bytes, name: str, given: Mapping[str, Any]) -> Run:
    """Return what replays a trace on the rows of a scenario file."""
    from aisim_model.scenario.file import read_scenario
    from aisim_model.traffic.scenario_replay import asked_trace, replay_scenario

    scenario = read_scenario(content, name)
    chosen = {field: value for field, value in given.items() if value is not None}
    asked = scenario.changed(traffic=scenario.traffic.changed(**chosen))

    def run(trace: Trace) -> tuple[dict[str, ReplayResult], dict[str, Any]]:
        taken, warnings = asked_trace(trace, asked.traffic)
        outcomes = _stoppable(lambda progress: list(replay_scenario(asked, taken, progress)))
        refusals = [outcome.refused.rstrip(".") for outcome in outcomes if outcome.refused]
        if len(refusals) == len(outcomes):
            problem = f"has no row that can carry this trace: {refusals[0]}"
            raise InputError("scenario", name, problem)
        rows = [_told(outcome.record(), asked.workload.ttft_slo_ms) for outcome in outcomes]
        top = next((row for row in rows if row["deployment_id"] == asked.selected_id), rows[0])
        results = {outcome.row.id: outcome.result for outcome in outcomes if outcome.result is not None}
        return results, {**_size(taken), "warnings": list(warnings), **top, "deployments": rows}

    return run


def _told(row: dict[str, Any], slo_ms: float | None = None) -> dict[str, Any]:
    """Add to a row's figures the verdict in words."""
    from aisim_ui.sentences.replay import verdict

    if "refused" in row:
        return row
    p99_ms = row["ttft_ms"] and row["ttft_ms"]["p99"]
    head, rest = verdict(row["bottleneck"], row["offered_load"], row["slowest_wait_ms"], p99_ms, slo_ms)
    return {**row, "verdict": f"{head}: {rest}."}


def _stoppable(work: Callable[[Progress], Found]) -> Found:
    """Work in another thread, so that Ctrl-C reaches this one while compiled code runs."""
    from aisim_model.replay import Progress

    progress = Progress()
    with ThreadPoolExecutor(1) as beside:
        try:
            return beside.submit(work, progress).result()
        except KeyboardInterrupt:
            progress.stop()
            print("\naisim: stopped; nothing was written.", file=sys.stderr)
            raise typer.Exit(STOPPED) from None


def _size(trace: Trace) -> dict[str, Any]:
    return {
        "rows": len(trace),
        "span_s": trace.span_s,
        "total_input_tokens": trace.total_input_tokens,
        "total_output_tokens": trace.total_output_tokens,
    }


def _about(report: TraceReport) -> dict[str, Any]:
    """Say how a trace was read."""
    return {
        "trace": report.name,
        "format": report.format_id,
        "time_unit": report.time_unit,
        "rows_left_out": report.rows_left_out,
        "trace_notes": list(report.notes),
        "model_version": MODEL_VERSION,
    }


def _print(found: Mapping[str, Any]) -> None:
    """Say in lines what was read, how long requests took, and what they waited for."""
    print(
        f"{found['trace']}: {found['rows']:,} requests in {found['span_s']:,.6g} s, "
        f"{found['total_input_tokens']:,} prompt tokens, {found['rows_left_out']:,} faulty rows left out "
        f"({found['format']}, times in {found['time_unit']})"
    )
    for note in (*found["trace_notes"], *found.get("warnings", ())):
        print(f"  {note}")
    for row in found.get("deployments", [found]):
        if name := row.get("deployment"):
            print(f"\n{name}")
        if "refused" in row:
            print(row["refused"])
            continue
        print_table(
            [
                {"ms": name, **{key: round(value, 3) for key, value in row[name].items()}}
                for name in SHOWN
                if row[name] is not None
            ]
        )
        if row["offered_gb_s"] is not None:
            print(f"offered load {row['offered_gb_s']:,.4g} GB/s")
        if row["carried"] is not None:
            loads = ", ".join(f"{name} {load:.0%}" for name, load in row["offered_load"].items())
            able = "can be" if row["carried"] else "can't be"
            print(f"{able} carried: asked of what each can do, {loads}")
        for note in row["notes"]:
            print(f"  {note}")
        print(row["verdict"])
        for off in found.get("measured", ()):
            if off["deployment_id"] == row.get("deployment_id", ""):
                print(off["sentence"])
