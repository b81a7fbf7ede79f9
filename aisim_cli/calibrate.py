"""`aisim calibrate`: alpha and bandwidth of a link from measured transfers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from aisim_cli.calibrate_compute import calibrate_compute
from aisim_cli.output import print_json, print_table
from aisim_model.plain_text import printable


def calibrate(
    file: Annotated[
        typer.FileBinaryRead,
        typer.Argument(
            metavar="FILE",
            help="CSV of bytes (or tokens) and milliseconds, a vLLM log, or a benchmark's result file; - is "
            "standard input.",
        ),
    ],
    kv_bytes_per_token: Annotated[
        float | None, typer.Option(help="KV bytes of one token on the wire; needed where sizes are tokens.")
    ] = None,
    tensor_parallel: Annotated[
        int | None,
        typer.Option(help="Ranks of a handoff; needed for a vLLM log, whose figures are per rank."),
    ] = None,
    lanes: Annotated[float, typer.Option(help="Links that a transfer used side by side.")] = 1.0,
    scenario: Annotated[
        Path | None, typer.Option(help="Runs of a benchmark: the scenario whose row was measured.")
    ] = None,
    row: Annotated[str | None, typer.Option(help="Its row; the selected one.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Runs: write the scenario with the fitted row.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Fit a link to measured transfers, or a row's passes to runs of a benchmark.

    Transfers give a start-up cost and a bandwidth, by relative error. Runs (vllm bench serve, SGLang, AIPerf,
    GuideLLM, InferenceX, or a table of prompt, output, concurrency or rate, ttft_ms, tpot_ms) give the floor,
    the efficiencies and the MFU of a row of --scenario.
    """
    from aisim_model import calibration
    from aisim_model.calibration.benchmark_runs import is_benchmark

    source = file.read()
    if is_benchmark(source):
        calibrate_compute(source, scenario, row, output, as_json)
        return
    measurements = calibration.read_measurements(
        source, kv_bytes_per_token=kv_bytes_per_token, tensor_parallel=tensor_parallel
    )
    found = summary(calibration.calibrate(measurements, lanes))
    if as_json:
        print_json(found)
    else:
        print_table(lines(found), header=False)
        for message in found["messages"]:
            print(printable(message))


def summary(fitted: Any) -> dict[str, Any]:
    """Return a fit as plain values: what is fitted, how well it is known, and every row."""
    given = fitted.measurements
    columns = {
        "row": given.rows,
        "bytes": given.bytes_sent,
        "milliseconds": given.milliseconds,
        "predicted_ms": fitted.predicted_ms,
        "relative_error": fitted.relative_error,
        "weight": fitted.weight,
    }
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    rows = [dict(zip(columns, row, strict=True)) for row in values]
    return {**fitted_values(fitted), "rows": rows, "messages": fitted.messages}


def fitted_values(fitted: Any) -> dict[str, Any]:
    """Return what is fitted and how well it is known, as plain values."""
    told = fitted.calibration
    return {
        "alpha_ms": told.alpha_ms,
        "alpha_ms_interval": fitted.alpha_ms_interval,
        "bandwidth_gb_s": told.bandwidth_gb_s,
        "bandwidth_gb_s_interval": fitted.bandwidth_gb_s_interval,
        "per_descriptor_us": told.per_descriptor_us,
        "per_descriptor_us_interval": fitted.per_descriptor_us_interval,
        "counted": told.counted,
        "max_relative_error": fitted.max_relative_error,
        "max_leave_one_out_error": fitted.max_leave_one_out_error,
    }


def lines(found: dict[str, Any]) -> list[dict[str, str]]:
    """Say a fit in lines for a person: what, its value, its interval."""
    names = ["alpha_ms", "bandwidth_gb_s"]
    if found["per_descriptor_us_interval"] or found["per_descriptor_us"]:
        names.append("per_descriptor_us")
    said = {name: f"{found[name]:.4g}{_between(found[f'{name}_interval'])}" for name in names}
    if "per_descriptor_us" in said and found["counted"] == "blocks":
        said["per_descriptor_us"] += ", of a block"
    said["max_relative_error"] = f"{found['max_relative_error']:.4g} over {len(found['rows'])} rows"
    return [{"name": name, "value": value} for name, value in said.items()]


def _between(interval: tuple[float, float] | None) -> str:
    return f"  (95%: {interval[0]:.4g} to {interval[1]:.4g})" if interval else ""
