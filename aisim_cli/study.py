"""`aisim study`: every row of a scenario on every one of many traces, past one machine if need be."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aisim_cli.output import print_columns, print_json
from aisim_cli.replay_options import Decimal, SkipBadRows, TimeUnit
from aisim_cli.sharing import shared_over

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aisim_model.scenario.traffic import Traffic
    from aisim_model.study.part import StudyTrace

STOPPED = 130


def study(
    scenario: Annotated[
        typer.FileBinaryRead, typer.Argument(help="A scenario, YAML or JSON; - is standard input.")
    ],
    traces: Annotated[list[Path], typer.Argument(metavar="TRACE...", help="Request traces.")],
    out: Annotated[Path, typer.Option(help="Folder of results; a run that was interrupted goes on in it.")],
    workers: Annotated[int | None, typer.Option(help="Processes to share the work.")] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A dask scheduler to share the work.")
    ] = None,
    time_unit: TimeUnit = None,
    decimal: Decimal = None,
    skip_bad_rows: SkipBadRows = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list, one object a replay.")] = False,
) -> None:
    """Replay every trace on every row of a scenario, as its traffic says.

    The folder gets a Parquet file of records for each pair, and summary.csv. What is there already is kept.
    """
    from concurrent.futures import ThreadPoolExecutor

    from aisim_model.compare.columns import STUDY_COMMAND
    from aisim_model.scenario.file import read_scenario
    from aisim_model.study import run_study
    from aisim_ui.exports import neutral

    executor = shared_over(workers, dask) or ThreadPoolExecutor(1)
    asked = read_scenario(scenario.read(), scenario.name)
    how = {"time_unit": time_unit, "decimal": decimal, "skip_bad_rows": skip_bad_rows}
    requests = list(_read(traces, asked.traffic, how))
    told = partial(_told, slo_ms=asked.workload.ttft_slo_ms)
    with typer.progressbar(length=1, label="Study", file=sys.stderr) as bar:

        def progress(done: int, parts: int) -> None:
            bar.length = parts
            bar.update(done - bar.pos)

        try:
            with executor as sharing:
                rows = run_study(asked, requests, out, sharing, progress, neutral, told)
        except KeyboardInterrupt:
            print(f"\naisim: stopped; {out} keeps what is done.", file=sys.stderr)
            raise typer.Exit(STOPPED) from None
    if as_json:
        print_json(rows)
    else:
        print_columns(
            STUDY_COMMAND, [{**row, "bottleneck": row["refused"] or row["bottleneck"]} for row in rows]
        )


def _read(traces: Iterable[Path], traffic: Traffic, how: dict[str, Any]) -> Iterable[StudyTrace]:
    from aisim_model.study.part import StudyTrace
    from aisim_model.traces import read_trace
    from aisim_model.traffic.scenario_replay import asked_trace

    for file in traces:
        trace, report = read_trace(file, **how)
        yield StudyTrace(asked_trace(trace, traffic)[0], report.rows_left_out)


def _told(row: dict[str, Any], slo_ms: float) -> dict[str, Any]:
    """Add to a row of the summary the verdict in words."""
    from aisim_ui.sentences.replay import verdict

    if row["refused"]:
        return row

    def group(name: str, unit: str = "") -> dict[str, float]:
        parts = {
            key.removeprefix(f"{name}_"): value for key, value in row.items() if key.startswith(f"{name}_")
        }
        return {f"{part.removesuffix(unit)}{unit}": value for part, value in parts.items()}

    loads, waits = group("offered_load"), group("slowest_wait", "_ms")
    head, rest = verdict(row["bottleneck"], loads, waits, row.get("ttft_p99_ms"), slo_ms)
    return {**row, "verdict": f"{head}: {rest}."}
