"""Share: the page as a link, and the scenario as a file where chat clients would cut the link."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from aisim_model.scenario import Scenario
from aisim_ui.share import MAX_CHAT_CHARACTERS, link
from aisim_ui.state import KEY

BASE = Scenario()
ROWS = tuple(
    BASE.selected.model_copy(
        update={"id": f"r{n}", "name": f"Choice {n} {n * 104_729 % 99_991}", "decode_tp": n + 1}
    )
    for n in range(30)
)
MANY = Scenario(deployments=ROWS, selected_id="r0", baseline_id="r0")


@pytest.mark.parametrize(("scenario", "warned"), [(BASE, False), (MANY, True)])
def test_a_link_too_long_to_send_is_said_and_the_file_offered(
    app: AppTest, scenario: Scenario, warned: bool
) -> None:
    app.session_state[KEY].scenario = scenario
    page = app.run()
    assert not page.exception
    said = [one.value for one in page.sidebar.warning]
    length = len(link("", scenario))
    assert (length > MAX_CHAT_CHARACTERS) == warned
    assert bool(said) == warned
    if warned:
        assert "cut links at 2,048" in said[0]
    assert any(button.label == "Scenario as a file" for button in page.sidebar.get("download_button"))
