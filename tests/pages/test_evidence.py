"""The Evidence page: every measurement, good and bad, beside the models."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("aisim_ui/pages/evidence.py").run()


def test_every_measurement_stands_on_the_page(page: AppTest) -> None:
    assert not page.exception
    shown = page.dataframe[0].value
    assert shown["id"].is_unique
    assert (~shown["consistent"]).sum() >= 2
    assert not shown.loc[~shown["consistent"], "fitted"].any()


def test_the_sentence_says_how_far_off_the_reference_is(page: AppTest) -> None:
    # the eighteen transfers: Qwen3-235B at 32,768 tokens 18% below, at 128 tokens 88%
    assert "18% to 88% below the 18 published transfer times" in page.markdown[0].value


def test_the_charts_show_what_the_table_holds(page: AppTest) -> None:
    assert len(page.get("plotly_chart")) == 2
