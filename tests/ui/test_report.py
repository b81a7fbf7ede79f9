"""A page as a file: whole, exact, loading nothing, and safe against whatever a name holds."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from aisim_model import MODEL_VERSION
from aisim_model.compare.table import compare, table
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.scenario.explore import Explore
from aisim_model.scenario.traffic import SyntheticRule, TraceFile, Traffic
from aisim_ui.charts.ttft_bars import ttft_bars
from aisim_ui.report import Chart, Table, report_html
from aisim_ui.sentences.handoff import numbers, sentence

LINK = "http://localhost:8501/?v=1&s=abc"
HOSTILE = '</script><script>alert(1)</script><img src="http://192.0.2.1/x.png">'


class Tags(HTMLParser):
    """Collects what a browser would load, and the scripts that it would run."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.tags: list[str] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loaded += [value or "" for name, value in attrs if name in ("src", "srcset", "data", "poster")]
        if tag == "link":
            self.loaded.append(tag)

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "script" and data.strip():
            self.scripts.append(data)


def made(scenario: Scenario) -> str:
    outcomes = compare(scenario)
    found = table(scenario, outcomes)
    colors = [row.color for row in scenario.deployments]
    figure = ttft_bars(found, colors, scenario.selected_id, scenario.workload.ttft_slo_ms, "light")
    selected = next(one for one in outcomes if one.row.id == scenario.selected_id)
    parts = (
        sentence(selected, scenario.workload),
        numbers(selected, scenario.workload),
        Chart("TTFT by part", figure),
        Chart("The same again", figure),
        Table("deployments", found),
    )
    return report_html("Handoff", parts, scenario, LINK, "light")


@pytest.fixture(scope="module")
def example() -> str:
    return made(Scenario())


def test_it_holds_the_answer_its_numbers_and_the_link(example: str) -> None:
    assert "<b>The handoff adds 16 ms</b>, 2.6% of TTFT" in example
    assert "3,145,728,000 bytes" in example
    assert f"Model version {MODEL_VERSION}" in example
    assert 'href="http://localhost:8501/?v=1&amp;s=abc"' in example


def test_plotly_is_in_it_once_and_nothing_is_loaded(example: str) -> None:
    tags = Tags()
    tags.feed(example)
    assert sum(len(script) > 1_000_000 for script in tags.scripts) == 1
    assert sum("Plotly.newPlot(" in script and len(script) < 1_000_000 for script in tags.scripts) == 2
    assert tags.loaded == []
    outside = re.sub(r"<script>.*?</script>", "", example, flags=re.DOTALL)
    assert not re.search(r"url\(|@import|http-equiv=.refresh", outside)
    assert "default-src 'none'" in outside


def test_no_button_sends_a_chart_anywhere(example: str) -> None:
    for config in re.findall(r"layout, (\{.*?\})\);\}</script>", example):
        assert "sendChartToCloud" in json.loads(config)["modeBarButtonsToRemove"]
        assert json.loads(config)["displaylogo"] is False


def test_its_table_has_whole_numbers_whole_and_others_to_six_digits(example: str) -> None:
    assert "<td>15.7286</td>" in example
    assert "<td>3,145,728,000</td>" in example


def test_every_value_of_the_scenario_is_in_it(example: str) -> None:
    for model in (Workload, Deployment):
        for name in model.model_fields:
            assert f"({name})" in example
    assert "<td>12,000</td>" in example
    assert "<td>roce-100</td>" in example


def cells(page: str) -> dict[str, str]:
    """Return the tables of two columns: what stands beside each title."""
    return dict(re.findall(r"<tr>\s*<td>([^<]*)</td>\s*<td>([^<]*)</td>\s*</tr>", page))


def test_what_explore_and_traffic_were_asked_is_in_it(example: str) -> None:
    found = cells(example)
    for model, left_out in ((Explore, {"ranges"}), (Traffic, {"file", "synthetic"})):
        for name in set(model.model_fields) - left_out:
            assert any(title.endswith(f"({name})") for title in found), name
    assert found["From, to, scale (prompt_tokens)"] == "128, 131,072, log"
    assert found["Prefix caching (prefix_caching)"] == "yes"
    assert "(requests_per_s)" not in example  # of a rule that made nothing here


def test_the_source_of_its_traffic_is_written_out() -> None:
    file = TraceFile(name="<i>.csv", sha256="0" * 64, rows=12, columns=(("arrival", "when"),))
    rows = Traffic(source="file", file=file, deployment_ids=("split-400g", "split-fp8"))
    found = cells(report_html("x", (), Scenario().changed(traffic=rows), LINK, "light"))
    assert (found["rows (rows)"], found["columns (columns)"]) == ("12", "arrival, when")
    assert found["name (name)"] == "&lt;i&gt;.csv"
    assert found["Deployments (deployment_ids)"] == "split-400g, split-fp8"
    made = Scenario().changed(traffic=Traffic(source="synthetic", synthetic=SyntheticRule(seed=7)))
    found = cells(report_html("x", (), made, LINK, "light"))
    assert (found["Requests (requests)"], found["Seed (seed)"]) == ("2,000", "7")


def test_a_hostile_name_is_text_everywhere() -> None:
    scenario = Scenario().with_row("split-400g", name=HOSTILE[:60], bandwidth_gb_s=0)
    tags = Tags()
    tags.feed(made(scenario))
    assert "img" not in tags.tags
    assert tags.tags.count("script") == 3  # the library and two charts
    assert not any(script.startswith("alert") for script in tags.scripts)


def test_a_page_without_charts_needs_no_library() -> None:
    text = report_html("Method", (), Scenario(), LINK, "dark")
    assert "<script" not in text
    assert "#10161D" in text


def test_the_same_page_is_the_same_file(example: str) -> None:
    assert made(Scenario()) == example


def test_bold_and_badges_of_an_answer_are_html() -> None:
    text = report_html("x", (r"**a \*b\* <c>** :green-badge[measured] d\_e",), Scenario(), LINK, "light")
    assert '<p class="answer"><b>a *b* &lt;c&gt;</b> measured d_e</p>' in text
