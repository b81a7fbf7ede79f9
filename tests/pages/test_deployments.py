"""The Deployments and Solve pages, driven without a browser."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from aisim_model.scenario import Scenario
from aisim_ui.state import KEY

PAGE, SOLVE = "pages/deployments.py", "pages/solve.py"


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page(PAGE).run()


def scenario(at: AppTest) -> Scenario:
    found: Scenario = at.session_state[KEY].scenario
    return found


def headline(at: AppTest) -> str:
    return next(one.value for one in at.main.markdown if one.value.startswith("####")).replace("\\", "")


def titles(at: AppTest) -> list[str]:
    specs = (json.loads(chart.proto.spec) for chart in at.get("plotly_chart"))
    return [spec["layout"]["title"]["text"] for spec in specs]


def given(at: AppTest, changed: Scenario) -> AppTest:
    at.session_state[KEY].scenario = changed
    return at.run()


def test_it_opens_on_the_worked_example(page: AppTest) -> None:
    assert not page.exception
    assert headline(page).startswith(
        "#### 5 of 5 deployments meet both SLOs for one request, all on 8 GPUs; "
    )
    assert titles(page) == [
        "TTFT by part: one request, idle system",
        "TTFT against Aggregated 2 x TP4",
    ]


def test_the_table_of_rows_has_a_row_a_deployment(page: AppTest) -> None:
    table = page.dataframe[0].value
    assert list(table["name"]) == [row.name for row in Scenario().deployments]
    assert list(table["gpus"]) == [8] * 5


def test_rows_are_added_duplicated_moved_and_removed_and_undone(page: AppTest) -> None:
    page.selectbox(key="rows.add").set_value("Split 1 + 1, NVLink").run()
    assert scenario(page).selected.link == "nvlink4"
    page.button(key="rows.up").click().run()
    assert [row.id for row in scenario(page).deployments][4] == "row-6"
    page.button(key="rows.duplicate").click().run()
    assert len(scenario(page).deployments) == 7
    page.button(key="rows.remove").click().run()
    assert len(scenario(page).deployments) == 6
    for _ in range(4):
        page.button(key="undo").click().run()
    assert scenario(page).deployments == Scenario().deployments


def test_another_row_is_selected_and_compared_to(page: AppTest) -> None:
    page.selectbox(key="rows.pick.selected_id").set_value("split-tcp").run()
    page.selectbox(key="rows.pick.baseline_id").set_value("split-400g").run()
    assert (scenario(page).selected_id, scenario(page).baseline_id) == ("split-tcp", "split-400g")
    assert "TTFT against Split, 400G NIC per GPU" in titles(page)


def test_rows_at_other_gpus_are_said(page: AppTest) -> None:
    given(page, Scenario().with_row("split-fp8", decode_workers=2))
    assert any("Not compared at equal GPUs" in one.value for one in page.caption)


def test_a_row_that_doesnt_fit_says_so(page: AppTest) -> None:
    bad = Scenario().with_workload(model_id="llama-3.1-70b").with_row("split-400g", prefill_tp=1, decode_tp=7)
    given(page, bad)
    assert not page.exception
    assert "doesn't fit its GPUs: weights need" in page.warning[0].value.replace("\\", "")


def test_the_drawer_opens_on_the_selected_row_and_refuses_in_a_sentence(page: AppTest) -> None:
    page.toggle(key="advanced.open").set_value(True).run()
    page.text_input(key="advanced.box.split-400g.orchestration_ms").set_value("158").run()
    assert scenario(page).selected.orchestration_ms == 158.0
    page.text_input(key="advanced.box.split-400g.mfu").set_value("1.5").run()
    assert scenario(page).selected.mfu is None
    assert any("MFU = '1.5': must be a number" in one.value.replace("\\", "") for one in page.error)
    page.selectbox(key="advanced.pick.split-400g.prefix_credit").set_value("tokens").run()
    assert scenario(page).selected.profile.prefix_credit == "tokens"
    page.text_input(key="advanced.box.split-400g.decode_attention_dp").set_value("2").run()
    page.selectbox(key="advanced.pick.split-400g.decode_gpu").set_value("b200").run()
    assert (scenario(page).selected.gpus, scenario(page).selected.side("decode").gpu) == (12, "b200")
    page.text_input(key="advanced.box.split-400g.expert_parallel").set_value("3").run()
    assert any("must divide the 4 ranks" in one.value for one in page.error)


@pytest.mark.parametrize(
    ("view", "column"),
    [
        ("Under load (estimate)", "bottleneck"),
        ("Memory", "handoffs_in_flight"),
        ("Cost and rank", "usd_per_million_output_tokens"),
    ],
)
def test_each_view_shows_its_columns(page: AppTest, view: str, column: str) -> None:
    page.button_group(key="deployments.view").set_value(view).run()
    assert not page.exception
    assert column in page.dataframe[1].value.columns
    ranked = [one.value for one in page.markdown if one.value.startswith("1. **Aggregated 2 x TP4**")]
    assert len(ranked) == (view == "Cost and rank")


def test_arrivals_bring_the_estimate_under_load(page: AppTest) -> None:
    page.text_input(key="deployments.box.workload.arrivals_per_s").set_value("1.8").run()
    assert headline(page).startswith("#### 1 of 5 deployments meet both SLOs at 1.8 requests/s")
    page.button_group(key="deployments.view").set_value("Under load (estimate)").run()
    assert list(page.dataframe[1].value["overloaded"]) == [False, True, True, True, True]


def test_what_moves_ttft_is_drawn_when_asked_and_always_said(page: AppTest) -> None:
    assert any("matters most" in one.value for one in page.markdown)
    page.button_group(key="deployments.second").set_value("What moves TTFT").run()
    assert titles(page)[1] == "What moves TTFT: Split, 400G NIC per GPU"


def test_a_row_that_doesnt_fit_has_no_times_to_move(page: AppTest) -> None:
    # 65.6 GB of weights on one GPU of 48 GB
    given(page, Scenario().with_row("split-400g", gpu="l40s", prefill_tp=1, decode_tp=1))
    page.button_group(key="deployments.second").set_value("What moves TTFT").run()
    assert titles(page) == ["TTFT by part: one request, idle system"]
    said = "Split, 400G NIC per GPU has no TTFT to move until it fits its GPUs."
    assert said in [one.value.replace("\\", "") for one in page.markdown]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("bandwidth", "a handoff of 20 ms needs 134 GB/s (1,070 Gb/s), 3 NICs of its kind"),
        ("prompt", "up to 3,051 tokens are within a handoff of 20 ms (19.995 ms; one more is over)"),
        ("cached-share", "5,152 of 8,192 tokens (63%) must be at the decode worker"),
        ("break-even", "against Aggregated 2 x TP4, ahead on inter-token latency"),
        ("workers", "1 prefill to 1 decode workers carry most"),
    ],
)
def test_each_question_is_answered_for_the_selected_row(app: AppTest, question: str, said: str) -> None:
    budget = Scenario().with_workload(model_id="llama-3.1-70b", prompt_tokens=8192, handoff_budget_ms=20.0)
    app.session_state[KEY].scenario = budget.with_row("split-400g", nics_per_gpu=0.25)
    app.switch_page(SOLVE).run()
    app.button_group(key="solve.question").set_value(question).run()
    assert not app.exception
    assert said in headline(app)
    assert len(app.dataframe[0].value) == 5
    assert len(titles(app)) == (3 if question in ("break-even", "workers") else 1)  # load or recompute is one


def test_a_start_up_says_from_which_prefix_loading_is_faster(app: AppTest) -> None:
    app.switch_page(SOLVE).run()
    assert any("One NVMe SSD: loading is faster" in one.value for one in app.markdown)
    app.number_input(key="solve.reuse.start_up_ms").set_value(1200.0).run()
    assert not app.exception
    said = next(one.value for one in app.markdown if "Host memory over PCIe 5.0" in one.value)
    assert re.search(r"loading is faster from [\d,]+ tokens on|computing is faster at any length", said)


def test_a_budget_that_is_no_number_is_a_sentence(app: AppTest) -> None:
    app.switch_page(SOLVE).run()
    app.text_input(key="solve.box.workload.handoff_budget_ms").set_value("soon").run()
    assert any("Handoff budget = 'soon'" in one.value.replace("\\", "") for one in app.error)
    app.text_input(key="solve.box.workload.handoff_budget_ms").set_value("20").run()
    assert "a handoff of 20 ms needs" in headline(app)


def test_an_aggregated_row_and_hostile_names_are_answered(app: AppTest) -> None:
    hostile: dict[str, Any] = {"name": "<b>x</b> **y** $z$"}
    app.session_state[KEY].scenario = (
        Scenario().with_row("aggregated", **hostile).changed(selected_id="aggregated")
    )
    for path in (PAGE, SOLVE):
        app.switch_page(path).run()
        assert not app.exception
    for question in ("break-even", "workers", "cached-share"):
        app.button_group(key="solve.question").set_value(question).run()
        assert not app.exception
