"""What each surface says of a scenario's rows, by the name of the quantity."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from hypothesis import assume

from aisim_cli.replay import replay
from aisim_cli.solve import Sought, solve
from aisim_cli.sweep import sweep
from aisim_cli.ttft import ttft
from aisim_model.errors import InputError
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Scenario
from aisim_ui.exports import csv_bytes, finite
from aisim_ui.report import Table, report_html

Row = dict[str, Any]


def modelled(scenario: Scenario) -> Scenario:
    """Return a scenario with those of its rows that the model can time."""

    def timed(row: Deployment) -> bool:
        try:
            resolve(scenario.workload, row)
        except InputError:
            return False
        return True

    rows = tuple(filter(timed, scenario.deployments))
    assume(rows)
    return scenario.changed(deployments=rows, selected_id=rows[0].id, baseline_id=rows[-1].id)


def of_file(command: Callable[[Path], None], scenario: Scenario, folder: Path) -> Any:
    """Run a subcommand on a scenario's file, and return the JSON that it prints."""
    file, out = folder / "scenario.json", io.StringIO()
    file.write_text(json.dumps(scenario.model_dump(mode="json")), encoding="utf-8")  # all else escaped
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        command(file)
    return json.loads(out.getvalue())


def ttft_command(scenario: Scenario, folder: Path) -> list[Row]:
    found: list[Row] = of_file(lambda file: ttft(file, as_json=True), scenario, folder)
    return found


def ttft_csv(scenario: Scenario, folder: Path) -> list[Row]:
    table = folder / "ttft.csv"
    of_file(lambda file: ttft(file, csv=table, as_json=True), scenario, folder)
    return read_csv(table.read_bytes())


def solve_command(scenario: Scenario, folder: Path, sought: Sought) -> list[Row]:
    found: list[Row] = of_file(lambda file: solve(file, sought, as_json=True), scenario, folder)
    return found


def sweep_command(scenario: Scenario, folder: Path, vary: str) -> list[Row]:
    points = folder / "sweep.csv"
    of_file(lambda file: sweep(file, [vary], points, as_json=True), scenario, folder)
    return read_csv(points.read_bytes())


def replay_command(scenario: Scenario, folder: Path, trace: Path) -> list[Row]:
    def run(file: Path) -> None:
        with file.open("rb") as stream:
            replay(trace, scenario=stream, as_json=True)

    found: list[Row] = of_file(run, scenario, folder)["deployments"]
    return found


def page_csv(columns: dict[str, list[Any]]) -> list[Row]:
    """Return what the CSV of a page's table holds."""
    return read_csv(csv_bytes(columns))


def read_csv(content: bytes) -> list[Row]:
    """Read a CSV back, each cell as what it is."""
    lines = csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""))
    return [{name: _value(cell) for name, cell in row.items()} for row in lines]


def _value(cell: str) -> Any:
    if cell.lower() in ("", "true", "false"):
        return {"": None, "true": True, "false": False}[cell.lower()]
    try:
        return float(cell)
    except ValueError:
        return cell


def report_rows(columns: dict[str, list[Any]], scenario: Scenario) -> list[dict[str, str]]:
    """Return the cells of a table as the report writes them."""
    page = report_html("Handoff", [Table("deployments", columns)], scenario, "", "light")
    body = page.split("<tbody>", 2)[1].split("</tbody>")[0]
    cells = [
        [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row, re.DOTALL)]
        for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    ]
    return [dict(zip(columns, row, strict=True)) for row in cells]


def same(left: Row, right: Row, names: Sequence[str]) -> None:
    """Compare to the last bit; NaN, infinity and nothing are one, since JSON has no word for them."""
    pairs = {name: (finite(left[name]), finite(right[name])) for name in names}
    differ = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    assert not differ, differ
