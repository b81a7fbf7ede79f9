"""The Plan page: an answer on opening, inputs move it, a layout opens elsewhere, the best are replayed."""

from __future__ import annotations

import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from aisim_model.plan import recommend
from aisim_model.plan.space import planned
from aisim_model.scenario import Scenario
from aisim_model.scenario.planning import Planning
from aisim_ui import share
from aisim_ui.state import KEY
from tests.pages.conftest import APP

SMALL = Planning(gpus=4, weight_format="bf16", kv_dtype="bf16", chunk_tokens=8192)


def opened(scenario: Scenario) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params[share.PARAMETER] = share.packed(scenario)
    app.run()
    assert not app.exception
    return app


@pytest.fixture
def plan() -> AppTest:
    return opened(Scenario(plan=SMALL).with_workload(arrivals_per_s=0.5))


def said(app: AppTest) -> str:
    return str(app.main.markdown[0].value)


def test_the_app_opens_on_a_plan_of_the_public_example() -> None:
    app = AppTest.from_file(str(APP), default_timeout=60).run()
    assert not app.exception
    assert said(app).startswith("#### Deploy ")
    assert len(app.get("plotly_chart")) == 2
    headings = [one.value for one in app.main.markdown]
    for title in ("Model", "Hardware", "Traffic", "Targets"):
        assert f"##### {title}" in headings
        assert f"##### {title}" in [one.value for one in app.sidebar.markdown]


def test_it_says_what_the_model_finds(plan: AppTest) -> None:
    scenario = plan.session_state[KEY].scenario
    found = recommend(planned(scenario))
    assert found.best is not None
    shown = plan.dataframe[0].value
    assert shown["deployment"].tolist() == [one.row.name for one in found.ranked]
    workers = found.best.row
    assert f"{workers.prefill_workers} " in said(plan)
    assert "meet both targets at 0.5 requests/s" in said(plan)


def test_every_input_moves_it(plan: AppTest) -> None:
    before = said(plan)
    plan.text_input(key="plan.box.workload.itl_slo_ms").set_value("0.5").run()
    assert not plan.exception
    assert "No layout meets the targets" in said(plan)
    plan.text_input(key="plan.box.workload.itl_slo_ms").set_value("25").run()
    assert said(plan) == before
    plan.text_input(key="side.box.plan.gpus").set_value("1").run()
    assert not plan.exception
    assert said(plan) != before


@pytest.mark.parametrize("page", ["handoff", "deployments"])
def test_a_layout_opens_in_another_page_in_one_click(plan: AppTest, page: str) -> None:
    name = plan.dataframe[0].value["deployment"][0]
    plan.button(key=f"plan.open.{page}").click().run()
    assert not plan.exception
    assert plan.session_state[KEY].scenario.selected.name == name
    assert "##### The best layouts" not in [one.value for one in plan.main.markdown]


def test_a_model_that_doesnt_fit_is_the_first_line_with_a_button() -> None:
    app = opened(Scenario(plan=Planning(gpus=1)).with_workload(model_id="deepseek-v3"))
    assert "doesn't fit on 1 H200" in said(app)
    app.button(key="plan.make_it_fit").click().run()
    assert not app.exception
    assert "doesn't fit" not in said(app)


def test_the_best_are_replayed_and_ranked_again(plan: AppTest) -> None:
    tables = len(plan.dataframe)
    plan.button(key="plan.verify").click().run()
    give_up = time.monotonic() + 50
    held: Any = plan.session_state["aisim.plan"]
    while held.run is not None and not held.run.ended and time.monotonic() < give_up:
        time.sleep(0.2)
    plan.run()
    assert not plan.exception
    assert len(plan.dataframe) == tables + 1
    shares = plan.dataframe[1].value["within_slo_share"].tolist()
    assert shares == sorted(shares, reverse=True)


def test_an_older_link_to_the_first_page_opens_handoff() -> None:
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["prompt_tokens"] = "8192"
    app.run()
    assert not app.exception
    assert "handoff adds" in said(app)
