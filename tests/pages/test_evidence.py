"""The Evidence page: every measurement, good and bad, beside the models."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from aisim_ui.state import KEY


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/evidence.py").run()


def test_every_measurement_stands_on_the_page(page: AppTest) -> None:
    assert not page.exception
    shown = page.dataframe[4].value
    assert shown["id"].is_unique
    assert (~shown["consistent"]).sum() >= 2
    assert not shown.loc[~shown["consistent"], "fitted"].any()


def test_the_sentence_says_how_far_off_the_reference_is(page: AppTest) -> None:
    # the eighteen transfers: Qwen3-235B at 32,768 tokens 18% below, at 128 tokens 88%
    assert "18% to 88% below the 18 published transfer times" in page.markdown[0].value


def test_the_charts_show_what_the_table_holds(page: AppTest) -> None:
    assert "Transfer times" in page.get("plotly_chart")[0].proto.spec
    page.segmented_control(key="evidence.quantity").select("ttft_ms").run()
    assert not page.exception
    assert "TTFT" in page.get("plotly_chart")[0].proto.spec


def test_five_runs_end_to_end_stand_beside_their_verdicts(page: AppTest) -> None:
    shown = page.dataframe[3].value.set_index("gpu")
    assert (shown["says"] == shown["measured"]).all()
    assert shown.loc[["H200", "H100 SXM"], "says"].tolist() == ["prefill-bound"] * 2
    assert shown.loc["B200", "says"] == "keeps up"
    # 1,510 s and 1,703 s were measured
    assert shown["relative_error"].dropna().abs().max() < 5  # percent
    assert shown["link_load"].max() < 6  # percent


def test_the_five_runs_are_replayed_on_the_traffic_page(page: AppTest) -> None:
    next(button for button in page.button if button.label.startswith("Replay them")).click().run()
    assert not page.exception
    scenario = page.session_state[KEY].scenario
    assert [row.id for row in scenario.deployments] == ["gke-a4x", "nscale", "nebius", "aws-p5", "aks"]
    assert any(button.label.startswith("Replay 12,031 requests on 5") for button in page.button)
    assert page.session_state[KEY].undo


def test_every_quantity_has_a_name_and_its_unit(page: AppTest) -> None:
    shown = page.dataframe[4].value
    assert shown["quantity"].notna().all()
    assert all(name.endswith("]") for name in shown["quantity"])


def test_every_run_that_is_bound_is_named_and_the_report_says_so_too(page: AppTest) -> None:
    # 74% and 83% of what prefill carries keep up; 188%, 188% and 596% don't
    said = page.session_state[KEY].shown["evidence.clouds.answer"]
    assert "prefill is the bottleneck on H200, H100 SXM and A100 80GB SXM; GB200" in said
