"""The silicon section of Evidence: filters, models, groups."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def opened(app: AppTest) -> AppTest:
    return app.switch_page("pages/evidence.py").run()


def test_models_are_judged_in_a_sentence_and_by_group(app: AppTest) -> None:
    page = opened(app)
    said = next(one.value for one in page.markdown if one.value.startswith("Off in TPOT at the median"))
    assert "roofline, configuration unseen 12%" in said
    assert "aiconfigurator-core 0.12.0 13%" in said or "aiconfigurator-core 0.12.0 14%" in said
    page.selectbox(key="silicon.by").select("gpu").run()
    assert not page.exception
    titles = [one.proto.alt for one in page.get("plotly_chart") if hasattr(one.proto, "alt")]
    assert page.get("plotly_chart")
    assert not titles or any("predicted over measured" in title for title in titles)


def test_filters_leave_rows_out_and_none_left_is_said(app: AppTest) -> None:
    page = opened(app)
    page.multiselect(key="silicon.gpu").select("h200").run()
    assert not page.exception
    page.multiselect(key="silicon.model").select("glm-5").run()  # measured on Blackwell alone
    assert not page.exception
    assert any("No row is left" in one.value for one in page.info)
