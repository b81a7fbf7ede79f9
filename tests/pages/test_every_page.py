"""Every page with every worked scenario, and with a scenario at its edges: no exception, an answer on top."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from aisim_model.models.spec import ModelSpec
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.planning import Planning
from aisim_model.scenario.presets import SCENARIOS
from aisim_ui.navigation import PAGES
from aisim_ui.state import KEY

FILES = [f"pages/{entry['page'].name}" for entry in PAGES]


def shown(app: AppTest, scenario: Scenario, file: str) -> AppTest:
    if file == "pages/plan.py":  # fewer layouts are as good a page
        scenario = scenario.changed(plan=Planning(gpus=2, prefill_tp=1, chunk_tokens=8192))
    app.session_state[KEY].scenario = scenario
    app.switch_page(file).run()
    assert not app.exception
    return app


def charts(app: AppTest) -> list[dict[str, Any]]:
    """Return the figures of a page; none holds what JSON has no word for."""
    return [json.loads(chart.proto.spec, parse_constant=pytest.fail) for chart in app.get("plotly_chart")]


def edge(**values: Any) -> Deployment:
    return Deployment.model_validate({"id": "edge", "name": "Edge", **values})


EDGES = {
    "no bandwidth": [edge(bandwidth_gb_s=0)],
    "almost no bandwidth": [edge(bandwidth_gb_s=1e-6)],
    "endless bandwidth": [edge(bandwidth_gb_s=1e6)],
    "only aggregated": [edge(kind="aggregated")],
    "no bytes": [edge(kv_bytes_per_token=0)],
    "no time at all": [
        edge(
            prefill_model="fixed",
            prefill_pass_ms=0,
            decode_model="fixed",
            decode_step_ms=0,
            kv_bytes_per_token=0,
        )
    ],
    "does not fit": [edge(gpu="l40s", prefill_tp=1, decode_tp=1)],
    "does not fit, reference decode": [
        edge(gpu="l40s", prefill_tp=1, decode_tp=1, decode_model="polynomial")
    ],
    "forty rows": [edge(id=f"row-{n}", name=f"Row {n}", color=n) for n in range(40)],
    "names as long as they come": [edge(name="W" * 60), edge(id="second", name="<b>" * 20)],
    "every rival": [
        edge(
            link_model="calibrated",
            alpha_ms=2,
            per_descriptor_us=1,
            overlap="chunk",
            first_token_from="prefill",
            prefill_model="table",
            prefill_table=((128, 20), (8192, 170)),
        )
    ],
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_worked_scenario_is_answered_on_every_page(app: AppTest, name: str) -> None:
    prompt = f"{SCENARIOS[name].workload.prompt_tokens:,}"
    for file in FILES:
        shown(app, SCENARIOS[name], file)
        assert len(charts(app)) <= 3
        assert app.markdown[0].value
        assert app.sidebar.text_input(key="side.box.workload.prompt_tokens").value == prompt, file


@pytest.mark.parametrize("name", EDGES)
def test_a_scenario_at_its_edge_is_answered_on_every_page(app: AppTest, name: str) -> None:
    rows = tuple(EDGES[name])
    scenario = Scenario(deployments=rows, selected_id=rows[0].id, baseline_id=rows[0].id)
    for file in FILES:
        charts(shown(app, scenario, file))


@pytest.mark.parametrize("tokens", [1, 10_000_000])
def test_the_shortest_and_the_longest_prompt_are_answered_on_every_page(app: AppTest, tokens: int) -> None:
    for file in FILES:
        charts(shown(app, Scenario().with_workload(prompt_tokens=tokens, output_tokens=1_000_000), file))


@pytest.mark.parametrize("model", ["roofline", "simple_roofline", "polynomial"])
def test_whatever_a_page_shows_on_demand_is_answered(app: AppTest, model: str) -> None:
    scenario = Scenario().with_row(Scenario().selected_id, prefill_model=model, decode_model=model)
    for file in FILES:
        shown(app, scenario, file)
        for key in [toggle.key for toggle in app.main.toggle]:
            app.toggle(key=key).set_value(True).run()
            assert not app.exception, (file, key)


def test_a_model_of_unknown_size_is_a_sentence_where_it_would_be_timed(app: AppTest) -> None:
    spec = Scenario().workload.served
    values = {"total_parameters": None, "active_parameters": None, "parameters_from": "no vocabulary"}
    unknown = ModelSpec.model_validate({**dict(spec), **values})
    for file in FILES:
        shown(app, Scenario().with_workload(model=unknown), file)
        assert all("no vocabulary" in error.value for error in app.error), file
        if file.endswith(("handoff.py", "deployments.py")):
            assert app.error, file
        if file.endswith("model.py"):
            assert not app.error


def test_handoff_opens_on_the_example(app: AppTest) -> None:
    assert not app.exception
    assert "**The handoff adds 16 ms**" in app.markdown[0].value or any(
        "**The handoff adds 16 ms**" in one.value for one in app.markdown
    )
    assert [metric.label for metric in app.metric] == [
        "Added by the handoff",
        "TTFT",
        "Bandwidth needed",
        "Bottleneck",
    ]
    assert app.metric[0].delta == "3,145,728,000 bytes"
    titles = [chart["layout"]["title"]["text"] for chart in charts(app)]
    assert titles == ["TTFT by part: one request, idle system", "Handoff delay over prompt length"]
