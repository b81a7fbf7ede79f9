"""`aisim sweep`: one, two or three fields of a scenario over ranges, into a file of any size."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from aisim_cli.output import print_json
from aisim_cli.scenario_file import SCENARIO_HELP, scenario_from
from aisim_cli.sharing import shared_over
from aisim_model.errors import InputError

STOPPED = 130


def sweep(
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help=SCENARIO_HELP)],
    vary: Annotated[
        list[str],
        typer.Option(
            help="FIELD=LOW:HIGH:log:N, FIELD=LOW:HIGH:lin:N or FIELD=a,b,c. Once, twice or three times."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .csv, .parquet or .arrow.")],
    workers: Annotated[
        int | None,
        typer.Option(help="Processes to share the work; the output is then a folder of Parquet files."),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="A dask scheduler to share the work; the output is a folder of files."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Vary fields of a scenario, across its deployments, into a table of a row a point.

    Columns: deployment_id, deployment, the fields, sent_tokens, wire_bytes, prefill_ms, transfer_ms and
    handoff_ms (what prefill doesn't overlap, without and with orchestration), decode_step_ms, ttft_ms,
    handoff_share, meets_ttft_slo, fits (a row that doesn't fit its GPUs has the link's times alone); under
    load, by arrivals_per_s or requests_in_flight, also loaded_requests_per_s, loaded_ttft_ms, loaded_itl_ms
    and within_slos_share; and model_version. Where decode_step_ms is varied, the step that TTFT has in it is
    ttft_decode_step_ms. Empty is what is not known. Rows come by deployment, then by fields that are looked
    up, such as a GPU, then by the others; the last varies fastest.

    The file has its name once it is whole; an interrupted run leaves none.
    """
    from aisim_model.sweep import swept
    from aisim_model.sweep.write import format_of, write
    from aisim_ui.exports import neutral
    from aisim_ui.sentences.rows import measured_range

    in_parts = workers is not None or dask is not None
    if format_of(output) != ".parquet" and in_parts:
        raise InputError("output", str(output), "must end in .parquet where work is shared", "Name it so.")
    executor = shared_over(workers, dask)
    wanted = swept(scenario_from(scenario), vary)
    for axis in wanted.axes:
        if (asked := getattr(axis, "count", axis.size)) > axis.size:
            print(
                f"{axis.field}: {asked:,} values are {axis.size:,} different whole numbers", file=sys.stderr
            )
    for row in wanted.scenario.deployments:
        if measured := measured_range(row):
            print(f"{row.name}: {measured}.", file=sys.stderr)
    with _stoppable(output), typer.progressbar(length=wanted.points, label="Sweep", file=sys.stderr) as bar:

        def progress(points: int) -> None:
            bar.update(points - bar.pos)

        if executor is None:
            size = write(wanted, output, neutral if output.suffix.lower() == ".csv" else str, progress)
        else:
            from aisim_model.sweep.distributed import write_parts

            with executor as sharing:
                size = write_parts(wanted, output, sharing, progress)
    found = {axis.field: axis.size for axis in wanted.axes}
    if as_json:
        print_json({"output": str(output), "points": wanted.points, "bytes": size, "values": found})
    else:
        counts = " x ".join(f"{count:,} {field}" for field, count in found.items())
        rows = len(wanted.scenario.deployments)
        print(f"{output}: {wanted.points:,} points ({counts} x {rows} deployments), {size:,} bytes")


@contextmanager
def _stoppable(output: Path) -> Iterator[None]:
    """Say that nothing was written where the run is interrupted or terminated."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except KeyboardInterrupt:
        print(f"\naisim: stopped; {output} was not written.", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
    finally:
        signal.signal(signal.SIGTERM, before)
