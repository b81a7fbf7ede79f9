"""A page as one HTML file that stands alone: answer, numbers, charts, tables and the scenario behind them.

Nothing in it is loaded from elsewhere, and whatever came from outside is shown as text.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
import plotly.io
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

if TYPE_CHECKING:
    import pandas as pd

# what a browser holds the file to: no address but its own content
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
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
    drawn = [_part(at, part) for at, part in enumerate(parts)]
    library = f"<script>{get_plotlyjs()}</script>" if any(isinstance(part, Chart) for part in parts) else ""
    title = html.escape(f"AISim handoff planner: {page}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_style(mode)}</style>{library}</head><body><h1>{title}</h1>"
        f"{''.join(drawn)}{_scenario(scenario)}"
        f'<p>Model version {MODEL_VERSION}. <a href="{html.escape(link)}">Open this page again</a>.</p>'
        f"</body></html>\n"
    )


def _part(at: int, part: Part) -> str:
    match part:
        case str():
            return f'<p class="answer">{_inline(part)}</p>'
        case Chart():
            return _chart(at, part)
        case Table():
            return f"<h2>{html.escape(part.title)}</h2>{_table(part.data)}"
    return "<dl>" + "".join(_number(one) for one in part) + "</dl>"


def _number(one: Number) -> str:
    label, value, beside, how = (html.escape(text) for text in (one.label, one.value, one.beside, one.how))
    return f"<div><dt>{label}</dt><dd><b>{value}</b><br>{beside}<br><small>{how}</small></dd></div>"


def _inline(text: str) -> str:
    """Turn the little Markdown of an answer into HTML: bold, badges, and signs that were escaped."""
    found, at, bold = [], 0, False
    for mark in MARKS.finditer(text):
        found.append(html.escape(text[at : mark.start()]))
        at = mark.end()
        if mark["strong"]:
            bold = not bold
            found.append("<b>" if bold else "</b>")
        else:
            found.append(html.escape(mark["text"] or mark["label"] or ""))
    return "".join(found) + html.escape(text[at:]) + ("</b>" if bold else "")


def _chart(at: int, part: Chart) -> str:
    # "<" can't end the script when it is written as an escape
    figure = str(plotly.io.to_json(part.figure)).replace("<", "\\u003c")
    config = json.dumps(chart_config(part.title, "svg"))
    return (
        f'<div id="chart-{at}" role="img" aria-label="{html.escape(part.title)}"></div><script>{{'
        f"const {{data, layout}} = {figure}; Plotly.newPlot('chart-{at}', data, layout, {config});}}</script>"
    )


def _table(data: pd.DataFrame | Columns) -> str:
    import pandas as pd  # slow to import, and the first page opens without

    written = pd.DataFrame(data).to_html(index=False, border=0, na_rep="", float_format=_number_text)
    return f'<div class="wide">{written}</div>'


def _number_text(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.6g}"


def _scenario(scenario: Scenario) -> str:
    """Write a scenario out: the workload, a column a deployment, what is looked at and what is replayed."""
    rows = {"Deployment": [_title(Deployment, name) for name in Deployment.model_fields]}
    for number, row in enumerate(scenario.deployments, start=1):
        rows[f"{number}"] = [value for _, value in _values(row)]
    parts = (
        _listed("Workload", _values(scenario.workload)),
        _table(rows),
        _listed("Explore", _explored(scenario.explore)),
        _listed("Traffic", _replayed(scenario.traffic)),
    )
    return f"<h2>Scenario</h2>{''.join(parts)}"


def _listed(name: str, pairs: Sequence[tuple[str, str]]) -> str:
    return _table({name: [title for title, _ in pairs], "Value": [value for _, value in pairs]})


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


def _style(mode: Mode) -> str:
    surface = SURFACES[mode]
    return (
        f"body{{font-family:{FONT};background:{surface.background};color:{surface.text};"
        "max-width:1100px;margin:2rem auto;padding:0 1rem;line-height:1.45}"
        "h1{font-size:1.1rem}h2{font-size:1rem;margin-top:2rem}.answer{font-size:1.35rem}"
        "dl{display:flex;flex-wrap:wrap;gap:1.5rem}dl>div{flex:1 1 14rem}dd{margin:0}dd b{font-size:1.4rem}"
        f"dt,small{{color:{surface.quiet}}}a{{color:inherit}}"
        ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;margin:.5rem 0}"
        f"th,td{{text-align:left;padding:.25rem .6rem;border-bottom:1px solid {surface.grid};"
        "white-space:nowrap}"
    )
