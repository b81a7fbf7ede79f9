"""The Explore page: curves of one field, maps of two, long work that can be stopped, and what is refused."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from aisim_model.compare.table import compare
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.explore import Ends, Explore, Ranges
from aisim_ui import share
from aisim_ui.explore import result
from aisim_ui.explore.point import at_point
from aisim_ui.explore.view import asked, vary
from aisim_ui.state import KEY

CURVES = "(open)"


@pytest.fixture
def page(app: AppTest) -> AppTest:
    found = app.switch_page("pages/explore.py").run()
    assert not found.exception
    return found


def figures(page: AppTest) -> list[dict[str, Any]]:
    assert not page.exception
    return [json.loads(chart.proto.spec, parse_constant=pytest.fail) for chart in page.get("plotly_chart")]


def titles(page: AppTest) -> list[str]:
    return [figure["layout"]["title"]["text"] for figure in figures(page)]


def set_box(page: AppTest, key: str, text: str) -> AppTest:
    return page.text_input(key=key).set_value(text).run()


def test_it_opens_on_prompt_by_bandwidth_with_the_answer_first(page: AppTest) -> None:
    assert titles(page) == [
        "TTFT: Split, 400G NIC per GPU",
        "Least TTFT: which deployment",
        "Bandwidth needed by Split, 400G NIC per GPU",
    ]
    assert "meets the SLO of 2 s up to **32,487 tokens**" in page.markdown[0].value
    assert "at 32k tokens" in page.markdown[0].value


def test_one_field_gives_a_line_a_deployment_both_modes_and_the_band(page: AppTest) -> None:
    page.selectbox(key="explore.pick.explore.y").set_value(CURVES).run()
    names = [trace["name"] for trace in figures(page)[0]["data"]]
    example = Scenario()
    assert {row.name for row in example.deployments} <= set(names)
    assert "Split, 400G NIC per GPU: only what decode lacks" in names
    assert titles(page)[0] == "TTFT over prompt [tokens]"


def test_a_curve_is_the_models_own(page: AppTest) -> None:
    page.selectbox(key="explore.pick.explore.y").set_value(CURVES).run()
    set_box(page, "explore.prompt_tokens.low", "12,000")
    lines = figures(page)[0]["data"]
    outcomes = {one.row.name: float(one.parts.ttft_ms) for one in compare(Scenario())}
    for line in lines:
        if line["name"] in outcomes:
            assert (line["x"][0], line["y"][0]) == (12_000, outcomes[line["name"]])


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        ("explore.prompt_tokens.low", "200000", "backwards"),
        ("explore.bandwidth_gb_s.low", "0", "both ends must be above 0"),
        ("explore.prompt_tokens.high", "1,000,000,000", "from 1 to 10,000,000"),
        ("explore.prompt_tokens.high", "", "is empty; it must be a whole number"),
        ("explore.prompt_tokens.low", "12.5", "must be a whole number"),
        ("explore.bandwidth_gb_s.low", "nan", "must be a number"),
        ("explore.bandwidth_gb_s.low", "<b>", "must be a number"),
        ("explore.bandwidth_gb_s.high", "1", "one value, not a range"),
    ],
)
def test_a_range_that_is_refused_keeps_its_text_and_the_last_picture(
    page: AppTest, key: str, text: str, words: str
) -> None:
    before = figures(page)[0]["data"][0]["x"]
    set_box(page, key, text)
    assert len(page.error) == 1
    assert words in page.error[0].value.replace("\\", "")
    assert page.text_input(key=key).value == text
    assert figures(page)[0]["data"][0]["x"] == before


def test_a_range_is_moved_one_end_after_the_other(page: AppTest) -> None:
    set_box(page, "explore.prompt_tokens.low", "200,000")  # above To, 131,072: refused until that moves too
    assert len(page.error) == 1
    set_box(page, "explore.prompt_tokens.high", "400,000")
    assert not page.error
    assert page.session_state[KEY].scenario.explore.ends("prompt_tokens") == Ends(200_000, 400_000, "log")


def test_both_boxes_keep_what_was_typed_under_one_sentence(page: AppTest) -> None:
    set_box(page, "explore.prompt_tokens.low", "many")
    set_box(page, "explore.prompt_tokens.high", "10")
    assert len(page.error) == 1
    assert "Prompt, from = 'many'" in page.error[0].value.replace("\\", "")
    assert [page.text_input(key=f"explore.prompt_tokens.{end}").value for end in ("low", "high")] == [
        "many",
        "10",
    ]
    set_box(page, "explore.prompt_tokens.low", "5")
    assert not page.error
    assert page.session_state[KEY].scenario.explore.ends("prompt_tokens") == Ends(5, 10, "log")


def test_a_range_is_refused_in_the_words_of_the_page(page: AppTest) -> None:
    set_box(page, "explore.prompt_tokens.low", "200000")
    assert "FIELD" not in page.error[0].value
    assert ":log:" not in page.error[0].value


def test_too_many_points_are_a_sentence(page: AppTest) -> None:
    rows = tuple(Deployment(id=f"row-{n}", name=f"Row {n}", color=n) for n in range(40))
    page.session_state[KEY].scenario = Scenario(deployments=rows, selected_id="row-0", baseline_id="row-0")
    page.run()
    page.selectbox(key="explore.pick.explore.count").set_value(240).run()
    assert "2,304,000" in page.error[0].value
    assert "aisim sweep" in page.error[0].value
    assert len(figures(page)) == 3


def test_a_scenario_that_a_range_does_not_fit_is_a_sentence(page: AppTest) -> None:
    page.selectbox(key="explore.pick.explore.x").set_value("decode_cached_tokens").run()
    assert not page.error
    now = page.session_state[KEY]
    now.scenario = now.scenario.with_workload(prompt_tokens=100)
    page.run()
    assert "at most the prompt's 100 tokens" in page.error[0].value.replace("\\", "")


def test_what_is_looked_at_outlives_a_visit_to_another_page(page: AppTest) -> None:
    page.selectbox(key="explore.pick.explore.y").set_value("mfu").run()
    set_box(page, "explore.mfu.low", "0.3")
    page.switch_page("pages/handoff.py").run()
    page.switch_page("pages/explore.py").run()
    assert page.selectbox(key="explore.pick.explore.y").value == "mfu"
    assert page.text_input(key="explore.mfu.low").value == "0.3"


def test_aggregated_rows_compete_where_asked(page: AppTest) -> None:
    names = {trace.get("name") for trace in figures(page)[1]["data"]}
    assert "Aggregated 2 x TP4" not in names
    page.toggle(key="explore.switch.explore.aggregated").set_value(True).run()
    assert "Aggregated 2 x TP4" in {trace.get("name") for trace in figures(page)[1]["data"]}


def test_long_work_can_be_stopped_and_gone_on_with(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result, "QUICK_POINTS", 100)
    result.shared_sweep.clear()
    page.session_state[result.STOPPED] = vary(Explore())  # as the button leaves it
    page.run()
    assert "Stopped before all of 18,000 points" in page.info[0].value
    assert len(figures(page)) == 1  # the bandwidth needed doesn't wait for it
    page.button(key="explore.go").click().run()
    assert len(figures(page)) == 3
    assert not page.info


def test_stop_asks_for_nothing_else(page: AppTest) -> None:
    shared = result.shared_sweep(Scenario(), vary(Explore()))
    result.shared_sweep.clear()

    def interrupted(*_: object) -> None:
        raise RuntimeError("as a click interrupts a run")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(result, "values", interrupted)
        with pytest.raises(RuntimeError):
            result.result(asked(Scenario()), vary(Explore()))
    assert result.shared_sweep(Scenario(), vary(Explore())).grids == {}  # nothing half made is kept
    assert shared.grids


def test_the_results_that_are_kept_are_bounded() -> None:
    result.shared_sweep.clear()
    for prompt in range(1, 3 * result.KEPT):
        result.result(Scenario(), (f"prompt_tokens={prompt},20000",))
    first = result.shared_sweep(Scenario(), ("prompt_tokens=1,20000",))
    assert first.grids == {}  # dropped, and made anew
    assert result.shared_sweep(Scenario(), (f"prompt_tokens={3 * result.KEPT - 1},20000",)).grids


def test_the_csv_has_every_point() -> None:
    sweep = result.result(asked(Scenario()), vary(Explore())).sweep
    found = pd.read_csv(io.BytesIO(result.csv_of(sweep)))
    assert len(found) == sweep.points == 5 * 60 * 60
    assert found["ttft_ms"].notna().all()


def test_a_clicked_point_becomes_the_scenario() -> None:
    there = at_point(Scenario(), "split-fp8", {"prompt_tokens": 4096.0, "bandwidth_gb_s": 25.5})
    assert (there.selected_id, there.workload.prompt_tokens) == ("split-fp8", 4096)
    assert there.selected.bandwidth_gb_s == 25.5
    assert there.row("split-400g") == Scenario().row("split-400g")
    cached = Scenario().with_workload(prefill_cached_tokens=6000)
    assert at_point(cached, "split-fp8", {"prompt_tokens": 128.0}).workload.prefill_cached_tokens == 128


def test_a_picture_keeps_both_ends_of_many_points() -> None:
    assert result.some(1000, 60)[[0, -1]].tolist() == [0, 999]
    assert len(result.some(1000, 60)) == 60
    np.testing.assert_array_equal(result.some(7, 60), np.arange(7))


def test_a_view_is_bounded_by_whole_numbers() -> None:
    look = Explore(y=None, ranges=Ranges(prompt_tokens=Ends(1, 10, "lin")))
    assert vary(look) == ("prompt_tokens=1:10:lin:10",)


def test_what_is_looked_at_can_be_undone(page: AppTest) -> None:
    page.selectbox(key="explore.pick.explore.y").set_value(CURVES).run()
    set_box(page, "explore.prompt_tokens.low", "1,000")
    assert page.session_state[KEY].scenario.explore.ends("prompt_tokens").low == 1000
    page.button(key="undo").click().run()
    assert page.text_input(key="explore.prompt_tokens.low").value == "128"
    page.button(key="undo").click().run()
    assert page.selectbox(key="explore.pick.explore.y").value == "bandwidth_gb_s"


def test_what_is_looked_at_comes_with_the_link(page: AppTest) -> None:
    ranges = Ranges(mfu=Ends(0.25, 0.75, "lin"), prompt_tokens=Ends(1000, 32_000, "lin"))
    look = Explore(y="mfu", quantity="handoff_share", count=77, share=0.3, aggregated=True, ranges=ranges)
    page.query_params["s"] = share.packed(Scenario(explore=look))
    del page.session_state[KEY]
    page.run()
    assert page.session_state[KEY].scenario.explore == look
    assert page.selectbox(key="explore.pick.explore.y").value == "mfu"
    assert page.selectbox(key="explore.pick.explore.count").value == 77
    assert page.selectbox(key="explore.pick.explore.share").value == 0.3
    assert page.text_input(key="explore.mfu.low").value == "0.25"
    assert page.toggle(key="explore.switch.explore.aggregated").value is True
    assert titles(page)[0] == "Handoff's share of TTFT: Split, 400G NIC per GPU"


def test_equal_sweeps_are_worked_out_once_whatever_is_shown_of_them() -> None:
    scenario = Scenario()
    other = scenario.changed(explore=Explore(quantity="handoff_ms"))
    assert result.shared_sweep(asked(scenario), vary(Explore())) is result.shared_sweep(
        asked(other), vary(other.explore)
    )


def test_a_field_that_changes_nothing_says_where_it_counts(page: AppTest) -> None:
    page.selectbox(key="explore.pick.explore.y").set_value("alpha_ms").run()
    assert len(page.info) == 1
    assert "Start-up [ms] makes no difference to TTFT" in page.info[0].value.replace("\\", "")
    assert "link model is calibrated" in page.info[0].value
