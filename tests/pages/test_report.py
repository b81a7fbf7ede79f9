"""What a page shows is what its report holds: the answer, every chart and every table."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from aisim_ui.report import Chart, Table
from aisim_ui.state import KEY


@pytest.mark.parametrize("name", ["handoff", "deployments", "solve", "explore"])
def test_the_report_holds_all_that_the_page_shows(app: AppTest, name: str) -> None:
    page = app.switch_page(f"pages/{name}.py").run()
    if name == "solve":
        page.button_group(key="solve.question").set_value("workers").run()
    assert not page.exception
    shown = page.session_state[KEY].shown
    assert page.markdown[0].value == f"#### {shown['answer']}"
    drawn = [part for part in shown.values() if isinstance(part, Chart)]
    assert len(drawn) == len(page.get("plotly_chart")) >= 2
    tables = [part for part in shown.values() if isinstance(part, Table)]
    buttons = [button.proto.label for button in page.get("download_button")]
    assert sum("as CSV" in label for label in buttons) == len(drawn) + len(tables)
