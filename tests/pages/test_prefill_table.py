"""A row's own prefill table: pasted on the Deployments page, counted on every page, taken back."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from aisim_model.scenario import Deployment
from aisim_ui import share
from aisim_ui.state import KEY

BOX = "advanced.box.split-400g.prefill_table"
TABLE = "tokens,milliseconds\n1000,50\n11000,550\n"


@pytest.fixture
def page(app: AppTest) -> AppTest:
    app.switch_page("pages/deployments.py").run()
    return app.toggle(key="advanced.open").set_value(True).run()


def paste(page: AppTest, text: str) -> AppTest:
    page.text_area(key=BOX).set_value(text).run()
    assert not page.exception
    return page


def selected(page: AppTest) -> Deployment:
    row: Deployment = page.session_state[KEY].scenario.selected
    return row


def test_a_pasted_table_times_the_row_on_every_page_and_travels_in_the_link(page: AppTest) -> None:
    paste(page, TABLE)
    assert selected(page).prefill_model == "table"
    scenario = page.session_state[KEY].scenario
    assert share.repaired(share.unpacked(share.packed(scenario))) == (scenario, [])
    page.sidebar.text_input(key="side.box.workload.prompt_tokens").set_value("6000").run()
    page.switch_page("pages/handoff.py").run()
    # halfway between 1,000 and 11,000 tokens: 300 ms
    assert "prefill 300 ms" in next(one.help for one in page.metric if one.label == "TTFT")
    assert any("yours: table" in one.value for one in page.caption)


def test_beyond_the_table_is_said(page: AppTest) -> None:
    paste(page, TABLE)
    assert any("12,000 tokens are outside its prefill table" in one.value for one in page.warning)
    paste(page, "tokens,milliseconds\n1000,50\n12000,600\n")
    assert not any("prefill table" in one.value for one in page.warning)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tokens,milliseconds\n1000,50\n", "two rows"),
        ("tokens,milliseconds\n1000,fast\n2000,60\n", "fast"),
        ("nothing of the kind", "no column of tokens"),
        ("tokens,milliseconds\n" + "".join(f"{n},{n}\n" for n in range(1, 100)), "64"),
    ],
)
def test_a_table_that_is_none_is_kept_with_its_sentence(page: AppTest, text: str, says: str) -> None:
    before = selected(page)
    paste(page, text)
    assert says in page.error[0].value.replace("\\", "")
    assert page.text_area(key=BOX).value == text
    assert selected(page) == before


def test_an_empty_box_takes_the_table_back(page: AppTest) -> None:
    before = selected(page)
    paste(page, TABLE)
    paste(page, "")
    assert selected(page) == before
    paste(page, "  \n")
    assert not page.error


def test_the_engine_says_what_it_does_only_when_asked(page: AppTest) -> None:
    assert any("sets block size 16" in one.value for one in page.markdown)
    assert any(one.value.startswith("Only when asked") for one in page.caption)
