"""A page as one HTML file that stands alone: answer, numbers, charts, tables and the scenario behind them.

Nothing in it is loaded from elsewhere, and whatever came from outside is shown as text: the template
`report.html.jinja` escapes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import plotly.io
from markupsafe import Markup
from plotly.offline import get_plotlyjs
from pydantic import BaseModel

from aisim_model import MODEL_VERSION
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.explore import Explore
from aisim_model.scenario.traffic import Traffic
from aisim_ui.charts.mode_bar import chart_config
from aisim_ui.columns import Columns
from aisim_ui.sentences.number import Number
from aisim_ui.theme import FONT, SURFACES, Mode

MARKS = re.compile(r"\\(?P<text>.)|(?P<strong>\*\*)|(?P<badge>:\w+-badge\[(?P<label>[^\]]*)\])", re.DOTALL)


@dataclass(frozen=True)
class Chart:
    """A chart as it was drawn."""

    title: str
    figure: go.Figure


@dataclass(frozen=True)
class Table:
    """A table with its exact values."""

    title: str
    data: pd.DataFrame | Columns


Part = str | tuple[Number, ...] | Chart | Table


def report_html(page: str, parts: Sequence[Part], scenario: Scenario, link: str, mode: Mode) -> str:
    """Write a page as a file.

    Parameters
    ----------
    page : str
        Its name.
    parts : sequence of str, tuple of Number, Chart or Table
        What it shows, in order; a text is the answer, in the Markdown of `sentences`.
    scenario : Scenario
        What it was asked.
    link : str
        Where it can be opened again.
    mode : {"light", "dark"}
        Surface that its charts were drawn for.
    """
    import jinja2  # slow to import, and a page opens without

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("aisim_ui", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "cell": _cell,
        "config": lambda chart_title: Markup(json.dumps(chart_config(chart_title, "svg"))),
        "figure": _figure_json,
        "inline": _inline,
        "rows": _rows,
    }
    return environment.get_template("report.html.jinja").render(
        title=f"AISim handoff planner: {page}",
        font=FONT,
        surface=SURFACES[mode],
        library=get_plotlyjs() if any(isinstance(part, Chart) for part in parts) else "",
        parts=[(type(part).__name__, part) for part in parts],
        scenario=_scenario(scenario),
        version=MODEL_VERSION,
        link=link,
    )


def _inline(text: str) -> Markup:
    """Turn the little Markdown of an answer into HTML: bold, badges, and signs that were escaped."""
    found, at, bold = Markup(), 0, False
    for mark in MARKS.finditer(text):
        found += text[at : mark.start()]
        at = mark.end()
        if mark["strong"]:
            bold = not bold
            found += Markup("<b>") if bold else Markup("</b>")
        else:
            found += mark["text"] or mark["label"] or ""
    return found + text[at:] + (Markup("</b>") if bold else "")


def _figure_json(figure: go.Figure) -> Markup:
    # "<" can't end the script when it is written as an escape
    return Markup(str(plotly.io.to_json(figure)).replace("<", "\\u003c"))


def _rows(data: pd.DataFrame | Columns) -> Iterator[tuple[Any, ...]]:
    """Return the rows of a table, None where nothing is known."""
    if isinstance(data, pd.DataFrame):
        return data.astype(object).where(data.notna(), None).itertuples(index=False, name=None)
    return zip(*data.values(), strict=True)


def _cell(value: Any) -> str:
    if value is None or value != value:  # NaN
        return ""
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.6g}"


def _scenario(scenario: Scenario) -> list[Columns]:
    """Write a scenario out: the workload, a column a deployment, what is looked at and what is replayed."""
    rows = {"Deployment": [_title(Deployment, name) for name in Deployment.model_fields]}
    for number, row in enumerate(scenario.deployments, start=1):
        rows[f"{number}"] = [value for _, value in _values(row)]
    return [
        _listed("Workload", _values(scenario.workload)),
        rows,
        _listed("Explore", _explored(scenario.explore)),
        _listed("Traffic", _replayed(scenario.traffic)),
    ]


def _listed(name: str, pairs: Sequence[tuple[str, str]]) -> Columns:
    return {name: [title for title, _ in pairs], "Value": [value for _, value in pairs]}


def _explored(look: Explore) -> list[tuple[str, str]]:
    """List what is looked at, with the ranges of the fields along its axes."""
    ranges = [(f"From, to, scale ({name})", _written(look.ends(name))) for name in look.fields]
    return [*_values(look, without=("ranges",)), *ranges]


def _replayed(traffic: Traffic) -> list[tuple[str, str]]:
    """List where requests come from and how they are replayed, with the file or the rule they come from."""
    found = _values(traffic, without=("file", "synthetic"))
    source = {"file": traffic.file, "synthetic": traffic.synthetic}.get(traffic.source)
    return found if source is None else [*found, *_values(source)]


def _title(model: type[BaseModel], name: str) -> str:
    return f"{model.model_fields[name].title or name} ({name})"


def _values(part: BaseModel, without: Sequence[str] = ()) -> list[tuple[str, str]]:
    model = type(part)
    names = [name for name in model.model_fields if name not in without]
    return [(_title(model, name), _written(getattr(part, name))) for name in names]


def _written(value: Any) -> str:
    if value is None:
        return "open"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return f"{value:,.0f}"
    if isinstance(value, tuple):
        return ", ".join(_written(one) for one in value) or "none"
    return str(getattr(value, "name", value)) if hasattr(value, "model_fields") else str(value)
